import gzip
import json

import msgspec
import pytest

from replay.documents import verify
from replay.errors import TapeError
from replay.tape import Close, Edit, Header, Open, Run, Tape, find, read, write

HEADER = {
    "tape": 1,
    "id": "x",
    "editor": "vscode",
    "origin": "recorded",
    "workspace": {"type": "embedded", "files": {}},
    "created": "2026-01-01",
}
OPEN = {"event": "open", "t": 0, "doc": 0, "path": "a.py", "language": "python", "text": "a😀b\r\n"}


def lines(path, *values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_a_tape_survives_being_written_and_read(tmp_path):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, {"event": "edit", "t": 5, "doc": 0, "changes": [[1, 3, "é"]]})
    tape = read(path)
    write(tape, tmp_path / "y.tape.jsonl")
    again = read(tmp_path / "y.tape.jsonl")
    assert (again.header, again.events) == (tape.header, tape.events)
    assert not list(tmp_path.glob("*.part"))


def test_a_compressed_tape_is_read_too(tmp_path):
    plain = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN)
    packed = tmp_path / "x.tape.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(packed).events == read(plain).events


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"event": "edit", "t": 1, "doc": 0, "changes": [[4, 99, ""]]}, "lies outside its document"),
        ({"event": "edit", "t": 1, "doc": 7, "changes": []}, "edit in document 7, which is not open"),
        ({"event": "state", "t": 1, "doc": 0, "sha256": "00"}, "checkpoint does not match"),
        ({"event": "open", "t": 1, "doc": 0, "path": "a.py", "language": "python", "text": ""}, "opened twice"),
        (
            {"event": "open", "t": 1, "doc": 1, "path": "a.py", "language": "python", "text": ""},
            "already open as another",
        ),
        (
            {"event": "open", "t": 1, "doc": 1, "path": "../a.py", "language": "x", "text": ""},
            "stay inside the project",
        ),
        ({"event": "open", "t": 1, "doc": 1, "path": "/etc/x", "language": "x", "text": ""}, "stay inside the project"),
        ({"event": "select", "t": 1, "doc": 0, "ranges": [[-5, 0]]}, ">= 0"),
        ({"event": "dance", "t": 1}, "dance"),
        ({"event": "edit", "t": 1, "doc": 0, "changes": [[0, 0]]}, "length 3"),
        ({"event": "focus", "t": 1, "doc": 0, "colour": "red"}, "colour"),
    ],
)
def test_an_impossible_event_is_refused_with_file_line_and_reason(tmp_path, event, reason):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, event)
    with pytest.raises(TapeError, match=reason) as refused:
        read(path)
    assert refused.value.line == 3
    assert str(refused.value).startswith(f"{path}:3: ")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\n", b'{"tape": 2}\n'])
def test_a_file_without_a_header_is_refused(tmp_path, content):
    path = tmp_path / "x.tape.jsonl"
    path.write_bytes(content)
    with pytest.raises(TapeError) as refused:
        read(path)
    assert refused.value.line == 1


def test_a_cut_off_archive_is_refused(tmp_path):
    path = tmp_path / "x.tape.jsonl.gz"
    path.write_bytes(gzip.compress(lines(tmp_path / "x", HEADER, OPEN).read_bytes())[:-20])
    with pytest.raises(TapeError, match="cannot be read to its end"):
        read(path)


def test_a_missing_tape_and_an_empty_folder_are_told_apart(tmp_path):
    with pytest.raises(TapeError, match="no such file or folder"):
        find([tmp_path / "none"])
    with pytest.raises(TapeError, match="holds no tape"):
        find([tmp_path])


def test_a_document_can_be_closed_and_opened_again_with_other_text():
    events = (
        Open(0, 0, "a.py", "python", "x"),
        Close(1, 0),
        Open(2, 0, "a.py", "python", "y"),
        Edit(3, 0, ((1, 1, "z"),)),
        Run(4, "pytest", 1, 0, 0),
    )
    assert verify(Tape(msgspec.convert(HEADER, Header), events)).finished() == {"a.py": "yz"}


def test_a_document_keeps_its_path():
    events = (Open(0, 0, "a.py", "python", "x"), Close(1, 0), Open(2, 0, "b.py", "python", "y"))
    with pytest.raises(TapeError, match=r"document 0 was a.py and cannot be b.py"):
        verify(Tape(msgspec.convert(HEADER, Header), events))


def test_a_closed_path_can_come_back_as_another_document():
    events = (Open(0, 0, "a.py", "python", "x"), Close(1, 0), Open(2, 1, "a.py", "python", "y"))
    assert verify(Tape(msgspec.convert(HEADER, Header), events)).finished() == {"a.py": "y"}
