"""Two texts become the changes between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.importers.building.tape_builder import changes_between
from syntax.text import splice

TEXTS = st.text(st.sampled_from("ab(\n\r\té😀 "), max_size=60)


@given(before=TEXTS, after=TEXTS)
def test_the_changes_lead_from_one_text_to_the_other(before, after):
    changes = changes_between(before, after)
    assert splice(before, changes) == after
    assert bool(changes) == (before != after)
    assert list(changes) == sorted(changes)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("", "", ()),
        ("abc", "abxc", ((2, 2, "x"),)),
        ("aa", "aaa", ((2, 2, "a"),)),
        ("😀é", "😀xé", ((2, 2, "x"),)),
        ("a😀b\nc", "ab\nd", ((1, 3, ""), (5, 6, "d"))),
        ("i = i + 1\n", "j = j + 1\n", ((0, 5, "j = j"),)),
        ("one(two)\n", "one(three, two)\n", ((5, 5, "hree, t"),)),
        ("a\nb\nc\n", "a\nnew\nb\nc2\n", ((2, 2, "new\n"), (5, 5, "2"))),
        ("def f():\n    a()\n    b()\n", "def f():\n    if x:\n        a()\n    b()\n", ((13, 13, "if x:\n        "),)),
    ],
)
def test_the_changes_are_small_and_sensible(before, after, changes):
    assert changes_between(before, after) == changes


def test_a_line_that_moved_is_not_retyped_letter_by_letter():
    lines = [f"value_{number} = {number * number}\n" for number in range(30)]
    moved = [*lines[1:20], lines[0], *lines[20:]]
    changes = changes_between("".join(lines), "".join(moved))
    assert len(changes) == 2
    assert sum(len(text) for _, _, text in changes) == len(lines[0])


def test_large_texts_that_have_nothing_in_common_are_one_change():
    assert changes_between("a" * 3000, "b" * 3000) == ((0, 3000, "b" * 3000),)
