import gzip
import io
import json
import subprocess
import zlib

import msgspec
import pytest

from replay.errors import TapeError
from replay.tapes.line_files import LONGEST
from replay.tapes.tape import (
    Close,
    Edit,
    Focus,
    Foreign,
    Header,
    Open,
    Run,
    Tape,
    Writer,
    find,
    read,
    stream,
    verify,
    write,
)
from replay.tapes.tape import (
    Tests as ProjectTests,
)

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


def test_a_compressed_tape_is_read_and_written_too(tmp_path):
    plain = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN)
    packed = tmp_path / "x.tape.jsonl.gz"
    write(read(plain), packed)
    assert gzip.decompress(packed.read_bytes()).count(b"\n") == 2
    assert read(packed).events == read(plain).events


def test_equal_tapes_are_equal_files_packed_or_not(tmp_path):
    tape = read(lines(tmp_path / "x.tape.jsonl", HEADER, OPEN))
    for ending in ("tape.jsonl", "tape.jsonl.gz"):
        write(tape, tmp_path / f"one.{ending}")
        write(tape, tmp_path / f"other.{ending}")
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"other.{ending}").read_bytes()


def test_half_of_a_pair_is_written_as_an_escape_and_read_again(tmp_path):
    events = (Open(0, 0, "a.py", "python", "\ud83d é"), Foreign(1, "x", {"\ude00": [1, None, "\ud83d"]}))
    path = tmp_path / "x.tape.jsonl"
    write(Tape(msgspec.convert(HEADER, Header), events), path)
    assert rb'"\ud83d \u00e9"' in path.read_bytes()
    assert read(path).events == events


# Streams


def test_a_stream_gives_the_header_and_then_each_event_with_its_line(tmp_path):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, {"event": "focus", "t": 1, "doc": 0})
    with stream(path) as tape:
        assert tape.header.id == "x"
        assert list(tape.events) == [(2, Open(0, 0, "a.py", "python", "a😀b\r\n")), (3, Focus(1, 0))]
        assert tape.lines.bytes_read() == path.stat().st_size


def test_a_stream_reads_no_further_than_it_is_asked(tmp_path):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, {"event": "dance"})
    with stream(path) as tape:
        assert next(tape.events)[0] == 2
        with pytest.raises(TapeError, match=r"x\.tape\.jsonl:3: .*dance"):
            next(tape.events)


@pytest.mark.parametrize("ending", ["tape.jsonl", "tape.jsonl.gz"])
def test_a_writer_that_fails_leaves_what_was_there_and_nothing_else(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(b"old")

    def failing():
        with Writer(path, msgspec.convert(HEADER, Header)) as writer:
            writer.write(msgspec.convert(OPEN, Open))
            assert path.read_bytes() == b"old"
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old"


def test_a_line_longer_than_any_tape_has_is_neither_read_nor_written(tmp_path):
    path = tmp_path / "x.tape.jsonl"
    with path.open("wb") as file:
        file.truncate(LONGEST + 2)  # one line of zeros that takes no room
    with pytest.raises(TapeError, match=r":1: is longer than 64 MiB"):
        read(path)
    with (
        pytest.raises(TapeError, match=r"a line of 64 MiB exceeds the maximum"),
        Writer(tmp_path / "y", msgspec.convert(HEADER, Header)) as writer,
    ):
        writer.write(Open(0, 0, "a.py", "python", "x" * LONGEST))
    assert not (tmp_path / "y").exists()


# Faults


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
        ({"event": "foreign", "t": 1, "format": "x", "entry": {}, "tells": -1}, ">= 0"),
        ({"event": "edit", "t": 1, "doc": 0, "changes": [[0, 2, "x"], [1, 3, ""]]}, "overlaps another edit"),
        ({"event": "edit", "t": 1, "doc": "\ud83d", "changes": []}, "surrogates not allowed"),
        ([OPEN], "Expected `object`, got `array`"),
    ],
)
def test_an_impossible_event_is_refused_with_file_line_and_reason(tmp_path, event, reason):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, event)
    with pytest.raises(TapeError, match=reason) as refused:
        read(path)
    assert refused.value.line == 3
    assert str(refused.value).startswith(f"{path}:3: ")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "empty line"),
        (b"  \t", "empty line"),
        (b'{"event": "focus", "t": NaN, "doc": 0}', "invalid character"),
        (b'{"event": "open", "t": NaN, "doc": 1, "path": "b", "language": "", "text": "\\ud83d"}', "NaN is no number"),
        (b'{"event": "open", "t": 0, "doc": 1, "path": "\xff", "language": "", "text": ""}', "can't decode byte 0xff"),
        (b'{"event": "foreign", "t": 0, "format": "x", "entry": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "too deeply"),
    ],
    ids=["empty", "blank", "no number", "no number beside half a pair", "no UTF-8", "too deep"],
)
def test_a_line_that_is_no_json_of_a_tape_is_refused_with_file_line_and_reason(tmp_path, line, reason):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN)
    path.write_bytes(path.read_bytes() + line + b"\n" + json.dumps(OPEN).encode() + b"\n")
    with pytest.raises(TapeError, match=reason) as refused:
        read(path)
    assert (refused.value.source, refused.value.line) == (str(path), 3)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"{", "the only line is malformed or was cut off"),
        (b"\xff\n", "is no header of a tape"),
        (b"[1]\n", "is no header of a tape: Expected `object`"),
        (b'{"id": "x"}\n', "is no header of a tape: Object missing required field `tape`"),
        (b'{"tape": "1"}\n', "is no header of a tape: Expected `int`"),
        (b'{"tape": 1}\n', "missing required field `id`"),
    ],
)
def test_a_file_without_a_header_is_refused(tmp_path, content, reason):
    path = tmp_path / "x.tape.jsonl"
    path.write_bytes(content)
    with pytest.raises(TapeError, match=reason) as refused:
        read(path)
    assert refused.value.line == 1


def test_a_folder_and_a_file_that_is_not_there_cannot_be_read(tmp_path):
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "none", "No such file")):
        with pytest.raises(TapeError, match=f"cannot be read: {reason}"), stream(path):
            pass


# Gzip


def packed(tmp_path, events=3000):
    """The bytes of a tape in gzip, long enough for several blocks of the compressor."""
    focus = [{"event": "focus", "t": number**2 % 977, "doc": 0} for number in range(events)]
    return gzip.compress(lines(tmp_path / "x", HEADER, OPEN, *focus).read_bytes())


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ({"command": " "}, "command is empty"),
        ({"timeout_s": -5}, "timeout_s is -5"),
        ({"timeout_s": 0}, "timeout_s is 0"),
        ({"timeout_s": 1e300}, "timeout_s is 1e.300"),
        ({"cwd": "/etc"}, "a folder of the project"),
        ({"cwd": "a/../.."}, "a folder of the project"),
        ({"toolchain": "cobol"}, "cobol"),
    ],
)
def test_tests_that_could_not_be_run_are_refused(tests, reason):
    with pytest.raises(msgspec.ValidationError, match=reason):
        msgspec.convert({"toolchain": "none", "command": "true", **tests}, ProjectTests)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_time_that_never_ends_is_refused(number):
    with pytest.raises(ValueError, match="timeout_s is"):
        ProjectTests(toolchain="none", command="true", timeout_s=number)


@pytest.mark.parametrize(
    ("damage", "kind", "reason"),
    [
        (lambda data: data[: len(data) // 2], EOFError, "ended before"),
        (lambda data: data[:-5], EOFError, "ended before"),
        (lambda data: data[:6], EOFError, "ended before"),
        (lambda data: flipped(data, len(data) - 6), gzip.BadGzipFile, "CRC check failed"),
        (lambda data: data + b"rest", gzip.BadGzipFile, "Not a gzipped file"),
        (lambda data: flipped(data, 10), zlib.error, "invalid"),
        (gzip.decompress, gzip.BadGzipFile, "Not a gzipped file"),
    ],
)
def test_a_damaged_archive_is_refused_with_file_and_reason(tmp_path, damage, kind, reason):
    data = damage(packed(tmp_path))
    with pytest.raises(kind):  # what it is that must not come through
        gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    path = tmp_path / "x.tape.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(TapeError, match=f"cannot be read to its end: .*{reason}") as refused:
        read(path)
    assert refused.value.source == str(path)


# A recorder that is killed


def torn(tmp_path, tail, *events):
    path = lines(tmp_path / "x.tape.jsonl", HEADER, OPEN, *events)
    path.write_bytes(path.read_bytes() + tail)
    return path


TAILS = [
    b"{",
    b'{"event": "focus", "t": 1, "doc": 0',
    b'{"event": "edit", "t": 1, "doc": 0, "changes": [[0, 0, "}',
    b"\xf0\x9f",
]


@pytest.mark.parametrize("tail", TAILS)
def test_a_torn_last_line_is_refused_with_how_to_mend_it_unless_it_is_to_be_dropped(tmp_path, tail):
    path = torn(tmp_path, tail)
    with pytest.raises(TapeError, match=r":3: the last line is malformed or was cut off.*the 2 before it are a tape"):
        read(path)
    assert len(read(path, torn="drop").events) == 1
    with stream(path, torn="drop") as tape:
        assert not tape.lines.torn
        assert len(list(tape.events)) == 1
        assert tape.lines.torn


def test_a_torn_line_is_mended_as_the_message_says(tmp_path, need):
    need("sed")
    path = torn(tmp_path, b'{"event"')
    subprocess.run(["sed", "-i", "$d", path], check=True)
    assert len(read(path).events) == 1


def test_only_the_last_line_is_dropped(tmp_path):
    path = torn(tmp_path, b'{"event"\n{"event"')
    with pytest.raises(TapeError, match=r"jsonl:3: Input data was truncated"):
        read(path, torn="drop")


def test_a_last_line_that_only_lacks_its_end_is_an_event(tmp_path):
    path = torn(tmp_path, b'{"event": "focus", "t": 1, "doc": 0}')
    assert len(read(path).events) == 2


# Finding


def test_a_missing_tape_and_an_empty_folder_are_told_apart(tmp_path):
    with pytest.raises(TapeError, match="no such file or folder"):
        find([tmp_path / "none"])
    with pytest.raises(TapeError, match="holds no tape"):
        find([tmp_path])


# Documents


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
