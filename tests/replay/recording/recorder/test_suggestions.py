"""What became of suggestions, told from what the language server hears."""

import itertools

import pytest

from replay.tapes.tape import Edit, Ghost
from server.lsp.editor_events import (
    ChangeReasonGiven,
    ClientLeft,
    CompletionAccepted,
    CompletionDismissed,
    CompletionMissing,
    CompletionRequested,
    CompletionReturned,
    CursorsMoved,
    DocumentClosed,
    DocumentSaved,
)
from tests.support.recorder_editor import URI, Desk, ghosts


class TestSuggestions:
    def test_what_puts_exactly_the_text_there_is_an_accept(self):
        desk = Desk("x = ")
        _, shown = desk.suggestion(7, 4, "f(1)")
        assert ghosts(shown) == [(7, "shown", "f(1)")]
        edit, ghost = desk.change((4, 4, "f(1)"))[-2:]
        assert (edit.reason, ghost.phase, ghost.request, ghost.offset) == ("accept", "accepted", 7, 4)

    def test_the_command_after_such_a_change_says_nothing_new(self):
        desk = Desk("x = ")
        desk.suggestion(7, 4, "f(1)")
        desk.change((4, 4, "f(1)"))
        assert desk.tell(CompletionAccepted(7)) == []

    def test_an_editor_that_names_the_older_request_of_a_text_typed_along_tells_one_acceptance(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "ag(1) + 2")
        desk.change((4, 4, "a"))
        desk.suggestion(2, 5, "g(1) + 2")
        assert ghosts(desk.change((5, 5, "g(1) + 2"))) == [(2, "accepted", "g(1) + 2")]
        assert desk.tell(CompletionAccepted(1)) == []
        desk.suggestion(3, 13, "h(x)")
        desk.change((13, 13, "h( x )"))
        assert ghosts(desk.tell(CompletionAccepted(3))) == [(3, "accepted", "h(x)")]

    def test_the_command_tells_an_accept_that_the_change_did_not_show(self):
        desk = Desk("x = ")
        desk.suggestion(7, 4, "f(1)")
        desk.change((4, 4, "f( 1 )"))
        assert ghosts(desk.tell(CompletionAccepted(7))) == [(7, "accepted", "f(1)")]
        assert "rejected" not in [event.phase for event in desk.events if isinstance(event, Ghost)]

    def test_a_command_for_what_was_never_offered_is_nothing(self):
        assert Desk("x").tell(CompletionAccepted(3)) == []

    def test_a_closer_that_the_suggestion_covers_is_no_part_of_what_it_adds(self):
        desk = Desk("f()")
        _, shown = desk.suggestion(1, 2, "1, 2)", covered=1)
        assert (shown[-1].offset, shown[-1].text) == (2, "1, 2")
        assert desk.change((2, 3, "1, 2)"))[-1].phase == "accepted"

    def test_a_beginning_that_no_key_writes_is_a_part_and_the_rest_can_be_accepted(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha beta")
        assert ghosts(desk.change((4, 4, "alpha"))) == [(1, "part", "alpha")]
        edit, ghost = desk.change((9, 9, " beta"))
        assert (edit.reason, ghost.phase, ghost.offset, ghost.text) == ("accept", "accepted", 9, " beta")

    @pytest.mark.parametrize(("text", "typed"), [("alpha", "a"), ("()", "()"), ("\n    return", "\n    "), ("x", "x")])
    def test_what_a_key_writes_is_typed_also_where_it_was_suggested(self, text, typed):
        desk = Desk("f")
        desk.suggestion(1, 1, text)
        events = [*desk.change((1, 1, typed)), *desk.tell(DocumentSaved(URI))]
        assert [event.reason for event in events if isinstance(event, Edit)] == ["type"]
        assert {phase for _, phase, _ in ghosts(events)} <= {"ignored"}

    def test_what_was_typed_to_its_end_was_ignored_where_nothing_of_it_was_left(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "ab")
        desk.change((4, 4, "a"))
        desk.change((5, 5, "b"))
        (ghost,) = [event for event in desk.tell(ClientLeft()) if isinstance(event, Ghost)]
        assert (ghost.request, ghost.phase, ghost.text, ghost.offset) == (1, "ignored", "", 6)

    def test_what_is_dismissed_is_rejected_at_once_where_its_rest_stood_then(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha")
        desk.change((4, 4, "a"))
        (ghost,) = desk.tell(CompletionDismissed(URI))
        assert (ghost.request, ghost.phase, ghost.offset, ghost.t) == (1, "rejected", 5, desk.t)
        assert desk.tell(CompletionDismissed(URI)) == [], "nothing is shown any more"
        assert ghosts(desk.change((5, 5, "lpha"))) == []

    def test_a_dismissal_in_a_document_that_is_not_recorded_is_nothing(self):
        assert Desk("x").tell(CompletionDismissed("file:///w/other.py")) == []

    @pytest.mark.parametrize("word", ["(", "()", "x"])
    def test_a_word_that_a_key_could_write_is_accepted_where_the_editor_says_so(self, word):
        desk = Desk("f")
        desk.suggestion(1, 1, word + " + 1")
        desk.tell(ChangeReasonGiven(URI, "accept"))
        edit, ghost = desk.change((1, 1, word))[-2:]
        assert (edit.reason, ghost.phase, ghost.text) == ("accept", "part", word)
        desk.tell(ChangeReasonGiven(URI, "accept"))
        assert ghosts(desk.change((1 + len(word), 1 + len(word), " + 1"))) == [(1, "accepted", " + 1")]

    def test_one_letter_that_is_all_of_it_is_accepted_where_the_editor_says_so(self):
        desk = Desk("f")
        desk.suggestion(1, 1, "x")
        desk.tell(ChangeReasonGiven(URI, "accept"))
        assert ghosts(desk.change((1, 1, "x"))) == [(1, "accepted", "x")]
        assert desk.tell(CompletionAccepted(1)) == []

    def test_one_letter_that_is_all_of_it_is_accepted_where_the_command_of_the_item_says_so(self):
        desk = Desk("f")
        desk.suggestion(1, 1, "x")
        assert desk.change((1, 1, "x")) == [], "a key may have written it: what comes next says so"
        edit, ghost = desk.tell(CompletionAccepted(1))
        assert (edit.reason, edit.t, ghost.phase, ghost.offset, ghost.text) == (
            "accept",
            desk.t - 10,
            "accepted",
            1,
            "x",
        )
        assert ghosts(desk.tell(ClientLeft())) == []

    def test_the_last_letter_behind_what_was_typed_along_is_accepted_alone(self):
        desk = Desk("f")
        desk.suggestion(1, 1, "xy")
        desk.change((1, 1, "x"))
        desk.change((2, 2, "y"))
        edit, ghost = desk.tell(CompletionAccepted(1))
        assert (edit.reason, ghost.phase, ghost.offset, ghost.text) == ("accept", "accepted", 2, "y")

    def test_a_letter_that_was_typed_comes_before_all_that_follows(self):
        desk = Desk("f")
        desk.suggestion(1, 1, "x")
        desk.change((1, 1, "x"))
        first, *rest = desk.change((2, 2, "z"))
        assert (first.changes, first.reason) == (((1, 1, "x"),), "type")
        assert [event.changes for event in rest if isinstance(event, Edit)] == [((2, 2, "z"),)]

    def test_why_there_is_no_answer_is_told_unless_the_text_has_changed_before_an_empty_one(self):
        desk = Desk("x = ")
        document = desk.documents.get(URI)
        for request in (1, 2, 3):
            desk.tell(CompletionRequested(request, document, 4, invoked=False))
        (empty,) = desk.tell(CompletionMissing(1, document, 4, "empty", 12.3456))
        assert (empty.request, empty.phase, empty.offset, empty.text, empty.latency) == (1, "empty", 4, "", 12.346)
        desk.change((4, 4, "1"))
        assert ghosts(desk.tell(CompletionMissing(2, document, 4, "cancelled", 5.0))) == [(2, "cancelled", "")]
        assert desk.tell(CompletionMissing(3, document, 4, "empty", 5.0)) == []

    def test_a_paste_of_the_same_text_is_no_accept(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha")
        desk.tell(ChangeReasonGiven(URI, "paste"))
        (edit,) = [event for event in desk.change((4, 4, "alpha")) if isinstance(event, Edit)]
        assert edit.reason == "paste"
        assert ghosts(desk.tell(ClientLeft())) == [(1, "rejected", "")]

    def test_a_formatter_decides_nothing(self):
        desk = Desk("x  = ")
        desk.suggestion(1, 5, "alpha")
        desk.tell(ChangeReasonGiven(URI, "format"))
        (edit,) = [event for event in desk.change((4, 5, "")) if isinstance(event, Edit)]
        assert edit.reason == "format"
        assert ghosts(desk.tell(ClientLeft())) == [(1, "ignored", "")]

    def test_another_text_at_its_place_is_a_rejection_and_an_edit_elsewhere_is_not(self):
        desk = Desk("x = \ny")
        desk.suggestion(1, 4, "alpha")
        desk.change((4, 4, "z"))
        desk.suggestion(2, 5, "beta")
        desk.change((0, 1, ""))
        desk.tell(ClientLeft())
        ends = [each for each in ghosts(desk.events) if each[1] in {"rejected", "ignored"}]
        assert ends == [(1, "rejected", ""), (2, "ignored", "")]

    def test_an_undo_that_happens_to_write_the_same_is_no_accept(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha")
        desk.tell(ChangeReasonGiven(URI, "redo"))
        (edit,) = [event for event in desk.change((4, 4, "alpha")) if isinstance(event, Edit)]
        assert edit.reason == "redo"

    def test_a_second_suggestion_takes_the_place_of_the_first(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha")
        _, events = desk.suggestion(2, 4, "beta")
        assert ghosts(events) == [(1, "ignored", ""), (2, "shown", "beta")]

    @pytest.mark.parametrize("order", itertools.permutations([("umber = 2", 2), ("one = 3", 3), ("ame = 1", 4)]))
    def test_of_several_that_were_asked_for_by_hand_the_chosen_one_is_accepted_and_the_others_are_ignored(self, order):
        for taken, phase in (("umber = 2", "accepted"), ("umber", "part")):
            desk = Desk("n")
            desk.suggestion(1, 1, "ame = 1")
            document = desk.documents.get(URI)
            for request in (2, 3, 4):
                desk.tell(CompletionRequested(request, document, 1, invoked=True))
            for text, request in order:
                desk.tell(CompletionReturned(request, document, (1, 1, text), 12.0))
            desk.change((1, 1, taken))
            desk.tell(CompletionAccepted(2) if phase == "accepted" else CursorsMoved(document, ((0, 0),)))
            ends = [each for each in ghosts(desk.events) if each[1] not in {"asked", "shown"}]
            assert sorted(ends) == [(1, "ignored", ""), (2, phase, taken), (3, "ignored", ""), (4, "ignored", "")]
            (edit,) = [event for event in desk.events if isinstance(event, Edit)]
            assert edit.reason == "accept"

    def test_escape_rejects_one_of_several_and_other_text_rejects_one_too(self):
        for end in (lambda desk: desk.tell(CompletionDismissed(URI)), lambda desk: desk.change((1, 1, "z"))):
            desk = Desk("n")
            desk.suggestion(1, 1, "ame = 1")
            document = desk.documents.get(URI)
            desk.tell(CompletionRequested(2, document, 1, invoked=True))
            desk.tell(CompletionReturned(2, document, (1, 1, "umber = 2"), 12.0))
            end(desk)
            desk.tell(ClientLeft())
            ends = [each for each in ghosts(desk.events) if each[1] not in {"asked", "shown"}]
            assert sorted(ends) == [(1, "ignored", ""), (2, "rejected", "")]

    def test_an_answer_about_a_text_that_has_changed_since_was_not_shown(self):
        desk = Desk("x = ")
        before = desk.documents.get(URI)
        desk.tell(CompletionRequested(1, before, 4, invoked=True))
        desk.change((4, 4, "1"))
        assert desk.tell(CompletionReturned(1, before, (4, 4, "abc"), 5.0)) == []
        assert [event.trigger for event in desk.events if isinstance(event, Ghost)] == ["invoked"]

    def test_one_that_is_on_the_screen_when_the_document_closes_was_ignored(self):
        desk = Desk("x = ")
        desk.suggestion(1, 4, "alpha")
        assert ghosts(desk.tell(DocumentClosed(desk.documents.get(URI)))) == [(1, "ignored", "")]


def pressed(desk, *edits):
    return [event for edit in edits for event in desk.change(edit)]


def test_a_bracket_that_the_editor_closes_is_typed_along_and_what_is_accepted_then_is_the_rest():
    desk = Desk("f")
    desk.suggestion(1, 1, "(a, b)")
    assert ghosts(pressed(desk, (1, 1, "()"))) == []
    assert ghosts(pressed(desk, (1, 3, "(a, b)"))) == [(1, "accepted", "a, b")]


def test_what_stands_behind_the_closed_bracket_in_the_suggestion_is_left_until_all_is_typed():
    desk = Desk("f")
    desk.suggestion(1, 1, "(['a'])[10]")
    edits = [(1, 1, "()"), (2, 2, "[]"), (3, 3, "''"), (4, 4, "a"), (5, 6, "'"), (6, 7, "]"), (7, 8, ")"), (8, 8, "[]")]
    assert ghosts(pressed(desk, *edits)) == []
    assert ghosts(pressed(desk, (8, 10, "[10]"))) == [(1, "accepted", "10")]


def test_all_that_is_typed_through_closed_brackets_is_left_and_not_rejected():
    desk = Desk("f")
    desk.suggestion(1, 1, "(a)")
    typed = pressed(desk, (1, 1, "()"), (2, 2, "a"), (3, 4, ")"))
    assert ghosts([*typed, *desk.tell(ClientLeft())]) == [(1, "ignored", "")]


def test_a_closed_bracket_that_the_suggestion_does_not_have_takes_it_from_the_screen_without_a_rejection():
    desk = Desk("f")
    desk.suggestion(1, 1, "(a, b")
    typed = pressed(desk, (1, 1, "()"))
    assert ghosts([*typed, *desk.tell(ClientLeft())]) == [(1, "ignored", "")]


def test_other_text_between_closed_brackets_rejects():
    desk = Desk("f")
    desk.suggestion(1, 1, "(a, b)")
    typed = pressed(desk, (1, 1, "()"), (2, 2, "x"))
    assert ghosts([*typed, *desk.tell(ClientLeft())]) == [(1, "rejected", "")]
