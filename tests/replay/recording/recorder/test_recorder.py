"""What the language server hears, as events of a tape: checked against texts that are made another way."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.recording.recorder import CHECK_EVERY, changes_of_event, merged_changes, reason_of_keys
from replay.tapes.tape import Close, Edit, Focus, Ghost, Open, Save, Select, State
from server.documents import Document
from server.lsp.editor_events import (
    ChangeReasonGiven,
    ClientLeft,
    CompletionAccepted,
    CompletionRequested,
    CursorsMoved,
    DocumentClosed,
    DocumentSaved,
)
from syntax.text import encode
from tests.support.recorder_editor import URI, Desk
from tests.support.scale import examples


def applied(text, changes):
    """Changes that are all against one text, made last first on its UTF-16 units: not how the program does it."""
    units = encode(text)
    for start, end, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        units = units[: 2 * start] + encode(new) + units[2 * end :]
    return units.decode("utf-16-le", "surrogatepass")


ODD = st.text("ab \r\n😀é\u2028", max_size=6)


@st.composite
def sequences(draw):
    """A text, changes made one after the other, and what they leave."""
    before = text = draw(st.text("abc \r\n😀é", max_size=12))
    changes = []
    for _ in range(draw(st.integers(0, 6))):
        size = len(encode(text)) // 2
        start, end = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
        changes.append((start, end, draw(ODD)))
        text = applied(text, [changes[-1]])
    return before, tuple(changes), text


@settings(max_examples=examples(400), deadline=None)
@given(sequences())
def test_changes_one_after_the_other_become_changes_against_the_text_before(sequence):
    before, changes, after = sequence
    at_once = merged_changes(changes)
    assert applied(before, at_once) == after
    assert all(one[1] < other[0] for one, other in itertools.pairwise(at_once)), "none touches another"
    least = changes_of_event(before, after, changes)
    assert applied(before, least) == after
    assert all(start < end or text for start, end, text in least)


def test_changes_in_places_apart_stay_apart():
    assert merged_changes([(0, 0, "x"), (5, 6, ""), (9, 9, "yy")]) == ((0, 0, "x"), (4, 5, ""), (9, 9, "yy"))


def test_a_change_inside_what_the_one_before_wrote_becomes_one_with_it():
    assert merged_changes([(2, 4, "hello"), (3, 5, "")]) == ((2, 4, "hlo"),)
    assert merged_changes([(2, 2, "ab"), (4, 6, "c")]) == ((2, 4, "abc"),)


def test_a_whole_new_text_is_told_as_what_is_new_in_it():
    (_, edit) = Desk("one two three").change("one 2 three")
    assert edit.changes == ((4, 7, "2"),)


def test_a_change_that_changes_nothing_is_no_event():
    assert Desk("abc").change((0, 3, "abc")) == []


@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        ("ab", (1, 1, "x"), "type"),
        ("ab", (1, 1, "😀"), "type"),
        ("ab", (1, 1, "()"), "type"),
        ("ab", (1, 1, "\r\n    "), "type"),
        ("ab", (1, 1, "\n\n"), None),
        ("ab", (1, 1, "xy"), None),
        ("ab", (0, 1, ""), "delete"),
        ("a\r\nb", (1, 3, ""), "delete"),
        ("a😀b", (1, 3, ""), "delete"),
        ("abc", (0, 2, ""), None),
        ("abc", (0, 2, "x"), None),
    ],
)
def test_only_what_one_key_does_is_called_typed_or_deleted(text, change, reason):
    assert reason_of_keys(text, [change]) == reason


def test_a_key_at_several_cursors_is_typed():
    assert reason_of_keys("abcd", [(0, 0, "x"), (2, 2, "x")]) == "type"
    assert reason_of_keys("abcd", [(0, 0, "x"), (2, 2, "xyz")]) is None


def test_the_editor_can_say_that_the_next_change_is_an_undo_and_only_that_one():
    desk = Desk("ab")
    desk.tell(ChangeReasonGiven(URI, "undo"))
    assert desk.change((1, 2, ""))[-1].reason == "undo"
    assert desk.change((0, 1, ""))[-1].reason == "delete"
    desk.tell(ChangeReasonGiven(URI, "magic"))
    assert desk.change((0, 0, "x"))[-1].reason == "type"


@pytest.mark.parametrize(
    ("hint", "change", "reason"),
    [
        ("paste", (1, 1, "xyz"), "paste"),
        ("paste", (0, 2, ""), None),
        ("delete", (0, 2, ""), "delete"),
        ("delete", (0, 2, "x"), None),
        ("format", (0, 2, "x"), "format"),
        ("accept", (2, 2, "xyz"), "accept"),
        ("accept", (1, 2, ""), "delete"),
    ],
)
def test_the_editor_gives_a_reason_only_to_a_change_that_can_have_it(hint, change, reason):
    desk = Desk("abc")
    desk.tell(ChangeReasonGiven(URI, hint))
    assert desk.change(change)[-1].reason == reason


def test_a_session_has_its_events_in_their_order():
    desk = Desk("x = \n")
    desk.change((4, 4, "1"))
    desk.tell(DocumentSaved(URI))
    desk.tell(DocumentClosed(desk.documents.get(URI)))
    assert [type(event) for event in desk.events] == [Open, Focus, Edit, Save, State, State, Close]
    assert [event.t for event in desk.events] == [10.0, 20.0, 20.0, 30.0, 30.0, 40.0, 40.0]


def test_the_end_is_a_checkpoint_of_what_was_changed_since_the_last():
    desk = Desk("x")
    assert desk.tell(ClientLeft()) == []
    desk.change((0, 0, "y"))
    assert [type(event) for event in desk.tell(ClientLeft())] == [State]


def test_a_long_stretch_of_edits_has_checkpoints():
    desk = Desk()
    for _ in range(2 * CHECK_EVERY):
        desk.change((0, 0, "x"))
    assert sum(isinstance(event, State) for event in desk.events) == 2


def test_a_document_that_is_not_admitted_leaves_no_event():
    desk = Desk(uri="file:///w/.env", admit=lambda uri: None)
    desk.change((0, 0, "KEY=1"), uri="file:///w/.env")
    desk.suggestion(1, 0, "more", uri="file:///w/.env")
    desk.tell(CompletionAccepted(1))
    desk.tell(CursorsMoved(desk.documents.get("file:///w/.env"), ((0, 0),)))
    desk.tell(DocumentSaved("file:///w/.env"))
    desk.tell(DocumentClosed(desk.documents.get("file:///w/.env")))
    desk.tell(ClientLeft())
    assert desk.events == []


def test_a_document_opened_again_keeps_its_number_and_one_opened_twice_is_closed_before():
    desk = Desk("one")
    assert [type(event) for event in desk.open("two")] == [State, Close, Open]
    assert {event.doc for event in desk.events} == {0}


def test_the_same_file_under_a_second_name_is_left_out():
    desk = Desk("one", admit=lambda uri: "a.py")
    assert desk.open("two", "file:///w/A.py") == []


def test_what_is_worked_on_has_the_focus_and_the_cursor_is_where_it_was_asked():
    desk = Desk("ab")
    desk.open("cd", "file:///w/b.py")
    (focus, select, ghost), _ = desk.suggestion(1, 2, "x()", uri="file:///w/b.py")
    assert (focus.doc, select.doc, select.ranges, ghost.offset) == (1, 1, ((2, 2),), 2)
    assert isinstance(desk.change((0, 0, "x"))[0], Focus)
    assert not any(isinstance(event, Focus) for event in desk.change((0, 0, "x")))


def test_a_selection_of_the_editor_is_told_once():
    desk = Desk("abc")
    document = desk.documents.get(URI)
    assert [type(event) for event in desk.tell(CursorsMoved(document, ((0, 2), (3, 3))))] == [Focus, Select]
    assert desk.tell(CursorsMoved(document, ((0, 2), (3, 3)))) == []


def test_offsets_are_utf16_also_behind_what_is_two_units():
    desk = Desk("😀 = ")
    _, shown = desk.suggestion(1, 5, "'😀😀'")
    edit, ghost = desk.change((5, 5, "'😀😀'"))[-2:]
    assert (shown[-1].offset, edit.changes, ghost.phase) == (5, ((5, 5, "'😀😀'"),), "accepted")
    assert desk.documents.get(URI) == Document(URI, "python", 2, "😀 = '😀😀'")


def test_a_hint_of_a_change_that_comes_to_nothing_says_nothing_of_the_next():
    desk = Desk("abc")
    desk.tell(ChangeReasonGiven(URI, "undo"))
    assert desk.change((0, 3, "abc")) == []
    assert [event.reason for event in desk.change((3, 3, "d")) if isinstance(event, Edit)] == ["type"]


def test_the_item_selected_in_the_editors_list_is_with_what_was_asked():
    desk = Desk("it\n")
    document = desk.documents.get(URI)
    desk.tell(CompletionRequested(1, document, 2, invoked=False, selected=(0, 2, "items")))
    desk.tell(CompletionRequested(2, document, 2, invoked=True))
    asked = [event for event in desk.events if isinstance(event, Ghost)]
    assert [(event.selected, event.trigger) for event in asked] == [((0, 2, "items"), "automatic"), (None, "invoked")]
