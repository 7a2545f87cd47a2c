"""An edit suggestion as a small difference."""

import pytest

from replay.play.shown_edits import headline, shown_edits
from replay.records import DocumentChange
from syntax.errors import OffsetError

TEXTS = {"a.py": "one\ntwo\nthree\nfour\n", "b.py": "x = 1\n"}


def test_each_document_has_its_lines_with_one_around_them():
    changes = [DocumentChange("a.py", 8, 13, "3"), DocumentChange("b.py", 4, 5, "2")]
    assert shown_edits(TEXTS, changes).split("\n") == [
        *("--- a.py", "+++ a.py", "@@ -2,3 +2,3 @@", " two", "-three", "+3", " four"),
        *("--- b.py", "+++ b.py", "@@ -1 +1 @@", "-x = 1", "+x = 2"),
    ]


def test_what_changes_nothing_is_an_empty_text():
    assert shown_edits(TEXTS, []) == shown_edits(TEXTS, [DocumentChange("a.py", 0, 3, "one")]) == ""


def test_a_change_outside_of_its_document_is_refused():
    with pytest.raises(OffsetError):
        shown_edits(TEXTS, [DocumentChange("b.py", 4, 50, "2")])


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ([DocumentChange("a.py", 8, 13, "3")], "a.py:3 -three"),
        ([DocumentChange("a.py", 4, 4, "\nnew\n")], "a.py:1 +new"),
        ([DocumentChange("b.py", 4, 5, "2")], "b.py:1 -x = 1"),
        ([DocumentChange("b.py", 5, 6, "\r\n")], "b.py @@ only line ends differ @@"),
        ([], ""),
    ],
)
def test_the_headline_is_the_first_line_that_changes_with_its_place(changes, first):
    assert headline(shown_edits(TEXTS, changes)) == first
