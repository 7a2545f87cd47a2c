"""Import of the recording of 92 minutes, and of the same with faults put in."""

import json
from collections import Counter
from itertools import pairwise

import pytest

from replay.errors import TapeError
from replay.importers.errors import RecordingError
from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes import tape as tapes
from replay.tapes.tape import verify
from tests.support.recorded_logs import log_of
from tests.support.recording_names import LONG


@pytest.fixture(scope="module")
def long_log(recording_file):
    return log_of(recording_file(LONG))


def save(folder, log, name="broken.recording.w.json"):
    path = folder / name
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def foreign(tape):
    return [event for event in tape.events if isinstance(event, tapes.Foreign)]


def test_every_change_applies_and_every_checkpoint_matches(recordings):
    imported = [import_recording(path) for path in recordings]
    assert len(imported) == 16
    assert sum(one.changes for one in imported) == 3526
    assert sum(one.checkpoints for one in imported) == 8


def test_a_written_tape_reads_back_and_plays_to_the_same_texts(long_session, tmp_path):
    tapes.write(long_session, tmp_path / "one.tape.jsonl")
    again = tapes.read(tmp_path / "one.tape.jsonl")
    assert (again.header, again.events) == (long_session.header, long_session.events)
    assert verify(again).finished() == verify(long_session).finished()


def test_the_long_recording_keeps_its_order_and_its_clocks(long_session, long_log):
    edits = [event for event in long_session.events if isinstance(event, tapes.Edit)]
    changes = [entry for entry in long_log if entry["kind"] == "changed"]
    assert [edit.t for edit in edits] == [entry["time"] - long_log[0]["time"] for entry in changes]
    times = [event.t for event in long_session.events]
    assert any(later < earlier for earlier, later in pairwise(times))
    assert min(times) == 0


def test_the_reasons_that_the_recording_names_are_kept(long_session):
    reasons = Counter(event.reason for event in long_session.events if isinstance(event, tapes.Edit))
    assert reasons["accept"] == 87
    assert reasons["format"] == 16 + 2, "two that the recording does not name"
    assert sum(reasons.values()) == 3247


def test_requests_answers_and_accepts_become_ghosts(long_session, long_log):
    ghosts = [event for event in long_session.events if isinstance(event, tapes.Ghost)]
    phases = Counter(ghost.phase for ghost in ghosts)
    assert phases["asked"] == 3033
    ends = [entry["data"] for entry in long_log if entry["kind"] == "event"]
    assert phases["cancelled"] == sum("error" in end for end in ends) == 1745
    assert phases["shown"] == sum("error" not in end and bool(end["result"]) for end in ends) == 1130
    assert phases["empty"] == sum("error" not in end and not end["result"] for end in ends) == 158
    assert phases["accepted"] + phases["part"] == 87
    shown = {ghost.request: ghost.text for ghost in ghosts if ghost.phase in {"shown", "cancelled"}}
    assert all(shown[ghost.request].startswith(ghost.text) for ghost in ghosts if ghost.phase == "part")
    accepted = [ghost for ghost in ghosts if ghost.phase == "accepted"]
    assert sum(shown[ghost.request] == ghost.text for ghost in accepted) >= 70


@pytest.mark.parametrize(("entry", "change"), [(8347, "content"), (10097, "contentId"), (218, "contentId")])
def test_a_checkpoint_that_no_longer_matches_is_refused_with_its_entry(entry, change, long_log, tmp_path):
    log = [*long_log]
    other = {"content": log[entry].get("content", "") + " ", "contentId": log[4]["contentId"]}[change]
    log[entry] = {**log[entry], change: other}
    path = save(tmp_path, log)
    with pytest.raises(RecordingError, match=f"entry {entry}: .*does not match") as refused:
        import_recording(path)
    assert str(refused.value).startswith(f"{path}: entry {entry}: ")
    assert isinstance(refused.value, TapeError)


def test_a_lost_change_is_noticed_at_the_first_place_that_shows_it(long_log, tmp_path):
    lost = next(i for i, entry in enumerate(long_log) if entry["kind"] == "changed" and entry["id"] == 17)
    with pytest.raises(RecordingError, match=r"entry \d+: "):
        import_recording(save(tmp_path, long_log[:lost] + long_log[lost + 1 :]))


def test_the_long_recording_says_how_it_is_tested(long_session):
    tests = long_session.header.tests
    assert (tests.toolchain, tests.command, tests.cwd) == ("node", "vitest run", "language-service-plugin")
    assert tests.requires == ("@types/node@20.17.19", "typescript@5.7.3", "vitest@1.6.1")


def test_what_the_person_asked_for_by_hand_is_told_from_what_came_by_itself(long_session, long_log):
    asked = [event for event in long_session.events if isinstance(event, tapes.Ghost) and event.phase == "asked"]
    starts = [entry["data"] for entry in long_log if entry.get("data", {}).get("kind") == "start"]
    invoked = [start["requestId"] for start in starts if start["context"]["triggerKind"] == 1]
    assert [ghost.request for ghost in asked if ghost.trigger == "invoked"] == invoked
    assert len(invoked) == 5


def test_only_what_the_tape_cannot_say_is_carried_along(long_session, long_log):
    carried = Counter(event.entry["kind"] for event in foreign(long_session))
    assert not carried["selectionChanged"]
    assert not carried["focused"]
    assert not carried["setContent"]
    recognised = Counter(event.reason for event in long_session.events if isinstance(event, tapes.Edit))
    others = recognised["agent"] + recognised["external"] + recognised["format"] - 16
    assert carried["changed"] - others < 3247 // 20, "an export gives a recognised change as it was: without a reason"
    assert carried["documentEvent"] < 3033 // 20
    assert carried["event"] == sum(bool(entry["data"]["result"]) for entry in long_log if entry["kind"] == "event")


def test_what_is_carried_tells_the_events_after_it_and_moves_no_clock(long_session):
    events = long_session.events
    assert isinstance(events[0], tapes.Foreign)
    for index, event in enumerate(events):
        if isinstance(event, tapes.Foreign):
            after = events[index + 1 : index + 1 + event.tells]
            assert len(after) == event.tells
            assert not any(isinstance(one, tapes.Foreign) for one in after)
            assert event.t == (after[0].t if after else events[index - 1].t if index else 0.0)
