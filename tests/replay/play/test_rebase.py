"""One document that is ahead of its tape: where places are, and what accepting keeps. Whole sessions are in test_drive."""

import pytest

from replay.play.drive.rebase import Rebased, RecordedPlace
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist


@pytest.fixture
def ahead():
    """The document `a = 1 + 2` while the tape has typed `a = ` (events 2 to 5) and will type the rest (6 to 10)."""
    timeline = Timeline(Typist().type("a = 1 + 2\n").tape())
    document = Rebased("a = ")
    kept = document.accept(timeline, "a.py", 6, (4, 4, "1 + 2"))
    assert (kept.characters, kept.deleted) == (5, ())
    return timeline, document


def test_what_is_ahead_stands_in_the_actual_text_only(ahead):
    _, document = ahead
    assert (document.recorded, document.actual) == ("a = ", "a = 1 + 2")


def test_behind_what_is_ahead_the_place_is_where_the_tape_has_written_it(ahead):
    timeline, document = ahead
    assert document.place(timeline, "a.py", 6, 9) == RecordedPlace(11, 9, "a = 1 + 2")


def test_before_it_the_place_is_as_it_was(ahead):
    timeline, document = ahead
    assert document.place(timeline, "a.py", 6, 2) == RecordedPlace(6, 2, "a = ")


@pytest.mark.parametrize("offset", [4, 6, 8])
def test_inside_it_there_is_no_place_on_the_tape(ahead, offset):
    timeline, document = ahead
    assert document.place(timeline, "a.py", 6, offset) is None


def test_text_accepted_inside_it_is_undone(ahead):
    timeline, document = ahead
    kept = document.accept(timeline, "a.py", 6, (6, 6, "zz"))
    assert (kept.characters, kept.deleted, kept.keys, kept.cursor) == (0, ((6, 8, ""),), 1, 6)
    assert document.actual == "a = 1 + 2"


def test_when_the_tape_has_written_it_nothing_is_ahead_any_more(ahead):
    timeline, document = ahead
    done = [
        document.take(index, event.changes, by_hand=True)
        for index, event in enumerate(timeline.tape.events)
        if index >= 6
    ]
    assert done[:5] == [[]] * 5
    assert document.aheads == ()
    assert document.recorded == "a = 1 + 2\n"
    assert [step.changes for step in done[5]] == [((9, 9, "\n"),)]


def test_an_accept_that_replaces_text_on_the_right_keeps_what_came_to_stand_there():
    typist = Typist(text="f()").type("x", at=2)
    timeline = Timeline(typist.edit((3, 4, "]")).tape())
    document = Rebased("f()")
    kept = document.accept(timeline, "a.py", 2, (2, 3, "x]"))
    assert (kept.characters, document.actual) == (2, "f(x]")
    assert document.take(2, timeline.tape.events[2].changes, by_hand=True) == []
    assert document.take(3, timeline.tape.events[3].changes, by_hand=True) == []
    assert (document.recorded, document.aheads) == ("f(x]", ())
