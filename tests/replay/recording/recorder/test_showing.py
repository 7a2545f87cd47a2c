"""An editor that says what it shows: nothing else counts as shown."""

import pytest
from tapes import Typist

from replay.play.users.decisions import Decisions
from replay.tapes.tape import Edit, Tape
from server.lsp.events import (
    CompletionAccepted,
    CompletionDismissed,
    CompletionRequested,
    CompletionReturned,
    CompletionShown,
)
from tests.replay.recording.recorder.desk import URI, Desk, ghosts


@pytest.fixture
def desk():
    return Desk("x = ", tells_shown=True)


def answered(desk, request, offset, text):
    """Ask and answer; the editor shows nothing yet."""
    document = desk.documents.get(URI)
    desk.tell(CompletionRequested(request, document, offset, invoked=False))
    return desk.tell(CompletionReturned(request, document, (offset, offset, text), 9.3456))


def shown(desk, request, offset, text):
    return desk.tell(CompletionShown(request, desk.documents.get(URI), (offset, offset, text)))


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
