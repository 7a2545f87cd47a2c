"""Streams of agents and edits of formatters in the recording of 92 minutes, which was labelled by hand, entry by entry."""

import pytest

from replay.tapes.authors.streams import marked, recognised
from replay.tapes.timeline import Timeline
from tests.support.recorded_logs import log_of
from tests.support.recording_names import LONG
from tests.support.unsigned_tapes import agents, without_reasons, written_between

BY_THE_AGENT = [(2005, 2191), (2192, 2217), (4614, 4750), (11131, 11283)]
"""First and last entries of the streams in the log of the long recording: a helper file and a test line by line, two functions word by word."""


@pytest.fixture(scope="module")
def labelled(recording_file, long_session):
    """The long recording, with the indices of the events that an agent made, by the labels."""
    return long_session, written_between(long_session, log_of(recording_file(LONG)), BY_THE_AGENT)


def test_what_was_replaced_in_several_documents_of_the_long_recording_is_another_programs(labelled):
    """A replacement in all files, the imports of three files sorted in the same millisecond, and a name replaced again."""
    tape, _ = labelled
    found = [event for event in tape.events if getattr(event, "reason", "") == "external"]
    assert [event.t for event in found] == [23232, 24271, 25322, 26378, 27422, 28464, 28464, 28464, 35197]


def test_an_import_marks_the_streams_of_the_long_recording_and_nothing_else(labelled):
    tape, expected = labelled
    assert {index for index, event in enumerate(tape.events) if getattr(event, "reason", "") == "agent"} == expected
    assert len(expected) == 466


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


def test_formats_accepts_and_snippets_of_the_long_recording_stay_a_persons_without_their_reasons(labelled):
    tape, _ = labelled
    found = recognised(without_reasons(tape).events)
    named = {
        index for index, event in enumerate(tape.events) if getattr(event, "reason", "") in {"accept", "format", "type"}
    }
    assert {index for index in named & set(found) if found[index] == "agent"} == set()
    formats = {index for index, reason in found.items() if reason == "format"}
    assert formats == {index for index in formats if tape.events[index].reason == "format"}, "no other is taken for one"
    assert len(formats) == 5
