"""Groups of a person's edits, and what they did next."""

import pytest

from replay.play.policies.edit_groups import Grouping, edit_groups
from replay.play.policies.edit_places import edit_places
from replay.tapes.tape import Close, Edit, Focus, Open, Tape
from replay.tapes.timeline import Timeline
from syntax.text import splice
from tests.support.tapes import Typist

TEXT = "".join(f"line {number}\n" for number in range(40))
LINE = [TEXT.index(f"line {number}\n") for number in range(40)]


def typist(**fields):
    return Typist(text=TEXT, **fields)


def groups_of(tape, **numbers):
    return list(edit_groups(Timeline(tape), Grouping(**numbers)))


LATER = 200_000.0
"""After so many ms nothing that follows is an answer."""


def kinds_of(typed, **numbers):
    """The kinds of moments of a tape that goes on for long enough to tell that nothing follows."""
    tape = typed.select(0, gap=LATER).tape()
    return [place.kind for place in edit_places(Timeline(tape), Grouping(**numbers))]


def test_keys_at_one_place_are_one_group():
    (group,) = groups_of(typist().type("abc", at=LINE[3]).tape())
    assert group.changes == ((LINE[3], LINE[3], "abc"),)
    assert (group.first, group.last, group.begins, group.stops, group.cursor) == (2, 4, 3, 3, LINE[3] + 3)


@pytest.mark.parametrize(("gap", "number"), [(1000.0, 1), (1001.0, 2)])
def test_a_pause_of_more_than_a_second_ends_a_group(gap, number):
    tape = typist().type("a", at=0).edit((1, 1, "b"), gap=gap).tape()
    assert len(groups_of(tape)) == number


@pytest.mark.parametrize(("line", "number"), [(8, 1), (9, 2)])
def test_an_edit_more_than_eight_lines_away_begins_another_group(line, number):
    tape = typist().type("a", at=0).edit((LINE[line] + 1, LINE[line] + 1, "b")).tape()
    assert len(groups_of(tape)) == number


def test_a_group_has_at_most_two_places():
    places = [(LINE[number], LINE[number], "") for number in (0, 3, 6)]
    tape = typist()
    for shift, (at, _, _) in enumerate(places):
        tape.edit((at + shift, at + shift, "x"))
    assert [len(group.changes) for group in groups_of(tape.tape())] == [2, 1]


@pytest.mark.parametrize("reason", ["undo", "redo", "agent", "format", "external"])
def test_what_takes_back_or_no_person_wrote_ends_a_group_and_belongs_to_none(reason):
    tape = typist().type("ab", at=0).edit((1, 2, ""), reason=reason).type("c", at=1).tape()
    assert [(group.first, group.last) for group in groups_of(tape)] == [(2, 3), (5, 5)]


def test_edits_without_effect_are_no_group():
    assert groups_of(typist().type("a", at=0).edit((0, 1, ""), reason="delete").tape()) == []


def test_the_next_edit_is_a_jump_if_it_is_more_than_a_line_away():
    tape = typist(gap=2000.0).type("a", at=LINE[3]).type("b", at=LINE[4] + 1).type("c", at=LINE[7] + 2)
    assert kinds_of(tape) == ["near", "jump", "silence"]
    (*_, last) = edit_places(Timeline(typist().type("a", at=0).type("b", at=LINE[9] + 1).tape()), Grouping())
    assert last.kind == "jump", "whether something follows cannot be told at the end of the tape"


def test_two_minutes_without_an_edit_are_silence():
    tape = typist().type("a", at=0).edit((1, 1, "b"), gap=120_001.0)
    assert kinds_of(tape) == ["silence", "silence"]


def test_there_is_no_moment_where_the_text_changes_before_the_next_edit():
    tape = typist(gap=2000.0).type("a", at=0).edit((0, 1, ""), reason="undo").type("b", at=0)
    assert kinds_of(tape) == ["silence"]


def two_documents(*, is_open):
    one = typist(gap=2000.0).type("a", at=0)
    other = [Open(1.0, 1, "b.py", "python", "x\n")]
    closing = [] if is_open else [Close(2100.0, 1)]
    again = [] if is_open else [Open(2200.0, 1, "b.py", "python", "x\n")]
    edit = [Focus(2900.0, 1), Edit(3000.0, 1, ((0, 1, "y"),), "type")]
    opened, focus, *keys = one.events
    end = [Focus(LATER, 0)]
    return Tape(one.header, (opened, *other, focus, *(closing and [Close(1.5, 1)]), *keys, *again, *edit, *end))


def test_another_open_document_is_a_jump():
    (place, last) = edit_places(Timeline(two_documents(is_open=True)), Grouping())
    assert (place.kind, place.next_edit.lines, last.kind) == ("jump", None, "silence")
    assert [(change.path, change.change) for change in place.next_edit.changes] == [("b.py", (0, 1, "y"))]


def test_a_document_that_is_not_open_yet_is_no_next_edit():
    places = edit_places(Timeline(two_documents(is_open=False)), Grouping())
    assert [place.kind for place in places] == ["silence"]


def test_the_changes_of_the_next_edit_make_the_text_behind_it():
    tape = typist(gap=300.0).type("abc", at=5).edit((LINE[20], LINE[20] + 4, "row"), gap=3000.0)
    tape.edit((LINE[22], LINE[22] + 1, "X"), gap=300.0)
    first, last = edit_places(Timeline(tape.select(0, gap=LATER).tape()), Grouping())
    before = splice(TEXT, [(5, 5, "abc")])
    assert splice(before, [change.change for change in first.next_edit.changes]) == tape.text
    assert (first.next_edit.until, last.event) == (7, 7)


@pytest.mark.parametrize("numbers", [{"places": 0}, {"pause": -1.0}, {"lines": -1}])
def test_numbers_outside_of_their_range_are_refused(numbers):
    with pytest.raises(ValueError, match="must be at least"):
        Grouping(**numbers)


def test_edits_that_cancel_out_are_no_group():
    tape = Typist(text="x = 2\n\n\ny = 2\n").edit((6, 7, ""), reason="delete").edit((6, 6, "\n"), gap=300.0)
    assert groups_of(tape.tape()) == []


def test_a_document_that_is_closed_ends_its_group():
    tape = typist().type("a", at=0).tape()
    again = [Close(150.0, 0), Open(160.0, 0, "a.py", "python", "other\n"), Edit(170.0, 0, ((5, 5, "b"),), "type")]
    assert [group.changes for group in groups_of(Tape(tape.header, (*tape.events, *again)))] == [
        ((0, 0, "a"),),
        ((5, 5, "b"),),
    ]


@pytest.mark.parametrize("path", ["tests/test_a.py", "yarn.lock"])
def test_an_edit_of_a_test_or_a_generated_file_is_no_next_edit(path):
    one = typist(gap=2000.0).type("a", at=0)
    opened, focus, key = one.events
    other = [Open(1.0, 1, path, "python", "x\n")]
    edits = [Focus(2900.0, 1), Edit(3000.0, 1, ((0, 1, "y"),), "type"), Focus(LATER, 0)]
    places = edit_places(Timeline(Tape(one.header, (opened, *other, focus, key, *edits))), Grouping())
    assert [place.kind for place in places] == ["silence"]
