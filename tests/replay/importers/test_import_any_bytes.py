"""No input ends an import in anything but tapes or a refusal that names the file and the reason."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import tarfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replay.errors import ReplayError
from replay.importers.formats import AUTO, FORMATS
from replay.importers.import_batch import import_many

SCALE = int(os.environ.get("GHOSTTAPE_TEST_SCALE", "1"))
ROWS = [
    "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type",
    '1,0,"a.py",0,0,"x = 1\\n",python,tab',
    '2,5,"a.py",0,0,"",python,selection_mouse',
    '3,9,"a.py",1,0,"é😀",python,content',
    '4,9,"a.py",0,1,"",python,content',
    '5,20,"TERMINAL",0,0,"pytest",,terminal_command',
    '6,30,"TERMINAL",0,0,"1 passed in 0.1s",,terminal_output',
    '7,40,"",0,0,"",,git_branch_checkout',
    '8,50,"a.py",0,0,"x",python,tab',
]
CROWD = ("\n".join(ROWS) + "\n").encode()
MAIN = [
    "EventID,SubjectID,EventType,Order,ClientTimestamp,CodeStateID,CodeStateSection,SourceLocation,InsertText,DeleteText",
    "1,S,File.Create,1,2020-01-01T00:00:00,,a.py,,,",
    '2,S,File.Edit,2,2020-01-01T00:00:01,,a.py,0,"x = ""1""\n",',
    "3,S,File.Edit,3,2020-01-01T00:00:02,,a.py,Text:5,,1",
    "4,S,Submit,4,1577836803,1,,,,",
    "5,S,Run.Test,5,1577836804,2,,,,",
    "6,T,X-FileInit,1,0,,b.py,0,y,",
]
TABLE = ("\n".join(MAIN) + "\n").encode()
STATES = b'CodeStateID,Code\n1,"x\ny"\n2,z\n'
METADATA = b"Property,Value\nVersion,6\nCodeStateRepresentation,Table\n"
LOG = [
    {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 5, "uuid": "u"},
    {"kind": "documentEncountered", "id": 0, "time": 6, "relativePath": "src/a.py"},
    {"kind": "setContent", "id": 0, "time": 6, "v": 1, "content": "é😀\r\n"},
    {"kind": "selectionChanged", "id": 0, "time": 7, "selection": [[0, 1]]},
    {"kind": "documentEvent", "id": 0, "time": 7, "data": {"sourceId": "InlineCompletions.fetch", "kind": "start", "requestId": 1}},
    {"kind": "event", "time": 8, "data": {"sourceId": "InlineCompletions.fetch", "kind": "end", "requestId": 1, "durationMs": 1, "result": [{"text": "a", "range": "[1,1 -> 1,1]"}]}},
    {"kind": "changed", "id": 0, "time": 9, "edit": [[0, 1, "xy"]], "v": 2},
    {"kind": "documentEvent", "id": 0, "time": 9, "data": {"sourceId": "TextModel.setChangeReason", "source": "inlineSuggestion.accept", "v": 2}},
    {"kind": "storeContent", "id": 0, "time": 9, "contentId": "1RMUaAnGJ6u80NFz8FHHlVBY"},
    {"kind": "closed", "id": 0, "time": 10},
]  # fmt: skip
CHUNK = {
    "version": "2.0",
    "sessionId": "s",
    "startTime": 1.7e12,
    "chunkIndex": 0,
    "events": [
        {"sequence": 0, "timestamp": 1.7e12, "type": "workspace_snapshot", "snapshotId": "snapshot_000"},
        {"sequence": 1, "timestamp": 1.7e12, "type": "action", "action": {"kind": "tab_switch", "file": "a.py"}},
        {"sequence": 2, "timestamp": 1.7e12, "type": "observation", "observation": {"viewport": {"file": "a.py", "startLine": 1, "content": "x\ny"}, "activeTerminal": {"viewport": ["$ pytest"]}}},
        {"sequence": 3, "timestamp": 1.7e12, "type": "action", "action": {"kind": "edit", "file": "a.py", "diff": {"rangeOffset": 1, "rangeLength": 0, "text": "é"}}},
        {"sequence": 4, "timestamp": 1.7e12, "type": "action", "action": {"kind": "selection", "file": "a.py", "selectionStart": {"line": 0, "character": 0}, "selectionEnd": {"line": 1, "character": 9}}},
        {"sequence": 5, "timestamp": 1.7e12, "type": "action", "action": {"kind": "file_change", "file": "b.py", "source": "agent", "changeType": "create", "diff": "@@ -0,0 +1,1 @@\n+x\n"}},
        {"sequence": 6, "timestamp": 1.7e12, "type": "action", "action": {"kind": "terminal_command", "command": "pytest"}},
    ],
}  # fmt: skip


def log(entries):
    return json.dumps({"log": entries}).encode()


def packed(files):
    """A tar archive, packed with gzip."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


SNAPSHOT = json.dumps({"/home/me/p/a.py": "x\ny\nz", "/home/me/p/c.py": "c"}).encode()
CHUNKS = json.dumps(CHUNK).encode()
SAMPLES = {
    "table": {"source.csv": CROWD},
    "recording": {"r.w.json": log(LOG)},
    "lines": {"r.jsonl": b"\n".join(json.dumps(entry).encode() for entry in LOG)},
    "chunk": {"chunk_000.json": CHUNKS},
    "chunks": {"s/chunk_000.json": CHUNKS, "s/snapshots/snapshot_000.json": SNAPSHOT},
    "packed": {"s/source_part_000.tar.gz": packed({"chunk_000.json": CHUNKS, "snapshots/snapshot_000.json": SNAPSHOT})},
    "dataset": {"d/MainTable.csv": TABLE, "d/CodeStates/CodeStates.csv": STATES, "d/DatasetMetadata.csv": METADATA},
    "nothing": {"x": b"a\rb\n"},
}
"""Small inputs of each format; the last is of none."""
TOKENS = [
    b"\r",
    b"\n",
    b'"',
    b'""',
    b",",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"-1",
    b"1e999",
    b"9" * 30,
    b"NaN",
    b"null",
    b"{}",
    b"[]",
]
TOKENS += [b"Text:0", b"\\ud83d", b"\\u0000", b"../..", b"/", b"", b"\xed\xa0\xbd", b";", b"\t", b"[" * 2000]
ODD = st.sampled_from(
    [None, True, -1, 0, 2**31, 2**64, 10**40, 1e308, 0.5, "", "\0", "../..", "\ud83d", "é", [], {}, [[]], "x" * 300]
)


def replaced(value, draw):
    """A JSON value with one of its parts replaced by another value, left out, or given twice."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 3)) == 0:
            return {name: each for name, each in value.items() if name != key}
        return value | {key: replaced(value[key], draw)}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], *([value[at]] * draw(st.integers(0, 1))), replaced(value[at], draw), *value[at + 1 :]]
    return draw(ODD)


def bent(content, draw):
    """A file's bytes, changed in a few places, or its JSON in one of its values, or its encoding."""
    kind = draw(st.integers(0, 4))
    if kind == 0:
        encoding = draw(st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "latin-1"]))
        return content.decode("utf-8", "replace").encode(encoding, "replace")
    if kind == 1 and content[:1] in {b"{", b"["}:
        try:
            return json.dumps(replaced(json.loads(content), draw)).encode()
        except ValueError:
            pass
    if kind == 2 and b"," in content[:200] and content[:1] not in {b"{", b"\x1f"}:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
        row = draw(st.sampled_from(rows))
        row[draw(st.integers(0, len(row) - 1))] = draw(st.sampled_from(TOKENS)).decode("latin-1")
        made = io.StringIO(newline="")
        csv.writer(made, lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"]))).writerows(rows)
        return made.getvalue().encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 20, 10**6])))
        content = content[:start] + draw(st.sampled_from(TOKENS)) + content[end:]
    return gzip.compress(content) if draw(st.integers(0, 20)) == 0 else content


def laid_out(folder, files):
    """The files in a folder; returns the input that an import is given."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    first = folder / next(iter(files))
    return first if first.parent == folder else folder / next(iter(files)).partition("/")[0]


def outcome(path, out, form=AUTO):
    """The number of tapes that an input becomes; or the refusal."""
    try:
        return import_many([path], out, form).tapes
    except ReplayError as error:
        return str(error)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "nothing"])
def test_the_samples_are_tapes(name, tmp_path):
    assert outcome(laid_out(tmp_path, SAMPLES[name]), tmp_path / "out") == (2 if name == "dataset" else 1)


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=15 * SCALE, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_recording_that_is_bent_is_imported_or_refused_by_name(name, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bent")
    files = dict(SAMPLES[name])
    chosen = data.draw(st.sampled_from(sorted(files)))
    files[chosen] = bent(files[chosen], data.draw)
    path = laid_out(folder, files)
    form = data.draw(st.sampled_from([AUTO, AUTO, *(each.name for each in FORMATS)]))
    found = outcome(path, folder / "out", form)
    assert isinstance(found, int) or str(path) in found or found.startswith("snapshot"), found


@settings(max_examples=15 * SCALE, suppress_health_check=[HealthCheck.too_slow])
@given(content=st.binary(max_size=300), form=st.sampled_from([AUTO, *(each.name for each in FORMATS)]))
def test_random_bytes_are_refused_by_name(content, form, tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    path = laid_out(folder, {"x": content})
    assert str(path) in str(outcome(path, folder / "out", form))


@pytest.mark.parametrize("number", range(1, len(CHUNK["events"])))
def test_half_of_a_surrogate_pair_in_the_name_of_a_member_is_refused_or_passed_over(number, tmp_path):
    """Found by fuzzing the importer of chunks: two edits in a row are looked at together, before each is read."""
    events = [dict(event) for event in CHUNK["events"]]
    kind = "action" if "action" in events[number] else "observation"
    odd = events[number] | {kind: {"x\ud83d": 1, **events[number][kind]}}
    chunk = json.dumps(CHUNK | {"events": [*events[:number], odd, odd, *events[number + 1 :]]}).encode()
    path = laid_out(tmp_path, {"chunk_000.json": chunk})
    found = outcome(path, tmp_path / "out")
    assert isinstance(found, int) or str(path) in found
