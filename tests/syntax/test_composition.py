"""Edits one after another, as one."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from syntax.composition import Composition
from syntax.text import length, splice

TEXTS = st.text("ab\n😀", max_size=12)


def test_what_is_written_and_taken_away_again_is_no_change():
    assert Composition().then([(4, 4, "ab")]).then([(5, 6, "")]).changes() == ((4, 4, "a"),)
    assert Composition().then([(4, 4, "ab")]).then([(4, 6, "")]).changes() == ()


def test_edits_that_touch_are_one_change_and_others_stay_apart():
    typed = Composition().then([(2, 2, "x")]).then([(3, 3, "y")]).then([(9, 10, "")])
    assert typed.changes() == ((2, 2, "xy"), (7, 8, ""))


def test_insertions_at_one_place_stay_in_their_order():
    assert Composition().then([(4, 4, "a"), (4, 4, "b")]).changes() == ((4, 4, "ab"),)


@st.composite
def sessions(draw):
    """A text, and edits of it one after another."""
    text = first = draw(TEXTS)
    edits = []
    for _ in range(draw(st.integers(1, 5))):
        cuts = sorted(
            draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=4).filter(lambda at: len(at) % 2 == 0))
        )
        places = [length(text[:at]) for at in cuts]
        pairs = list(zip(places[::2], places[1::2], strict=True))
        changes = [(start, end, draw(TEXTS)) for start, end in pairs if start < end or len(pairs) == 1]
        edits.append(changes)
        text = splice(text, changes)
    return first, edits, text


@given(sessions())
def test_the_composition_has_the_effect_of_all_edits(session):
    first, edits, last = session
    whole = Composition()
    for changes in edits:
        whole = whole.then(changes)
    found = whole.changes()
    assert splice(first, found) == last
    assert all(one[1] < other[0] for one, other in pairwise(found)), "something stays between two"
