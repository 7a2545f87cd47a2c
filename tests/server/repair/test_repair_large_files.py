"""In a file that is too large to be parsed at each key, answers are repaired by their text alone, and the trail says so."""

import pytest

from server.repair.chain import TOO_LARGE
from server.repair.draft import Draft, tree_of
from server.repair.offer import LARGEST, Repaired, enough, offered
from syntax.languages import language_of

PYTHON = language_of("python")
LINE = "value = f(value, 1)\n"


def placed(characters, text, stop="auto"):
    """An answer behind so many characters of code."""
    before = (LINE * (characters // len(LINE) + 1))[-characters:]
    return Draft(PYTHON, before, "\nx = 1\n", text, stop)


@pytest.fixture
def unparsed():
    """Nothing is parsed, not even for a tree that is found again."""
    tree_of.cache_clear()
    yield
    asked = tree_of.cache_info()
    assert asked.misses + asked.hits == 0


def steps(made):
    return [step.step for step in made.trail]


@pytest.mark.usefixtures("unparsed")
def test_a_file_that_is_too_large_is_not_parsed_and_the_trail_says_so():
    made = offered(placed(7_000_000, "```python\nx = f((1)\n```"))
    assert made.text == "x = f((1)"
    assert steps(made) == [TOO_LARGE, "prose"]
    assert made.trail[0].before == made.trail[0].after


@pytest.mark.usefixtures("unparsed")
def test_there_a_line_still_ends_with_its_line_and_a_stream_is_not_waited_for():
    draft = placed(LARGEST, "x = 1\ny = 2\n", "line")
    assert offered(draft).text == "x = 1"
    assert enough(draft) == len("x = 1\n")


def test_up_to_the_limit_brackets_are_mended():
    after = "\nx = 1\n"
    made = offered(placed(LARGEST - len(after), "x = f((1)"))
    assert (made.text, steps(made)) == ("x = f((1))", ["brackets"])


def test_nothing_is_said_of_the_size_where_nothing_was_answered():
    assert offered(placed(LARGEST, " \n")) == Repaired()


def test_an_answer_of_talk_alone_is_emptied_by_the_step_that_did_it():
    made = offered(placed(LARGEST, "<think>what to say</think>"))
    assert (made.text, made.step) == ("", "prose")


@pytest.mark.usefixtures("unparsed")
@pytest.mark.parametrize("text", ["Output: foo\nx = 3", "break\n    z()", "1 | x = 3\n2 | y = 4"])
def test_there_no_form_is_taken_off_as_nothing_can_be_weighed(text):
    assert offered(placed(LARGEST, text, "any")).text == text
