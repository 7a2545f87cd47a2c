"""An editor that says what it shows: nothing else counts as shown."""

import pytest

from replay.play.users.decisions import Decisions
from replay.tapes.tape import Edit, Ghost, Select, Tape
from server.lsp.editor_events import (
    ClientLeft,
    CompletionAccepted,
    CompletionDismissed,
    CompletionRequested,
    CompletionReturned,
    CompletionShown,
    CursorsMoved,
)
from tests.support.recorder_editor import URI, Desk, ghosts
from tests.support.tapes import Typist


@pytest.fixture
def desk():
    return Desk("x = ", tells_shown=True)


def answered(desk, request, offset, text, covered=0):
    """Ask and answer; the editor shows nothing yet."""
    document = desk.documents.get(URI)
    desk.tell(CompletionRequested(request, document, offset, invoked=False))
    return desk.tell(CompletionReturned(request, document, (offset, offset + covered, text), 9.3456))


def shown(desk, request, offset, text, covered=0):
    return desk.tell(CompletionShown(request, desk.documents.get(URI), (offset, offset + covered, text)))


def test_what_was_withheld_was_answered_and_is_neither_shown_nor_rejected(desk):
    (came,) = answered(desk, 1, 4, "alpha")
    assert (came.phase, came.request, came.latency, came.text) == ("answered", 1, 9.346, "")
    assert ghosts(desk.change((4, 4, "z"))) == []
    answered(desk, 2, 5, "beta")
    (ghost,) = shown(desk, 2, 5, "beta")
    assert (ghost.request, ghost.phase, ghost.text) == (2, "shown", "beta")
    assert ghost.latency == pytest.approx(9.346 + 10.0), "until it was shown, 10 ms after it came"
    assert ghosts(desk.change((5, 5, "beta"))) == [(2, "accepted", "beta")]
    assert desk.tell(CompletionAccepted(1)) == [], "nobody saw it"


def test_what_the_editor_shows_again_is_on_the_screen_once(desk):
    answered(desk, 1, 4, "alpha")
    shown(desk, 1, 4, "alpha")
    assert shown(desk, 1, 4, "alpha") == []
    desk.change((4, 4, "a"))
    assert shown(desk, 1, 5, "lpha") == []
    (ghost,) = desk.tell(CompletionDismissed(URI))
    assert (ghost.phase, ghost.offset) == ("rejected", 5)


def test_what_is_asked_for_again_after_escape_is_shown_again_and_can_be_accepted(desk):
    answered(desk, 1, 4, "alpha")
    shown(desk, 1, 4, "alpha")
    desk.tell(CompletionDismissed(URI))
    assert ghosts(shown(desk, 1, 4, "alpha")) == [(1, "shown", "alpha")]
    edit, ghost = desk.change((4, 4, "alpha"))
    assert (edit.reason, ghost.phase) == ("accept", "accepted")
    assert shown(desk, 1, 9, "") == []


def test_the_rest_of_an_answer_to_an_older_text_is_shown_where_the_editor_says_so_and_accepted(desk):
    document = desk.documents.get(URI)
    desk.tell(CompletionRequested(1, document, 4, invoked=False))
    desk.change((4, 4, "a"))
    assert ghosts(desk.tell(CompletionReturned(1, document, (4, 4, "alpha"), 5.0))) == [(1, "answered", "")]
    (ghost,) = shown(desk, 1, 5, "lpha")
    assert (ghost.phase, ghost.offset, ghost.text) == ("shown", 5, "lpha")
    edit, ghost = desk.change((5, 5, "lpha"))
    assert isinstance(edit, Edit)
    assert (edit.reason, ghost.phase, ghost.text) == ("accept", "accepted", "lpha")
    decision = Decisions(Tape(Typist().header, tuple(desk.events))).of(1)
    assert (decision.shown, decision.taken, decision.ending) == ("alpha", "alpha", "accepted"), (
        "with what was typed of it"
    )


def test_of_several_the_one_that_is_told_last_is_on_the_screen(desk):
    document = desk.documents.get(URI)
    for request, text in ((1, "one"), (2, "two"), (3, "three")):
        desk.tell(CompletionRequested(request, document, 4, invoked=True))
        desk.tell(CompletionReturned(request, document, (4, 4, text), 5.0))
    for request, text in ((3, "three"), (2, "two"), (1, "one")):
        shown(desk, request, 4, text)
    assert sorted(ghosts(desk.tell(CompletionDismissed(URI)))) == [
        (1, "rejected", ""),
        (2, "ignored", ""),
        (3, "ignored", ""),
    ]


def test_what_a_server_before_this_one_answered_is_not_taken_for_a_request_of_the_same_number(desk):
    assert shown(desk, 2, 4, "of the dead") == []
    answered(desk, 1, 4, "one")
    answered(desk, 2, 4, "two")
    assert ghosts(shown(desk, 2, 4, "two")) == [(2, "shown", "two")]
    desk.open("", "file:///w/other.py")
    other = CompletionShown(1, desk.documents.get("file:///w/other.py"), (0, 0, "one"))
    assert desk.tell(other) == [], "it was answered for another document"


def test_in_a_document_that_is_not_recorded_nothing_is_shown(desk):
    desk.documents.open("file:///w/other.py", "python", 1, "")
    event = CompletionShown(1, desk.documents.get("file:///w/other.py"), (0, 0, "x"))
    assert desk.tell(event) == []


def test_of_an_editor_that_was_not_to_tell_it_each_answer_to_the_text_of_now_counts_and_nothing_else():
    desk = Desk("x = ")
    assert ghosts(answered(desk, 1, 4, "alpha")) == [(1, "shown", "alpha")]
    desk.tell(CompletionDismissed(URI))
    assert shown(desk, 1, 4, "alpha") == []


def moved(desk, *ranges):
    return desk.tell(CursorsMoved(desk.documents.get(URI), ranges))


def told(events):
    """Edits with their reasons, cursors, and what was told of suggestions, in their order."""
    return [
        event.reason
        if isinstance(event, Edit)
        else event.ranges
        if isinstance(event, Select)
        else (event.request, event.phase)
        for event in events
        if isinstance(event, Edit | Select | Ghost)
    ]


def test_a_letter_that_was_accepted_was_not_typed_also_where_the_cursor_is_told_before(desk):
    """As VS Code does it: the change, the cursor, and then the command of the item."""
    answered(desk, 1, 4, "x")
    shown(desk, 1, 4, "x")
    events = [*desk.change((4, 4, "x")), *moved(desk, (5, 5)), *desk.tell(CompletionAccepted(1))]
    assert told(events) == ["accept", ((5, 5),), (1, "accepted")]


def test_a_letter_that_was_typed_was_not_accepted_also_where_the_cursor_is_told_before(desk):
    answered(desk, 1, 4, "x")
    shown(desk, 1, 4, "x")
    events = [*desk.change((4, 4, "x")), *moved(desk, (5, 5)), *desk.tell(ClientLeft())]
    assert told(events) == ["type", ((5, 5),), (1, "ignored")]


def test_what_is_accepted_at_several_cursors_is_accepted_once_and_the_cursors_stay_several():
    desk = Desk("a b", tells_shown=True)
    moved(desk, (1, 1), (3, 3))
    asked = desk.tell(CompletionRequested(1, desk.documents.get(URI), 1, invoked=False))
    assert [event for event in asked if isinstance(event, Select)] == []
    desk.tell(CompletionReturned(1, desk.documents.get(URI), (1, 1, "lpha"), 5.0))
    shown(desk, 1, 1, "lpha")
    events = [*desk.change((3, 3, "lpha"), (1, 1, "lpha")), *moved(desk, (5, 5), (11, 11))]
    events += desk.tell(CompletionAccepted(1))
    assert told(events) == ["accept", ((5, 5), (11, 11)), (1, "accepted")]


def test_when_the_cursor_has_been_elsewhere_nothing_is_shown_that_could_be_typed_along_or_rejected(desk):
    answered(desk, 1, 4, "alpha")
    shown(desk, 1, 4, "alpha")
    moved(desk, (4, 4))
    assert ghosts(moved(desk, (3, 3))) == [(1, "ignored", "")]
    moved(desk, (4, 4))
    assert ghosts([*desk.change((4, 4, "z")), *desk.tell(ClientLeft())]) == []


def test_when_the_person_has_worked_in_another_document_nothing_is_shown_that_could_be_typed_along_or_rejected(desk):
    answered(desk, 1, 4, "alpha")
    shown(desk, 1, 4, "alpha")
    moved(desk, (4, 4))
    desk.open("y", uri="file:///w/b.py")
    assert ghosts(desk.tell(CursorsMoved(desk.documents.get("file:///w/b.py"), ((0, 0),)))) == [(1, "ignored", "")]
    moved(desk, (4, 4))
    assert ghosts([*desk.change((4, 4, "a")), *desk.tell(ClientLeft())]) == []


def test_the_cursor_that_a_closed_bracket_moves_which_is_typed_over_takes_nothing_from_the_screen():
    desk = Desk("f()", tells_shown=True)
    moved(desk, (2, 2))
    answered(desk, 1, 2, "a)[0]", covered=1)
    shown(desk, 1, 2, "a)[0]", covered=1)
    assert ghosts([*desk.change((2, 2, "a")), *moved(desk, (3, 3))]) == []
    assert ghosts([*desk.change((3, 4, ")")), *moved(desk, (4, 4))]) == []
    assert ghosts(desk.change((4, 4, "[0]"))) == [(1, "accepted", "[0]")]


@pytest.mark.parametrize(("key", "ends"), [("k", []), ("x", [(1, "rejected", "")])])
def test_what_goes_on_behind_the_quote_that_the_editor_closed_is_typed_along(key, ends):
    desk = Desk("{''}", tells_shown=True)
    answered(desk, 1, 2, "k': 1", covered=1)
    shown(desk, 1, 2, "k': 1", covered=1)
    assert ghosts([*desk.change((2, 2, key)), *desk.tell(ClientLeft())]) == ends


def test_a_word_of_what_goes_on_behind_the_quote_that_the_editor_closed_is_a_part():
    desk = Desk("{''}", tells_shown=True)
    answered(desk, 1, 2, "key': 1", covered=1)
    shown(desk, 1, 2, "key': 1", covered=1)
    assert ghosts(desk.change((2, 2, "key"))) == [(1, "part", "key")]


def test_what_is_left_of_two_requests_is_accepted_once_whichever_the_editor_names(desk):
    """`ab`, of which `a` was typed, and then `b`, for which it asked anew: Tab, and it runs the command of the first."""
    answered(desk, 1, 4, "ab")
    shown(desk, 1, 4, "ab")
    desk.change((4, 4, "a"))
    answered(desk, 2, 5, "b")
    shown(desk, 2, 5, "b")
    began = len(desk.events)
    desk.change((5, 5, "b"))
    moved(desk, (6, 6))
    desk.tell(CompletionAccepted(1))
    edits = [event.reason for event in desk.events[began:] if isinstance(event, Edit)]
    assert (edits, ghosts(desk.events[began:])) == (["accept"], [(2, "accepted", "b")])


def test_only_the_move_that_a_key_makes_waits_for_what_comes_behind_it(desk):
    """A person who types a letter that was suggested and then moves about: a kill later loses nothing of it."""
    answered(desk, 1, 4, "z")
    shown(desk, 1, 4, "z")
    assert desk.change((4, 4, "z")) == []
    assert moved(desk, (5, 5)) == []
    after = moved(desk, (0, 0))
    assert [type(event) for event in after] == [Edit, Select, Ghost, Select]
    assert [event.t for event in after] == sorted(event.t for event in after)


def test_another_key_within_brackets_that_the_editor_closed_rejects_what_goes_on_behind_them():
    desk = Desk("f()", tells_shown=True)
    document = desk.documents.get(URI)
    desk.tell(CompletionRequested(1, document, 2, invoked=False))
    desk.tell(CompletionReturned(1, document, (2, 3, "a)[0]"), 5.0))
    desk.tell(CompletionShown(1, document, (2, 3, "a)[0]")))
    began = len(desk.events)
    desk.change((2, 2, "a"))
    desk.change((3, 3, "x"))
    moved(desk, (4, 4))
    moved(desk, (0, 0))
    assert ghosts(desk.events[began:]) == [(1, "rejected", "")]
