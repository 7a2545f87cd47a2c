"""Composed edits say the same of a place as the edits one by one."""

from hypothesis import given
from hypothesis import strategies as st

from replay.tapes.timeline import Carrying, Window
from syntax.text import carry_left, carry_right, splice


@st.composite
def documents(draw):
    """A text and the edits of several events, each with one change or two."""
    text = first = draw(st.text("ab\n", max_size=12))
    edits = []
    for _ in range(draw(st.integers(0, 20))):
        ends = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=4).filter(lambda at: len(at) != 3)))
        changes = tuple(
            (start, end, draw(st.text("xyz", max_size=3))) for start, end in zip(ends[::2], ends[1::2], strict=True)
        )
        edits.append(changes)
        text = splice(text, changes)
    return first, edits


def text_before(first, edits, at):
    for changes in edits[:at]:
        first = splice(first, changes)
    return first


@given(documents(), st.data())
def test_marks_end_up_where_the_edits_carry_them_one_by_one(document, data):
    first, edits = document
    at = data.draw(st.integers(0, len(edits)))
    left = right = mark = data.draw(st.integers(0, len(text_before(first, edits, at))))
    for changes in edits[at:]:
        left, right = carry_left(left, changes), carry_right(right, changes)
    assert (Carrying(edits).left(mark, at), Carrying(edits).right(mark, at)) == (left, right)


@given(documents(), st.data())
def test_a_window_is_touched_by_the_edits_that_touch_it_one_by_one(document, data):
    first, edits = document
    at = data.draw(st.integers(0, len(edits)))
    left, right = sorted(data.draw(st.tuples(*[st.integers(0, len(text_before(first, edits, at)))] * 2)))
    window, touches = Window(left, "-" * (right - left)), []
    for number, changes in enumerate(edits[at:], at):
        touched = any(start <= window.right and end >= window.left for start, end, _ in changes)
        touches += [(number, window.left)] if touched else []
        window.pass_over(changes)
    carrying, found, window = Carrying(edits), [], Window(left, "-" * (right - left))
    while (touch := carrying.next_touch(window.left, window.right, at))[0] < len(edits):
        found.append(touch)
        window.move(touch[1])
        window.pass_over(edits[touch[0]])
        at = touch[0] + 1
    assert found == touches


@given(documents(), st.data())
def test_pieces_that_outlast_are_where_each_of_their_characters_went(document, data):
    first, edits = document
    at = data.draw(st.integers(0, len(edits)))
    text = text_before(first, edits, at)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    places = {unit: unit for unit in range(start, end)}
    for changes in edits[at:]:
        kept = [unit for unit, here in places.items() if not any(low <= here < high for low, high, _ in changes)]
        places = {unit: carry_right(places[unit], changes) for unit in kept}
    carrying = Carrying(edits)
    pieces = carrying.outlasting(start, end, at)
    assert {start + behind + n: here + n for behind, here, size in pieces for n in range(size)} == places
    assert [unit for unit in range(start, end) if carrying.outlasts(unit, at)] == list(places)
    assert [piece[0] for piece in pieces] == sorted(piece[0] for piece in pieces)
