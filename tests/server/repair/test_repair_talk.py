"""What talk around code costs: the document is parsed a few times, however long a model talks."""

import pytest

from server.repair.draft import Draft, tree_of
from server.repair.offer import offered
from syntax.languages import language_of

LINES = (
    "The thing is a b c.",
    "I think that this works well.",
    "- It uses the loop.",
    "Then it returns the value of it.",
)
BEFORE = "".join(f"def g{number}(x):\n    return x\n\n" for number in range(20)) + "def f():\n    "


def parses(text, stop, before=BEFORE):
    """How often the document is parsed with an answer in it, and what is offered of that."""
    tree_of.cache_clear()
    made = offered(Draft(language_of("python"), before, "\n", text, stop))
    return tree_of.cache_info().misses, made.text


@pytest.mark.parametrize("stop", ["auto", "any"])
@pytest.mark.parametrize("behind", ["", "\n\n```python\nreturn 1\n```\n"])
def test_long_talk_costs_no_more_parses_of_the_document_than_short_talk(behind, stop):
    short, offered_of_short = parses("\n".join(LINES) + behind, stop)
    long, offered_of_long = parses("\n".join(LINES * 8) + behind, stop)
    assert offered_of_short == offered_of_long == ("return 1" if behind else "")
    assert long <= short


SENTENCES = {
    "Russian": "Эта функция складывает два числа и возвращает сумму {}",
    "Chinese": "第{}步 这个函数返回两个数的和，然后打印结果",
    "Korean": "이 함수는 두 수의 합을 반환하고 화면에 출력합니다 {}",
    "Hindi": "यह फलन दो संख्याओं का योग लौटाता है {}",
    "German": "diese Funktion gibt die Summe beider Zahlen zurück und Punkt {}",
}


@pytest.mark.parametrize("behind", ["", "\n\n```python\nreturn 1\n```\n"])
@pytest.mark.parametrize("script", SENTENCES)
def test_so_it_is_for_talk_in_any_language(script, behind):
    lines = [SENTENCES[script].format(number) for number in range(60)]
    short, _ = parses("\n".join(lines[:4]) + behind, "auto")
    long, made = parses("\n".join(lines) + behind, "auto")
    assert long <= short + 2 <= 18
    assert not behind or made == "return 1"


def test_an_answer_that_never_parses_is_looked_at_less_often_the_larger_the_file_is():
    broken = "".join(f"x = = f({number}\n" for number in range(80))
    small, _ = parses(broken, "auto")
    above = "".join(f"x{number} = {number}\n" for number in range(12_000))
    large, _ = parses(broken, "auto", above + BEFORE)
    assert large * 4 < small
    assert large < 40
