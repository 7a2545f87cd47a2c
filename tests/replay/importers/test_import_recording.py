"""Import of real recordings, and of the same with faults put in."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from replay.errors import TapeError
from replay.importers.building.paths import path_on_tape
from replay.importers.errors import RecordingError
from replay.importers.workspace_recording.recording_import import import_recording, tape_name
from replay.tapes import tape as tapes
from replay.tapes.tape import verify
from tests.support.recorded_logs import counted, ends_of, log_of, sources_of
from tests.support.recording_names import BEGINNING, NAMES


@pytest.fixture(scope="module")
def session_log(recording_file):
    return log_of(recording_file(BEGINNING))


def save(folder, log, name="broken.recording.w.json"):
    path = folder / name
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def recording(*entries):
    header = {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 1000, "uuid": "u"}
    return [header, *entries]


def opened(path="a.py", text="x = 1\n", number=0):
    return [
        {"kind": "documentEncountered", "id": number, "time": 1000, "relativePath": path},
        {"kind": "setContent", "id": number, "time": 1000, "content": text, "v": 1},
    ]


def changed(*edit, v=2, time=1100):
    return {"kind": "changed", "id": 0, "time": time, "edit": [list(one) for one in edit], "v": v}


def told(tape):
    """The events of a tape without what is only carried along."""
    return [event for event in tape.events if not isinstance(event, tapes.Foreign)]


def foreign(tape):
    return [event for event in tape.events if isinstance(event, tapes.Foreign)]


def test_every_change_applies_and_every_checkpoint_matches(recording_file):
    paths = [recording_file(name) for name in NAMES]
    imported = [import_recording(path) for path in paths]
    assert [(one.changes, one.checkpoints) for one in imported] == [counted([path]) for path in paths]
    assert sum(one.checkpoints for one in imported) > 0


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:24])
def test_a_written_tape_reads_back_and_plays_to_the_same_texts(name, recording_file, tmp_path):
    tape = import_recording(recording_file(name)).tape
    tapes.write(tape, tmp_path / "one.tape.jsonl")
    again = tapes.read(tmp_path / "one.tape.jsonl")
    assert (again.header, again.events) == (tape.header, tape.events)
    assert verify(again).finished() == verify(tape).finished()


def test_a_session_keeps_its_order_and_its_clocks(recorded_session, session_log):
    edits = [event for event in recorded_session.events if isinstance(event, tapes.Edit)]
    changes = [entry for entry in session_log if entry["kind"] == "changed"]
    assert [edit.t for edit in edits] == [entry["time"] - session_log[0]["time"] for entry in changes]
    times = [event.t for event in recorded_session.events]
    assert any(later < earlier for earlier, later in pairwise(times))
    assert min(times) == 0


def test_the_reasons_that_the_recording_names_are_kept(recorded_session, session_log):
    reasons = Counter(event.reason for event in recorded_session.events if isinstance(event, tapes.Edit))
    named = sources_of(session_log)
    assert reasons["accept"] == named["inlineSuggestion.accept"] > 0
    assert reasons["format"] == named["formatEditsCommand"] > 0
    assert sum(reasons.values()) == sum(entry["kind"] == "changed" for entry in session_log)


def test_requests_answers_and_accepts_become_ghosts(recorded_session, session_log):
    ghosts = [event for event in recorded_session.events if isinstance(event, tapes.Ghost)]
    phases, ends = Counter(ghost.phase for ghost in ghosts), ends_of(session_log)
    assert phases["asked"] == len(ends)
    assert phases["cancelled"] == sum("error" in end for end in ends) > 0
    assert phases["shown"] == sum("error" not in end and bool(end["result"]) for end in ends) > 0
    assert phases["empty"] == sum("error" not in end and not end["result"] for end in ends) > 0
    assert phases["accepted"] + phases["part"] == sources_of(session_log)["inlineSuggestion.accept"]
    shown = {ghost.request: ghost.text for ghost in ghosts if ghost.phase in {"shown", "cancelled"}}
    accepted = [ghost for ghost in ghosts if ghost.phase == "accepted"]
    assert sum(shown[ghost.request] == ghost.text for ghost in accepted) >= 0.8 * len(accepted) > 0


def test_an_answers_offset_is_where_its_new_text_begins(recorded_session):
    events = recorded_session.events
    ghosts = {(event.request, event.phase): event for event in events if isinstance(event, tapes.Ghost)}
    shown = ghosts[138, "shown"]
    assert (shown.offset, shown.text, shown.latency) == (16, "decorateLanguageService(", 9)
    assert ghosts[138, "asked"].offset == 16


def test_a_recording_says_how_it_is_tested(recorded_session):
    tests = recorded_session.header.tests
    assert (tests.toolchain, tests.command, tests.cwd) == ("node", "vitest run", "language-service-plugin")
    assert tests.requires == ("@types/node@20.17.19", "typescript@5.7.3", "vitest@1.6.1")


def test_a_cursor_beside_what_was_typed_is_not_needed_to_replay_a_slice(recording_file):
    slice_of_one = import_recording(recording_file("1-point.ts__recording.w.json")).tape
    assert slice_of_one.header.id == "1-point.ts"
    assert slice_of_one.header.origin == "imported:workspaceRecording@1.0"
    opened, edit = told(slice_of_one)
    assert (opened.path, opened.language) == ("1-individualFiles/1-point.ts", "typescript")
    assert isinstance(edit, tapes.Edit)


@pytest.mark.parametrize("entry", [218, 1786])
def test_a_checkpoint_that_no_longer_matches_is_refused_with_its_entry(entry, session_log, tmp_path):
    log = [*session_log]
    assert log[entry]["kind"] == "restoreContent"
    log[entry] = {**log[entry], "contentId": log[4]["contentId"]}
    path = save(tmp_path, log)
    with pytest.raises(RecordingError, match=f"entry {entry}: .*does not match") as refused:
        import_recording(path)
    assert str(refused.value).startswith(f"{path}: entry {entry}: ")
    assert isinstance(refused.value, TapeError)


def test_a_checkpoint_with_other_content_is_refused_with_its_entry(tmp_path):
    again = {"kind": "setContent", "id": 0, "time": 1200, "content": "x = 2\n", "v": 2}
    with pytest.raises(RecordingError, match=r"entry 4: .*does not match"):
        import_recording(save(tmp_path, recording(*opened(), changed((0, 0, "y")), again)))


def test_a_lost_change_is_noticed_at_the_first_place_that_shows_it(session_log, tmp_path):
    lost = next(i for i, entry in enumerate(session_log) if entry["kind"] == "changed" and entry["id"] == 22)
    with pytest.raises(RecordingError, match=r"entry \d+: "):
        import_recording(save(tmp_path, session_log[:lost] + session_log[lost + 1 :]))


def test_an_edit_outside_its_document_is_refused_with_its_entry(session_log, tmp_path):
    log = [*session_log]
    log[20] = {**log[20], "edit": [[9_000, 9_001, ""]]}
    with pytest.raises(RecordingError, match=r"entry 20: package\.json: edit \[9000, 9001\] lies outside"):
        import_recording(save(tmp_path, log))


def test_a_cut_file_is_refused(recording_file, tmp_path):
    path = tmp_path / "cut.recording.w.json"
    path.write_bytes(recording_file(BEGINNING).read_bytes()[:-3000])
    with pytest.raises(RecordingError, match=r"cut\.recording\.w\.json: is no workspaceRecording@1\.0"):
        import_recording(path)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"kind": "changed", "id": 0, "time": 1, "edit": [[0, "1", ""]]}, "Expected `int`"),
        ({"kind": 7, "time": 1}, "Expected `str`, got `int` - at `\\$.kind`"),
        ({"time": 1}, "missing required field `kind`"),
        ({"kind": "bookmark"}, "missing required field `time`"),
        ({"kind": "changed", "id": 7, "time": 1, "edit": [[0, 0, "x"]]}, "document 7 is not open"),
        ({"kind": "setContent", "id": 7, "time": 1, "content": ""}, "before a documentEncountered"),
        ({"kind": "restoreContent", "id": 0, "time": 1, "contentId": "gone"}, "never stored"),
        ({"kind": "storeContent", "id": 0, "time": 1, "contentId": "wrong"}, "content wrong is stored"),
        ({"kind": "selectionChanged", "id": 7, "time": 1, "selection": [[0, 0]]}, "not open"),
        (
            {"kind": "documentEncountered", "id": 1, "time": 1, "relativePath": "."},
            "path '.' names the workspace",
        ),
        ({"kind": "documentEncountered", "id": 1, "time": 1, "relativePath": ".\\."}, "names the workspace itself"),
        (["not", "an", "object"], "Expected `object`"),
        ({"kind": "selectionChanged", "id": 0, "time": 1, "selection": [[-1, 0]]}, "Expected `int` >= 0"),
        ({"kind": "changed", "id": 0, "time": 1, "edit": [[0, -1, ""]]}, "Expected `int` >= 0"),
        ({"kind": "documentEncountered", "id": 1, "time": 1, "relativePath": "../.."}, "a folder above it"),
    ],
)
def test_an_impossible_entry_is_refused_with_its_number(entry, reason, tmp_path):
    with pytest.raises(RecordingError, match=f"entry 3: .*{reason}"):
        import_recording(save(tmp_path, recording(*opened(), entry)))


def test_another_version_of_the_format_is_refused(tmp_path):
    log = recording()
    log[0]["documentType"] = "workspaceRecording@2.0"
    with pytest.raises(RecordingError, match=r"workspaceRecording@2\.0"):
        import_recording(save(tmp_path, log))


@pytest.mark.parametrize("content", ["", "{}", "[]", "not json", '{"log": []}', "\xff"])
def test_what_is_no_recording_is_refused(content, tmp_path):
    path = tmp_path / "no.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(RecordingError, match="is no workspaceRecording"):
        import_recording(path)


def test_the_editors_own_log_with_one_entry_a_line_is_read_too(tmp_path):
    path = tmp_path / "own.workspaceRecording.jsonl"
    lines = recording(*opened(), changed((0, 0, "y")))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    imported = import_recording(path)
    assert imported.changes == 1
    assert imported.tape.header.id == "own"


def test_a_log_of_one_line_is_a_log_and_an_object_with_a_log_is_none(tmp_path):
    path = tmp_path / "own.workspaceRecording.jsonl"
    path.write_text(json.dumps(recording()[0]), encoding="utf-8")
    assert import_recording(path).tape.header.carried == {"workspaceRecording@1.0": {"lines": True}}
    path.write_text(json.dumps({"kind": "mine", "log": recording()}), encoding="utf-8")
    assert import_recording(path).tape.header.carried == {"workspaceRecording@1.0": {"members": {"kind": "mine"}}}


def test_the_reason_comes_after_its_change_and_belongs_to_the_same_version(tmp_path):
    why = {"sourceId": "TextModel.setChangeReason", "source": "inlineSuggestion.accept", "v": 2}
    log = recording(
        *opened(text=""),
        changed((0, 0, "print(1)\n")),
        changed((9, 9, "y"), v=3),
        {"kind": "documentEvent", "id": 0, "time": 1, "data": {**why, "source": "formatEditsCommand", "v": 3}},
        {"kind": "documentEvent", "id": 0, "time": 1, "data": why},
    )
    tape = import_recording(save(tmp_path, log)).tape
    assert [event.reason for event in tape.events if isinstance(event, tapes.Edit)] == ["accept", "format"]


def test_a_reason_that_accepts_nothing_offers_no_ghost(tmp_path):
    why = {"sourceId": "TextModel.setChangeReason", "source": "inlineSuggestion.accept", "v": 2}
    log = recording(*opened(), changed(), {"kind": "documentEvent", "id": 0, "time": 1100, "data": why})
    assert [type(event) for event in told(import_recording(save(tmp_path, log)).tape)] == [tapes.Open, tapes.Edit]


def test_only_what_the_tape_cannot_say_is_carried_along(recorded_session, session_log):
    carried = Counter(event.entry["kind"] for event in foreign(recorded_session))
    kinds = Counter(entry["kind"] for entry in session_log)
    assert not carried["selectionChanged"]
    assert not carried["focused"]
    assert not carried["setContent"]
    recognised = Counter(event.reason for event in recorded_session.events if isinstance(event, tapes.Edit))
    formats = recognised["format"] - sources_of(session_log)["formatEditsCommand"]
    others = recognised["agent"] + recognised["external"] + formats
    assert carried["changed"] - others < kinds["changed"] // 20, (
        "an export gives a recognised change as it was: without a reason"
    )
    assert carried["documentEvent"] < kinds["documentEvent"] // 20
    assert carried["event"] == sum(bool(end["result"]) for end in ends_of(session_log))


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:24])
def test_what_is_carried_tells_the_events_after_it_and_moves_no_clock(name, recording_file):
    events = import_recording(recording_file(name)).tape.events
    assert isinstance(events[0], tapes.Foreign)
    for index, event in enumerate(events):
        if isinstance(event, tapes.Foreign):
            after = events[index + 1 : index + 1 + event.tells]
            assert len(after) == event.tells
            assert not any(isinstance(one, tapes.Foreign) for one in after)
            assert event.t == (after[0].t if after else events[index - 1].t if index else 0.0)


@pytest.mark.parametrize(
    "entry", [{"kind": "teleported", "time": 1}, {"kind": "x", "time": "?"}, {"kind": "y", "id": []}]
)
def test_an_entry_of_an_unknown_kind_is_carried_along(entry, tmp_path):
    tape = import_recording(save(tmp_path, recording(*opened(), entry, changed((0, 0, "y"))))).tape
    assert foreign(tape)[-1] == tapes.Foreign(0.0, "workspaceRecording@1.0", entry)
    assert [type(event) for event in told(tape)] == [tapes.Open, tapes.Edit]
    assert tape.header.created == "1970-01-01T00:00:01.000+00:00"


def test_times_count_from_the_earliest_entry_even_if_it_is_not_the_first(tmp_path):
    tape = import_recording(save(tmp_path, recording(*opened(), changed((0, 0, "y"), time=400)))).tape
    assert [event.t for event in told(tape)] == [600, 0]
    assert tape.header.created == "1970-01-01T00:00:00.400+00:00"


def test_times_below_a_millisecond_are_kept(tmp_path):
    log = recording(*opened(), changed((0, 0, "y"), time=1000.25), changed((0, 0, "z"), v=3, time=999.9))
    tape = import_recording(save(tmp_path, log)).tape
    assert tape.header.created == "1970-01-01T00:00:00.999+00:00"
    assert [event.t for event in told(tape)] == [1, 1.25, 0.9]


@pytest.mark.parametrize("time", [1e18, -1e15])
def test_a_time_of_no_calendar_is_refused(time, tmp_path):
    with pytest.raises(RecordingError, match=r"is outside the calendar"):
        import_recording(save(tmp_path, [{**entry, "time": time} for entry in recording(*opened())]))


def test_a_document_that_was_closed_may_come_back_with_other_content(tmp_path):
    log = recording(
        *opened(text="one"),
        {"kind": "closed", "id": 0, "time": 1001},
        {"kind": "setContent", "id": 0, "time": 1002, "content": "two", "v": 1},
        {"kind": "applicationStart", "time": 1003},
        {"kind": "opened", "id": 0, "time": 1004},
        changed((3, 3, "!")),
    )
    imported = import_recording(save(tmp_path, log))
    assert verify(imported.tape).finished() == {"a.py": "two!"}
    assert imported.checkpoints == 0


def test_offsets_are_utf_16_and_edits_of_one_entry_are_against_the_text_before_it(tmp_path):
    log = recording(*opened(text="a😀b\r\nc"), changed((1, 3, "é"), (6, 6, "😀"), (3, 4, "")))
    assert verify(import_recording(save(tmp_path, log)).tape).finished() == {"a.py": "aé\r\n😀c"}


@pytest.mark.parametrize(
    ("recorded", "on_tape"),
    [
        ("src\\vs\\a.ts", "src/vs/a.ts"),
        ("../../../../Users/me/a.ts", "outside-workspace/up-4/Users/me/a.ts"),
        ("..\\b.ts", "outside-workspace/up-1/b.ts"),
        ("/home/me/a.ts", "outside-workspace/home/me/a.ts"),
        ("C:\\code\\a.ts", "outside-workspace/C/code/a.ts"),
        ("src/../../a.ts", "outside-workspace/up-1/a.ts"),
        ("src/../lib/./a.ts", "lib/a.ts"),
        ("/home/../a.ts", "outside-workspace/a.ts"),
        ("./a.ts", "a.ts"),
    ],
)
def test_every_path_stays_inside_the_project(recorded, on_tape, tmp_path):
    assert path_on_tape(recorded) == on_tape
    tape = import_recording(save(tmp_path, recording(*opened(recorded)))).tape
    assert told(tape)[0].path == on_tape


def test_a_notebooks_language_is_that_of_its_cells(tmp_path):
    text = "#%% vscode.cell [id=#VSC-1] [language=python]\nx = 1"
    tape = import_recording(save(tmp_path, recording(*opened("n.ipynb", text)))).tape
    assert told(tape)[0].language == "python"


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ([(0, 0, "x")], "type"),
        ([(0, 0, "()")], "type"),
        ([(0, 0, "\r\n    ")], "type"),
        ([(0, 0, "x"), (1, 1, "x")], "type"),
        ([(0, 1, ")")], "type"),
        ([(0, 2, "")], "delete"),
        ([(0, 0, "several words")], None),
        ([(0, 2, "x")], None),
        ([], None),
    ],
)
def test_a_change_without_a_reason_gets_one_only_where_it_is_certain(edit, reason, tmp_path):
    tape = import_recording(save(tmp_path, recording(*opened(), changed(*edit)))).tape
    assert tape.events[-1].reason == reason


def test_a_tape_is_named_after_its_recording():
    assert tape_name(Path("x/1-point.ts__recording.w.json")) == "1-point.ts"
    assert tape_name(Path("A.test1.recording.w.json")) == "A.test1"
    assert tape_name(Path("plain.json")) == "plain"
