"""Export of tapes as recordings: of those that were imported from one, and of our own."""

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.demo.bundled import demo_tapes
from replay.errors import TapeError
from replay.exporters.workspace_recording import recording_of
from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes import tape as tapes
from replay.tapes.tape import (
    Close,
    Edit,
    Embedded,
    Focus,
    Foreign,
    Ghost,
    Header,
    Open,
    Run,
    Save,
    Select,
    State,
    Tape,
    verify,
)
from syntax.text import length, splice
from tests.support.exported_recordings import again, strict
from tests.support.recording_names import BEGINNING, NAMES, SMALL
from tests.support.scale import examples
from tests.support.tapes import Typist

FORMAT = "workspaceRecording@1.0"
EPOCH = "1970-01-01T00:00:00.000+00:00"


def back(tape, folder):
    """What becomes of a tape that is exported and imported."""
    path = folder / "one.recording.w.json"
    path.write_bytes(recording_of(tape).encode())
    return import_recording(path).tape


def played(log):
    """Relative path → text as other readers of the format play a log; an independent one of few lines, for narrow text."""
    paths, texts = {}, {}
    for entry in log:
        match entry:
            case {"kind": "documentEncountered"}:
                paths[entry["id"]] = entry["relativePath"]
            case {"kind": "setContent"}:
                texts[paths[entry["id"]]] = entry["content"]
            case {"kind": "changed"}:
                text = texts[paths[entry["id"]]]
                for start, end, new in sorted(entry["edit"], reverse=True):
                    text = text[:start] + new + text[end:]
                texts[paths[entry["id"]]] = text
    return texts


def tape_of(*events, created="2026-01-01T10:00:00+02:00", **members):
    header = Header(tape=1, id="own", editor="vim", origin="recorded", workspace=Embedded(), created=created, **members)
    return Tape(header, (Open(0, 0, "a.py", "python", "x = 1\n"), *events))


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:24])
def test_a_recording_comes_back_entry_for_entry(name, recording_file, tmp_path):
    path = recording_file(name)
    original, exported = json.loads(path.read_bytes()), json.loads(again(path.read_bytes(), tmp_path))
    assert len(exported["log"]) == len(original["log"])
    assert all(strict(one) == strict(other) for one, other in zip(exported["log"], original["log"], strict=True))
    assert strict(exported) == strict(original)


@pytest.mark.parametrize("name", SMALL, ids=lambda name: name[:24])
def test_unknown_members_kinds_and_a_file_of_lines_come_back(name, recording_file, tmp_path):
    path = recording_file(name)
    log = json.loads(path.read_bytes())["log"]
    odd = [{**entry, "odd": [1.0, {"": None}]} if number % 3 == 0 else entry for number, entry in enumerate(log)]
    for at in range(len(odd), 0, -5):
        odd.insert(at, {"kind": "teleported", "time": -at, "to": ["é😀", 2**70]})
    lines = b"".join(json.dumps(entry).encode() + b"\n" for entry in odd)
    exported = [json.loads(line) for line in again(lines, tmp_path).splitlines()]
    assert strict(exported) == strict(odd)
    whole = {"nextUserEdit": None, "log": odd, "more": {"a": 1}}
    assert strict(json.loads(again(json.dumps(whole).encode(), tmp_path))) == strict(whole)


@pytest.mark.parametrize("name", SMALL, ids=lambda name: name[:24])
def test_other_clocks_and_versions_come_back(name, recording_file, tmp_path):
    path = recording_file(name)
    log = json.loads(path.read_bytes())["log"]
    for number, entry in enumerate(log):
        if "time" in entry:
            entry["time"] += (0, 0.5, 0.123, 0.1234567, 0.0)[number % 5]
        if "v" in entry and number % 4 == 0:
            entry["v"] = (None, -1, 10**12)[number % 3]
    assert strict(json.loads(again(json.dumps({"log": log}).encode(), tmp_path))["log"]) == strict(log)


def test_times_of_part_of_a_millisecond_need_nothing_carried(recording_file, tmp_path):
    path = recording_file("DeclaringConstructorArgument.recording.w.json")
    log = json.loads(path.read_bytes())["log"]
    for number, entry in enumerate(log[1:]):
        entry["time"] += (number % 7 + 1) / 8
    changed = tmp_path / "one.json"
    changed.write_text(json.dumps({"log": log}), encoding="utf-8")
    assert import_recording(changed).carried == import_recording(path).carried


def test_most_entries_of_a_recording_are_told_by_events(recording_file, tmp_path):
    path = recording_file(BEGINNING)
    imported = import_recording(path)
    tapes.write(imported.tape, tmp_path / "one.tape.jsonl")
    assert imported.carried < 0.24 * len(json.loads(path.read_bytes())["log"])
    assert (tmp_path / "one.tape.jsonl").stat().st_size < 1.1 * path.stat().st_size


@pytest.mark.parametrize("name", SMALL, ids=lambda name: name[:24])
def test_a_tape_that_was_changed_since_its_import_gives_what_is_on_it_now(name, recording_file, tmp_path):
    path = recording_file(name)
    tape = import_recording(path).tape
    last = max(index for index, event in enumerate(tape.events) if isinstance(event, Edit))
    cut = Tape(tape.header, tuple(event for index, event in enumerate(tape.events) if index != last))
    log = recording_of(cut).log
    entries = Counter(entry["kind"] for entry in log)
    assert entries["changed"] == sum(isinstance(event, Edit) for event in cut.events)
    again = back(cut, tmp_path)
    assert verify(again).finished() == verify(cut).finished() != verify(tape).finished()


@pytest.mark.parametrize("path", demo_tapes(), ids=lambda path: path.name)
def test_a_bundled_tape_comes_back_as_it_was(path, tmp_path):
    tape = tapes.read(path)
    exported = back(tape, tmp_path)
    assert exported.events == tape.events
    assert exported.header == tape.header


@pytest.mark.parametrize("path", demo_tapes(), ids=lambda path: path.name)
def test_other_readers_can_play_what_was_exported(path):
    tape = tapes.read(path)
    log = json.loads(recording_of(tape).encode())["log"]
    assert log[0]["kind"] == "header"
    assert (log[0]["documentType"], set(log[0])) == (FORMAT, {"kind", "documentType", "repoRootUri", "time", "uuid"})
    assert played(log) == verify(tape).finished()
    counts = Counter(entry["kind"] for entry in log)
    for kind, event in (("changed", Edit), ("selectionChanged", Select), ("focused", Focus), ("closed", Close)):
        assert counts[kind] == sum(isinstance(one, event) for one in tape.events)
    versions = [entry["v"] for entry in log if entry["kind"] == "changed" and entry["id"] == 1]
    assert versions == list(range(2, len(versions) + 2))


def test_every_kind_of_event_comes_back(tmp_path):
    tape = tape_of(
        Focus(0, 0),
        Select(3, 0, ((2, 5), (6, 6))),
        Edit(10.125, 0, ((0, 1, "yy"),), "type"),
        Edit(11, 0, ((0, 2, ""),), "delete"),
        Edit(12, 0, (), None),
        *(Edit(13, 0, ((0, 0, "some text"),), reason) for reason in (None, "type", "paste", "delete", "undo", "redo")),
        *(Edit(14, 0, ((0, 0, "x"),), reason) for reason in (None, "accept", "format", "agent", "external")),
        Ghost(15, 0, 1, "asked", 6),
        Ghost(16, 0, 1, "shown", 3, "ghost\n", 1.25),
        Ghost(17, 0, 1, "rejected", 3, "ghost\n"),
        Ghost(18, 0, 2, "asked", 99, trigger="invoked"),
        Ghost(18, 0, 4, "asked", 6, selected=(4, 6, "text_of")),
        Ghost(19, 0, 3, "ignored"),
        Run(20, "pytest", 3, 1, 1),
        Save(21, 0),
        Close(22, 0),
        Open(23, 0, "a.py", "jython", "other"),
        Open(24, 1, "outside-workspace/b.py", "python", ""),
        State(25, 0, tapes.digest("other")),
        Foreign(26, "crowd-code", {"row": 1}, tells=1),
        Save(26, 0),
        Select(1e-9, 0, ()),
        carried={"crowd-code": {"version": 2}},
    )
    exported = back(tape, tmp_path)
    assert exported.events == tape.events
    assert exported.header == tape.header


def test_an_accepted_answer_is_told_by_the_formats_own_entries(tmp_path):
    tape = tape_of(
        Select(1, 0, ((6, 6),)),
        Ghost(2, 0, 7, "asked", 6, trigger="invoked"),
        Ghost(9, 0, 7, "shown", 6, "y = 2", 7, "invoked"),
        Edit(20, 0, ((6, 6, "y = 2"),), "accept"),
        Ghost(20, 0, 7, "accepted", 6, "y = 2", trigger="invoked"),
        Select(21, 0, ((11, 11),)),
    )
    log = recording_of(tape).log
    told = [(entry["kind"], entry.get("data", {}).get("sourceId")) for entry in log[4:]]
    assert told == [
        ("selectionChanged", None),
        ("documentEvent", "InlineCompletions.fetch"),
        ("event", "InlineCompletions.fetch"),
        ("changed", None),
        ("selectionChanged", None),
        ("documentEvent", "TextModel.setChangeReason"),
    ]
    assert log[5]["data"] == {
        "sourceId": "InlineCompletions.fetch", "kind": "start", "requestId": 7, "context": {"triggerKind": 1}, "v": 1,
    }  # fmt: skip
    assert log[6]["data"]["result"] == [
        {"range": "[2,1 -> 2,1]", "text": "y = 2", "isInlineEdit": False, "source": "ghosttape"}
    ]
    assert log[9]["data"] == {"sourceId": "TextModel.setChangeReason", "source": "inlineSuggestion.accept", "v": 2}
    assert back(tape, tmp_path).events == tape.events


def test_what_the_format_cannot_say_is_carried_before_what_it_can(tmp_path):
    tape = Tape(tape_of().header, (Open(5, 0, "a.txt", "python", "x"), Run(6, "make", 1, 0, 0)))
    time = 1767254400000
    assert recording_of(tape).log[2:] == (
        {
            "kind": "event",
            "time": time + 5,
            "data": {
                "sourceId": "ghosttape",
                "event": {"event": "open", "t": 5, "doc": 0, "path": "a.txt", "language": "python", "text": "x"},
                "entries": 2,
            },
        },
        {"kind": "documentEncountered", "id": 0, "time": time + 5, "relativePath": "a.txt"},
        {"kind": "setContent", "id": 0, "time": time + 5, "content": "x", "v": 1},
        {
            "kind": "event",
            "time": time + 6,
            "data": {
                "sourceId": "ghosttape",
                "event": {"event": "run", "t": 6, "command": "make", "passed": 1, "failed": 0, "exit": 0},
            },
        },
    )
    assert back(tape, tmp_path).events == tape.events


@pytest.mark.parametrize(
    "created", ["2026-01-01", "2026-01-01T00:00:00.123456", "some day", "", "1969-12-31T23:59:59Z"]
)
def test_any_date_of_a_tape_comes_back(created, tmp_path):
    tape = tape_of(Edit(10.1, 0, ((0, 0, "y"),), "type"), created=created)
    exported = back(tape, tmp_path)
    assert (exported.header, exported.events) == (tape.header, tape.events)
    assert "event" not in {entry["kind"] for entry in recording_of(tape).log[2:]}


def test_an_export_that_was_changed_by_hand_comes_back_as_it_is_then(tmp_path):
    log = json.loads(recording_of(tape_of(Save(1, 0), Edit(2, 0, ((0, 0, "y"),), "agent"))).encode())["log"]
    log[0]["repoRootUri"] = "file:///elsewhere"
    log[4]["data"]["note"] = "mine"
    del log[5]
    log[5]["data"]["source"] = "ghosttape.undo"
    assert strict(json.loads(again(json.dumps({"log": log}).encode(), tmp_path))["log"]) == strict(log)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"event": {"event": "teleport", "t": 1}}, "teleport"),
        ({"event": {"event": "save", "t": 1, "doc": 9}}, "document 9, which is not open"),
        ({"event": {"event": "save", "t": 1, "doc": 0}, "entries": -1}, "entries"),
        ({"header": {"tape": 2}}, "header"),
    ],
)
def test_carried_events_that_cannot_be_true_are_refused(data, reason, tmp_path):
    log = json.loads(recording_of(tape_of()).encode())["log"]
    log.append({"kind": "event", "time": 0, "data": {"sourceId": "ghosttape", **data}})
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    with pytest.raises(TapeError, match=f"entry 4: .*{reason}"):
        import_recording(path)


def test_a_tape_that_cannot_be_true_is_not_exported():
    with pytest.raises(TapeError, match=r"own:3: a\.py: edit .* lies outside"):
        recording_of(Tape(tape_of().header, tape_of(Edit(1, 0, ((99, 99, "x"),))).events, "own"))


def test_a_header_that_carries_no_file_is_refused():
    with pytest.raises(TapeError, match=r"<memory>:1: carried workspaceRecording@1\.0: .*lines"):
        recording_of(tape_of(carried={FORMAT: {"lines": "no"}}))


@pytest.mark.parametrize(
    "entry", [None, [], {}, {"kind": "changed"}, {"kind": "storeContent", "id": 0, "time": 0, "contentId": ""}]
)
def test_a_carried_entry_that_cannot_stand_there_is_left_out(entry):
    tape = tape_of(Foreign(0, FORMAT, entry), Focus(1, 0))
    assert recording_of(tape).dropped == 1
    assert [entry["kind"] for entry in recording_of(tape).log[2:]] == ["documentEncountered", "setContent", "focused"]


def test_a_typed_tape_needs_no_entries_of_ours_but_its_header():
    tape = Typist(gap=81.5).type("def f():\n    return '😀'\n").select(3).checkpoint().tape()
    own = [entry for entry in recording_of(tape).log if entry["kind"] == "event"]
    assert [sorted(entry["data"]) for entry in own] == [["header", "sourceId"]]


TEXTS = st.text(st.sampled_from("ab(\n\r\t é😀"), max_size=6)
TIMES = st.one_of(st.integers(0, 10**7), st.floats(0, 1e7, allow_subnormal=False))
REASONS = st.sampled_from([None, "type", "paste", "delete", "accept", "undo", "redo", "format", "agent", "external"])
PHASES = st.sampled_from(["asked", "shown", "accepted", "part", "rejected", "ignored"])


@st.composite
def sessions(draw):
    """A tape of any events that can have happened, in up to three documents."""
    texts, shown, events = {}, set(), []
    for _ in range(draw(st.integers(1, 14))):
        t, doc = draw(TIMES), draw(st.integers(0, 2))
        if doc not in shown:
            again = (
                texts.get(doc, "").encode(errors="ignore").decode()
            )  # a half of a pair can be left, but not be on a tape
            texts[doc] = draw(st.one_of(st.just(again), TEXTS))
            shown.add(doc)
            language = draw(st.sampled_from(["python", "plaintext"]))
            events.append(Open(t, doc, f"d{doc}.py", language, texts[doc]))
            continue
        size = length(texts[doc])
        ends = sorted(
            draw(st.lists(st.integers(0, size), min_size=2, max_size=4).filter(lambda one: len(one) % 2 == 0))
        )
        kind = draw(st.sampled_from([Edit, Edit, Edit, Ghost, Ghost, Select, State, Save, Focus, Close, Run]))
        if kind is Edit:
            changes = tuple((start, end, draw(TEXTS)) for start, end in zip(ends[::2], ends[1::2], strict=True))
            texts[doc] = splice(texts[doc], changes)
            events.append(Edit(t, doc, changes, draw(REASONS)))
        elif kind is Ghost:
            trigger = draw(st.sampled_from(["automatic", "invoked"]))
            events.append(Ghost(t, doc, draw(st.integers(0, 2)), draw(PHASES), ends[0], draw(TEXTS), 0.5, trigger))
        elif kind is Select:
            events.append(Select(t, doc, ((ends[0], ends[1]),)))
        elif kind is State:
            events.append(State(t, doc, tapes.digest(texts[doc])))
        elif kind is Run:
            events.append(Run(t, "make", 1, 2, 3))
        else:
            events.append(kind(t, doc))
            shown -= {doc} if kind is Close else set()
    return Tape(tape_of(created=draw(st.sampled_from([EPOCH, "2026-01-01"]))).header, tuple(events))


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sessions())
def test_any_session_comes_back_and_so_does_its_recording(tmp_path, tape):
    exported = recording_of(tape)
    imported = back(tape, tmp_path)
    assert imported.events == tape.events
    assert imported.header == tape.header
    assert json.loads(recording_of(imported).encode()) == json.loads(exported.encode())
