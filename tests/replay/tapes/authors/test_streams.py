"""Streams of agents and edits of formatters, told from what a person does. The real session was labelled by hand, entry by entry."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes.authors.streams import marked, numbers, recognised
from replay.tapes.tape import Edit, Open, Select, read, verify
from replay.tapes.timeline import Timeline
from syntax.text import length
from tests.support.places import DEMO
from tests.support.recorded_logs import log_of
from tests.support.recording_names import BEGINNING, SMALL
from tests.support.scale import examples
from tests.support.tapes import Typist
from tests.support.unsigned_tapes import agents, stream, without_reasons, written_between

BY_THE_AGENT = [(2005, 2191), (2192, 2217)]
"""First and last entries of the streams in the log of the real session: a helper file and a test line by line."""


@pytest.fixture(scope="module")
def labelled(recording_file, recorded_session):
    """A real session, with the indices of the events that an agent made, by the labels."""
    return recorded_session, written_between(recorded_session, log_of(recording_file(BEGINNING)), BY_THE_AGENT)


def test_what_was_replaced_in_several_documents_of_a_real_session_is_another_programs(labelled):
    """A replacement in all files, the imports of three files sorted in the same millisecond, and a name replaced again."""
    tape, _ = labelled
    found = [event for event in tape.events if getattr(event, "reason", "") == "external"]
    assert [event.t for event in found] == [23232, 24271, 25322, 26378, 27422, 28464, 28464, 28464, 35197]


def test_an_import_marks_the_streams_of_a_real_session_and_nothing_else(labelled):
    tape, expected = labelled
    assert {index for index, event in enumerate(tape.events) if getattr(event, "reason", "") == "agent"} == expected
    assert len(expected) > 200


def test_a_tape_that_was_imported_before_is_recognised_when_it_is_loaded(labelled):
    tape, expected = labelled
    old = without_reasons(tape)
    found = {index for index, event in enumerate(Timeline(old).tape.events) if getattr(event, "reason", "") == "agent"}
    assert found == expected


def test_what_is_marked_is_not_recognised_again(labelled):
    tape, _ = labelled
    again = marked(without_reasons(tape))
    assert agents(again) == set()
    assert marked(again) == again


def test_formats_accepts_and_snippets_of_a_real_session_stay_a_persons_without_their_reasons(labelled):
    tape, _ = labelled
    found = recognised(without_reasons(tape).events)
    named = {
        index for index, event in enumerate(tape.events) if getattr(event, "reason", "") in {"accept", "format", "type"}
    }
    assert {index for index in named & set(found) if found[index] == "agent"} == set()
    formats = {index for index, reason in found.items() if reason == "format"}
    assert formats == {index for index in formats if tape.events[index].reason == "format"}, "no other is taken for one"


@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_recognised_in_the_other_recordings(recording_file, name):
    assert recognised(without_reasons(import_recording(recording_file(name)).tape).events) == {}


@pytest.mark.parametrize(("name", "renamed"), [("ledger", {9}), ("router", {7, 8})])
def test_only_names_that_were_replaced_in_other_documents_are_recognised_in_the_bundled_tapes(name, renamed):
    tape = without_reasons(read(DEMO / f"{name}.tape.jsonl"))
    assert recognised(tape.events) == dict.fromkeys(renamed, "external")


WORDS = ["const", " total", " =", " price", " +", " tax;", "\n", "return", " total;"]


def test_words_that_follow_within_a_frame_are_an_agents():
    typist = Typist().type("let")
    typist.t += 100
    written = stream(typist, WORDS)
    typist.type("x")
    assert agents(typist.tape()) == written


def test_a_stream_waits_for_the_model_while_the_cursor_stays():
    typist = Typist()
    written = stream(typist, WORDS)
    typist.t += numbers().agent.pause - 33
    written |= stream(typist, ["// done"])
    assert agents(typist.tape()) == written


def test_a_stream_does_not_go_on_behind_a_move_of_the_cursor_or_a_longer_pause():
    for moves in (True, False):
        typist = Typist(text="x\n")
        written = stream(typist, WORDS)
        typist.t += numbers().agent.pause if not moves else 100
        if moves:
            typist.select(1, gap=0)
        stream(typist, ["// a paste"])
        assert agents(typist.tape()) == written


def test_a_cursor_that_the_edits_carry_along_does_not_move():
    typist = Typist().select(0)
    written = set()
    for word in WORDS:
        written |= stream(typist, [word], gap=100 if word == "return" else 20)
        typist.select(length(typist.text), gap=0)
    assert agents(typist.tape()) == written


def test_keys_elsewhere_are_the_persons_while_an_agent_writes():
    typist = Typist(text="\n" * 9)
    written, at, keys = set(), 9, set()
    for word in WORDS:
        written |= stream(typist, [word], at=at, gap=17)
        keys.add(len(typist.events))
        typist.edit((0, 0, "k"), gap=5)
        at += length(word) + 1
    assert agents(typist.tape()) == written
    assert not written & keys


def test_fewer_edits_are_enough_where_several_documents_are_written_at_once():
    few = numbers().agent.edits_in_several
    for documents, expected in ((1, 0), (2, 2 * few)):
        typist = Typist()
        typist.events.append(Open(0.0, 1, "b.py", "python", ""))
        for number in range(few):
            for doc in range(documents):
                typist.t += 15
                at = 5 * number
                typist.events.append(Edit(typist.t, doc, ((at, at, f"w{number}{doc}; "),), None))
        assert len(agents(typist.tape())) == expected


def test_a_clock_that_stands_still_shows_no_rate():
    typist = Typist(gap=0.0)
    stream(typist, WORDS, gap=0.0)
    assert agents(typist.tape()) == set()


def test_a_formatter_changes_white_space_alone_in_several_places():
    typist = Typist(text="if x:\n\ty = 1\n\tz  = 2\n\tw =  3\n")
    typist.edit((6, 7, "    "), (15, 17, " "), (25, 27, " "), reason=None)
    assert recognised(typist.tape().events) == {2: "format"}


def test_an_edit_that_takes_code_away_in_several_places_is_no_formatters():
    typist = Typist(text="a b c d")
    typist.edit((0, 1, " "), (2, 3, ""), (4, 5, " "), reason=None)
    assert recognised(typist.tape().events) == {}


def test_an_edit_without_a_reason_in_a_document_without_the_focus_is_another_programs():
    typist = Typist()
    typist.events.append(Open(0.0, 1, "b.py", "python", "old = 1\n"))
    typist.events.append(Edit(50.0, 1, ((0, 3, "new"),), None))
    typist.edit((0, 0, "pasted()\n"), reason=None)
    assert recognised(typist.tape().events) == {3: "external"}


def test_where_nothing_says_what_has_the_focus_nothing_is_another_programs():
    typist = Typist()
    typist.events[1] = Open(0.0, 1, "b.py", "python", "old = 1\n")
    typist.events.append(Edit(50.0, 1, ((0, 3, "new"),), None))
    assert recognised(typist.tape().events) == {}


LINES = st.text("abc =+;()\n\t", min_size=2, max_size=30)


@st.composite
def people(draw):
    """A session of a person, as a recorder writes it that knows no reasons: with or without reports of the cursor."""
    typist, reports = Typist(text="start\n" * 3), draw(st.booleans())
    for _ in range(draw(st.integers(1, 12))):
        _act(draw, typist, reports)
    return without_reasons(typist.tape())


def _act(draw, typist, reports):
    """One thing that a person does. Each begins a person's reaction after the one before."""
    size = length(typist.text)
    at = draw(st.integers(0, size))
    typist.t += draw(st.floats(100, 3000))
    if reports:
        typist.select(at, gap=0)
    what = draw(st.sampled_from(["keys", "paste", "held paste", "accepts", "undo", "save", "replace"]))
    if what == "keys":
        for char in draw(st.text("abc \n(", max_size=20)):
            typist.edit((at, at, char), gap=draw(st.floats(2, 300)))
            at += 1
    elif what == "paste":
        typist.edit((at, at, draw(LINES)), gap=0)
    elif what == "held paste":
        text = draw(LINES)
        for _ in range(draw(st.integers(1, 12))):
            typist.edit((at, at, text), gap=33)
            at += length(text)
    elif what == "accepts":
        for _ in range(draw(st.integers(1, 4))):
            text = draw(LINES)
            typist.edit((at, at, text), gap=draw(st.floats(100, 400)))
            at += length(text)
    elif what == "undo":
        _hold_undo(draw, typist)
    elif what == "save":
        for _ in range(draw(st.integers(1, 5))):
            size = length(typist.text)
            start = draw(st.integers(0, size))
            typist.edit((start, draw(st.integers(start, size)), draw(LINES)), gap=draw(st.floats(0, 30)))
    else:
        typist.edit((0, length(typist.text), draw(LINES)), gap=0)


def _hold_undo(draw, typist):
    """Put back the texts from before the last edits, one after the other, and forth again, at the rate of a held key."""
    texts = [typist.events[0].text]
    for event in typist.events:
        if isinstance(event, Edit):
            texts.append(Typist(text=texts[-1]).edit(*event.changes).text)
    steps = draw(st.integers(1, 10))
    back = texts[-2 : -2 - steps : -1]
    for text in [*back, *(reversed(back[:-1]) if draw(st.booleans()) else [])]:
        typist.edit(_difference(typist.text, text), gap=33)


def _difference(before, after):
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return head, len(before) - tail, after[head : len(after) - tail]


@given(people())
def test_nothing_that_a_person_does_becomes_an_agents(tape):
    verify(tape)
    assert agents(tape) == set()


WRITTEN = st.text("abcdef", min_size=2, max_size=9).filter(lambda word: len(set(word)) > 1)
"""Words that no single key writes."""


@given(people(), st.lists(WRITTEN, min_size=8, max_size=40, unique=True), st.data())
@settings(max_examples=examples(50))
def test_a_stream_within_a_persons_session_is_found_and_nothing_else(before, words, data):
    typist = Typist()
    typist.events, typist.t = list(before.events), before.events[-1].t + 5000
    typist.text = verify(before).texts[0]
    written = stream(typist, words, at=data.draw(st.integers(0, length(typist.text))), gap=data.draw(st.floats(1, 50)))
    typist.t += 5000
    for _ in range(data.draw(st.integers(0, 4))):
        _act(data.draw, typist, data.draw(st.booleans()))
    tape = without_reasons(typist.tape())
    assert agents(tape) == written
    assert {index for index, event in enumerate(marked(tape).events) if isinstance(event, Select)} == {
        index for index, event in enumerate(tape.events) if isinstance(event, Select)
    }
