"""crowd-code 2.0 chunks become tapes."""

import gzip
import json
import shutil
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.importers.crowd.crowd_chunks import Known, chunks_name, created, hunks, import_chunks, patched, seen
from replay.importers.errors import RecordingError
from replay.tapes.tape import Close, Edit, Focus, Foreign, Open, Run, Select
from tests.support.random_sessions import histories, replayed, sessions
from tests.support.scale import examples

START = 1_700_000_000_000


class Recorder:
    """Writes chunks as the extension does; every call is one event, 10 ms after the last."""

    def __init__(self):
        self.events, self.t = [], START

    def add(self, kind, **members):
        self.t += members.pop("gap", 10)
        self.events.append({"sequence": len(self.events) + 1, "timestamp": self.t, "type": kind, **members})
        return self

    def act(self, kind, **members):
        gap = members.pop("gap", 10)
        return self.add("action", action={"kind": kind, "source": "user", **members}, gap=gap)

    def tab(self, file, **members):
        return self.act("tab_switch", file=file, previousFile=None, **members)

    def see(self, file, content, start=1, terminal=None):
        end = start + content.count("\n")
        window = {"file": file, "startLine": start, "endLine": end, "content": content, "cursorPosition": None}
        return self.add("observation", observation={"viewport": window, "activeTerminal": terminal})

    def edit(self, file, at, length, text, **members):
        return self.act("edit", file=file, diff={"rangeOffset": at, "rangeLength": length, "text": text}, **members)

    def change(self, file, kind, diff, source="agent"):
        return self.add(
            "action", action={"kind": "file_change", "source": source, "file": file, "changeType": kind, "diff": diff}
        )

    def chunk(self, index=0, events=None, **members):
        head = {"version": "2.0", "sessionId": "s-1", "startTime": START, "chunkIndex": index}
        return {**head, "events": self.events if events is None else events, **members}

    def write(self, folder):
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "chunk_000.json").write_text(json.dumps(self.chunk()), encoding="utf-8")
        return folder


@pytest.fixture
def recorder():
    return Recorder()


def played(recorder, tmp_path):
    return import_chunks(recorder.write(tmp_path / "session"))


def kinds(tape):
    return [type(event) for event in tape.events]


def test_a_document_seen_from_its_first_line_is_told_event_by_event(recorder, tmp_path):
    recorder.tab("a.py").see("a.py", "é = 1\n")
    recorder.edit("a.py", 6, 0, "😀").see("a.py", "é = 1\n😀")
    recorder.edit("a.py", 6, 2, "", reason="undo").see("a.py", "é = 1\n")
    place = {"line": 0, "character": 4}
    recorder.act(
        "selection", file="a.py", selectionStart=place, selectionEnd={**place, "character": 5}, selectedText="1"
    )
    result = played(recorder, tmp_path)
    assert kinds(result.tape) == [Foreign, Open, Focus, Edit, Edit, Select]
    assert [event.reason for event in result.tape.events if isinstance(event, Edit)] == ["type", "undo"]
    assert result.tape.events[-1].ranges == ((4, 5),)
    assert replayed(result.tape) == {"a.py": ["é = 1\n", "é = 1\n😀", "é = 1\n"]}
    assert (result.changes, result.checkpoints, result.resynchronised) == (2, 2, 0)
    header = result.tape.header
    assert (header.origin, header.id) == ("imported:crowd-code@2", "session")
    assert (header.created, header.carried) == ("2023-11-14T22:13:20.000+00:00", {"sessionId": "s-1"})


def test_a_document_grows_as_more_of_it_is_seen(recorder, tmp_path):
    recorder.see("a.py", "1\n2\n3").edit("a.py", 0, 1, "one")
    recorder.see("a.py", "2\n3\n4\n5", start=2).edit("a.py", 10, 0, "!")
    result = played(recorder, tmp_path)
    assert replayed(result.tape)["a.py"] == ["1\n2\n3", "one\n2\n3", "one\n2\n3\n4\n5", "one\n2\n3\n4\n!5"]
    assert result.resynchronised == 0


def test_what_happens_beyond_the_known_part_is_carried(recorder, tmp_path):
    recorder.see("a.py", "1\n2").see("a.py", "90\n91", start=90).edit("a.py", 400, 0, "x").edit("a.py", 0, 1, "I")
    result = played(recorder, tmp_path)
    assert kinds(result.tape) == [Open, Focus, Foreign, Edit]
    assert result.tape.events[2].entry == recorder.events[2]
    assert replayed(result.tape)["a.py"][-1] == "I\n2"


def test_a_window_sets_right_what_was_missed_and_keeps_what_goes_on_below(recorder, tmp_path):
    recorder.see("a.py", "a\nb\nc\nd\ne").see("a.py", "b\nnew\nlines\nc", start=2).see("a.py", "e", start=7)
    result = played(recorder, tmp_path)
    assert replayed(result.tape)["a.py"] == ["a\nb\nc\nd\ne", "a\nb\nnew\nlines\nc\nd\ne"]
    assert [event.reason for event in result.tape.events if isinstance(event, Edit)] == ["external"]
    assert (result.resynchronised, result.checkpoints) == (1, 1)


def test_a_file_that_is_made_and_patched_is_known_whole(recorder, tmp_path):
    made = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,3 @@\n+a\n+b\n+c\n\\ No newline at end of file\n"
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+b2\n c\n\\ No newline at end of file\n"
    recorder.change("a.py", "create", made, "unknown").change("a.py", "change", patch).change(
        "a.py", "delete", patch, "git"
    )
    result = played(recorder, tmp_path)
    assert replayed(result.tape)["a.py"] == ["a\nb\nc", "a\nB\nb2\nc"]
    assert kinds(result.tape) == [Open, Edit, Close]
    assert result.tape.events[1].reason == "agent"


def test_a_patch_that_does_not_fit_is_carried(recorder, tmp_path):
    recorder.see("a.py", "a\nb\n").change("a.py", "change", "@@ -1,1 +1,1 @@\n-x\n+y\n").change("b.py", "change", None)
    result = played(recorder, tmp_path)
    assert kinds(result.tape) == [Open, Focus, Foreign, Foreign]
    assert replayed(result.tape)["a.py"] == ["a\nb\n"]


def test_a_snapshot_gives_whole_texts_and_the_rest_of_the_project(recorder, tmp_path):
    recorder.see("src/a.py", "a = 1\nb = 2").add("workspace_snapshot", snapshotId="snapshot_001")
    recorder.edit("src/a.py", 18, 0, "!").tab("src/b.py").edit("src/b.py", 0, 0, "x")
    folder = recorder.write(tmp_path / "session")
    (folder / "snapshots").mkdir()
    files = {"src/a.py": "a = 1\nb = 2\nc = 3\n", "src/b.py": "b\n", "test_a.py": "def test_a(): pass\n"}
    absolute = {f"/elsewhere/project/{name}": text for name, text in files.items()}
    (folder / "snapshots" / "snapshot_001.json").write_text(json.dumps(absolute), encoding="utf-8")
    result = import_chunks(folder)
    assert replayed(result.tape) == {
        "src/a.py": ["a = 1\nb = 2", files["src/a.py"], files["src/a.py"] + "!"],
        "src/b.py": ["b\n", "xb\n"],
    }
    assert result.tape.header.workspace.files == {"test_a.py": "def test_a(): pass\n"}
    assert result.tape.header.tests.toolchain == "python"


def test_a_test_run_is_told_by_what_the_terminal_shows(recorder, tmp_path):
    def terminal(*lines):
        return {"id": "terminal-1", "name": "bash", "viewport": ["$ ls", "9 passed in 1s", "$ pytest", *lines]}

    recorder.act("terminal_command", terminalId="terminal-1", terminalName="bash", command="pytest")
    for lines in ([".F"], [".F"], [".F", "1 failed, 1 passed in 0.1s", ""]):
        recorder.add("observation", observation={"viewport": None, "activeTerminal": terminal(*lines)})
    result = played(recorder, tmp_path)
    assert kinds(result.tape) == [Foreign, Foreign, Foreign, Run]
    assert (result.tape.events[-1].passed, result.tape.events[-1].failed) == (1, 1)
    assert [event.tells for event in result.tape.events[:3]] == [0, 0, 1]


def test_events_that_nobody_knows_are_carried_whole(recorder, tmp_path):
    recorder.add("dream", dream="x").act("scroll", file="a.py").see("extension-output-x", "log")
    result = played(recorder, tmp_path)
    assert kinds(result.tape) == [Foreign, Foreign]
    assert result.tape.events[0].entry == recorder.events[0]


def test_chunks_are_played_in_the_order_of_their_numbers_loose_or_packed(recorder, tmp_path):
    recorder.see("a.md", "").edit("a.md", 0, 0, "a").edit("a.md", 1, 0, "b").edit("a.md", 2, 0, "c")
    folder, packed = tmp_path / "session", tmp_path / "packed"
    for place in (folder / "snapshots", packed):
        place.mkdir(parents=True)
    for index, events in enumerate((recorder.events[:1], recorder.events[1:2], recorder.events[2:])):
        content = json.dumps(recorder.chunk(index, events)).encode()
        (folder / f"chunk_{index:03}.json").write_bytes(content)
    (folder / "snapshots" / "snapshot_001.json").write_text("{}", encoding="utf-8")
    for number, names in enumerate((["chunk_000.json", "chunk_001.json"], ["chunk_002.json", "snapshots"]), 1):
        with tarfile.open(packed / f"source_part_{number:03}.tar.gz", "w:gz") as part:
            for name in names:
                part.add(folder / name, name)
    shutil.copy(folder / "chunk_001.json", packed)  # kept beside what was uploaded
    squeezed = tmp_path / "crowd-code-s-1_chunk_000.json.gz"
    squeezed.write_bytes(gzip.compress(json.dumps(recorder.chunk()).encode()))
    for path in (folder, packed, squeezed):
        assert replayed(import_chunks(path).tape) == {"a.md": ["", "a", "ab", "abc"]}
    assert chunks_name(squeezed) == "crowd-code-s-1_chunk_000"
    assert chunks_name(folder / "chunk_001.json") == "session-chunk_001"


def test_one_chunk_is_played_alone(recorder, tmp_path):
    folder = tmp_path / "session"
    recorder.see("a.md", "x").write(folder)
    (folder / "chunk_001.json").write_text("not JSON", encoding="utf-8")
    assert replayed(import_chunks(folder / "chunk_000.json").tape) == {"a.md": ["x"]}


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({"index": 2}, r"chunk_001\.json: is chunk 2 where chunk 1 should follow"),
        ({"sessionId": "s-2"}, r"chunk_001\.json: belongs to another recording than the chunk before"),
        ({"version": "3.0"}, r"chunk_001\.json: is of version '3\.0', and only 2\.0"),
        ({"events": [{"sequence": 1}]}, r"chunk_001\.json: event 0: .*missing required field `timestamp`"),
        (
            {"events": [{"sequence": 1, "timestamp": 0, "type": "x"}]},
            r"chunk_001\.json: event 0: has sequence 1 after 1",
        ),
        ({"startTime": 1e18}, r"chunk_001\.json: is not a crowd-code 2\.0 file: Expected `float` < "),
        ({"startTime": "x"}, r"chunk_001\.json: is not a crowd-code 2\.0 file: Expected `float`"),
    ],
)
def test_chunks_that_cannot_follow_are_refused(recorder, tmp_path, second, reason):
    folder = recorder.see("a.md", "x").write(tmp_path / "session")
    chunk = recorder.chunk(second.pop("index", 1), second.pop("events", []), **second)
    (folder / "chunk_001.json").write_text(json.dumps(chunk), encoding="utf-8")
    with pytest.raises(RecordingError, match=reason):
        import_chunks(folder)


def test_a_malformed_action_is_refused_by_event(recorder, tmp_path):
    recorder.see("a.md", "x").edit("a.md", -1, 0, "y")
    with pytest.raises(RecordingError, match=r"chunk_000\.json: event 1: Expected `int` >= 0"):
        played(recorder, tmp_path)


def test_a_folder_without_chunks_is_refused(tmp_path):
    with pytest.raises(RecordingError, match=r"holds no chunk \(chunk_NNN\.json\)"):
        import_chunks(tmp_path)


@pytest.mark.parametrize(
    ("old", "patch", "new"),
    [
        ("a\n", "@@ -1,1 +1,2 @@\n a\n+b\n", "a\nb\n"),
        ("a\n", "@@ -1,1 +0,0 @@\n-a\n", ""),
        ("", "@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n", "a"),
        ("a", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"),
        ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nc\r\n"),
        ("1\n2\n3\n4\n", "@@ -1,1 +1,2 @@\n+0\n 1\n@@ -4,1 +5,0 @@\n-4\n", "0\n1\n2\n3\n"),
        ("-a\n", "@@ -1,1 +1,1 @@\n--a\n++b\n", "+b\n"),
        ("b\n", "@@ -1,1 +1,1 @@\n-a\n+c\n", None),
    ],
)
def test_patches_change_lines_where_they_stand(old, patch, new):
    assert patched(old, hunks(patch)) == new
    assert created(patch) == (new if old == "" else None)


def test_lines_that_are_not_joined_to_the_known_part_tell_nothing():
    assert seen(None, 3, "x") is None
    assert seen(Known("a\nb", whole=False), 3, "x") is None
    assert seen(Known("a\nb", whole=False), 2, "x") == Known("a\nb\nx", whole=False)
    assert seen(Known("a\nb\nc", whole=True), 0, "a\nx") == Known("a\nx", whole=False)


def recorded(steps, draw):
    """What the extension writes: after each action what is seen then, first all of a document and later a window of it."""
    recorder, whole = Recorder(), set()
    for step in steps:
        lines = step.text.split("\r\n" if "\r\n" in step.text else "\n")
        if step.kind == "tab":
            recorder.tab(step.file)
        for start, end, text in step.changes if step.kind == "edit" else ():
            recorder.edit(step.file, start, end - start, text, gap=0)
        first = draw(st.integers(0, len(lines) - 1)) if step.file in whole else 0
        last = draw(st.integers(first + 1, len(lines))) if step.file in whole else len(lines)
        whole.add(step.file)
        recorder.see(step.file, ("\r\n" if "\r\n" in step.text else "\n").join(lines[first:last]), start=first + 1)
    return recorder


@given(steps=sessions(), data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_any_session_holds_the_same_documents_at_every_step(tmp_path_factory, steps, data):
    result = played(recorded(steps, data.draw), tmp_path_factory.mktemp("chunks"))
    assert replayed(result.tape) == histories(steps)
    assert result.resynchronised == 0
    assert sum(isinstance(event, Focus) for event in result.tape.events) >= 1
