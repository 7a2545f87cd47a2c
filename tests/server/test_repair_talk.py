"""What talk around code costs: the document is parsed a few times, however long a model talks."""

import pytest

from server.repair import draft as drafts
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


def parses(monkeypatch, text, stop):
    """How often the document is parsed with an answer in it, and what is offered of that."""
    seen = []
    whole = drafts.Tree

    def counted(language, source):
        seen.append(source)
        return whole(language, source)

    tree_of.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(drafts, "Tree", counted)
        made = offered(Draft(language_of("python"), BEFORE, "\n", text, stop))
    return sum(len(source) > len(BEFORE) for source in seen), made.text


@pytest.mark.parametrize("stop", ["auto", "any"])
@pytest.mark.parametrize("behind", ["", "\n\n```python\nreturn 1\n```\n"])
def test_long_talk_costs_no_more_parses_of_the_document_than_short_talk(monkeypatch, behind, stop):
    short, offered_of_short = parses(monkeypatch, "\n".join(LINES) + behind, stop)
    long, offered_of_long = parses(monkeypatch, "\n".join(LINES * 8) + behind, stop)
    assert offered_of_short == offered_of_long == ("return 1" if behind else "")
    assert long <= short
