"""The tape: a header and the events of one editing session, in the order in which they happened.

Offsets are UTF-16 code units, times are milliseconds since the start. Clocks step back: order is the truth.
The file is `NAME.tape.jsonl` (`.gz` is read too): the header on the first line, then one event a line.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from replay.errors import TapeError
from syntax.text import Change

T = TypeVar("T")
FORMAT = 1
Offset: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Reason: TypeAlias = Literal["type", "paste", "delete", "accept", "undo", "redo", "format", "agent", "external"]
Phase: TypeAlias = Literal["asked", "shown", "accepted", "part", "rejected", "ignored"]


class Folder(msgspec.Struct, frozen=True, tag="folder", forbid_unknown_fields=True):
    """The project lies beside the tape; `path` is relative to the tape's own folder."""

    path: str


class Embedded(msgspec.Struct, frozen=True, tag="embedded", forbid_unknown_fields=True):
    """The project is on the tape: `files` are those that no event opens; the rest comes from the events."""

    files: dict[str, str] = {}


class Git(msgspec.Struct, frozen=True, tag="git", forbid_unknown_fields=True):
    """The project is a commit of a repository."""

    url: str
    commit: str


Workspace: TypeAlias = Folder | Embedded | Git


class Tests(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How the project is tested.

    `requires` names packages of the toolchain's registry (PEP 508 or npm `name@range`), which are installed without
    running any code of theirs. `setup` and `command` are shell commands, run in the sandbox, without network, in the
    folder `cwd` of the project.
    """

    toolchain: Literal["python", "node", "none"]
    command: str
    requires: tuple[str, ...] = ()
    setup: str = ""
    cwd: str = "."
    timeout_s: float = 60.0


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The first line of a tape."""

    tape: Literal[1]
    id: str
    editor: str
    origin: str
    workspace: Workspace
    tests: Tests | None = None
    created: str
    carried: dict[str, Any] = {}
    """What an imported file says of itself beyond this, kept so that it can be exported again."""

    def __post_init__(self) -> None:
        """Refuse an origin that is none of recorded, imported:FORMAT, synthesised."""
        if self.origin not in {"recorded", "synthesised"} and not self.origin.startswith("imported:"):
            raise ValueError(f"origin {self.origin!r} is none of recorded, imported:FORMAT, synthesised")


class _Event(
    msgspec.Struct, frozen=True, tag_field="event", tag=str.lower, omit_defaults=True, forbid_unknown_fields=True
):
    t: float


class _DocEvent(_Event, frozen=True):
    doc: int


class Open(_DocEvent, frozen=True):
    """A document comes into view with this text; its line ends are kept as they were."""

    path: str
    language: str
    text: str

    def __post_init__(self) -> None:
        """Refuse a path that does not stay inside the project."""
        path = PurePosixPath(self.path)
        if path.is_absolute() or ".." in path.parts or "\\" in self.path or not path.parts:
            raise ValueError(f"path {self.path!r} must be relative, with forward slashes, and stay inside the project")


class Edit(_DocEvent, frozen=True):
    """Changes `[start, end, text]`, all against the text before the event."""

    changes: tuple[Change, ...]
    reason: Reason | None = None


class Select(_DocEvent, frozen=True):
    """Cursors and selections `[start, end]`; the first is the main one, an empty list means none.

    Editors report a selection before or after the change that moved it: an offset past the end means the end.
    """

    ranges: tuple[tuple[Offset, Offset], ...]


class Focus(_DocEvent, frozen=True):
    """The document's editor becomes the active one."""


class Save(_DocEvent, frozen=True):
    """The document is written to disk."""


class Close(_DocEvent, frozen=True):
    """The document goes out of view; its text stays part of the project."""


class Ghost(_DocEvent, frozen=True):
    """What an assistant did then. `latency` in ms since it was asked; `trigger` says whether the person asked by hand."""

    request: int
    phase: Phase
    offset: Offset = 0
    text: str = ""
    latency: float = 0.0
    trigger: Literal["automatic", "invoked"] = "automatic"


class Run(_Event, frozen=True):
    """A test run that the developer made."""

    command: str
    passed: int
    failed: int
    exit: int


class State(_DocEvent, frozen=True):
    """A checkpoint: the SHA-256 (hex) of the document's UTF-8 text here."""

    sha256: str


class Foreign(_Event, frozen=True):
    """An entry of an imported `format` that the other events cannot tell without loss, as it was (JSON).

    The next `tells` events say of it what a tape can say: an exporter writes `entry` and passes over them.
    """

    format: str
    entry: Any
    tells: int = 0


Event: TypeAlias = Open | Edit | Select | Focus | Save | Close | Ghost | Run | State | Foreign


class Tape(msgspec.Struct, frozen=True):
    """A tape in memory. `source` is the file that it came from; event *i* stands on line *i* + 2."""

    header: Header
    events: tuple[Event, ...]
    source: str = "<memory>"


def digest(text: str) -> str:
    """The checkpoint value of a text: SHA-256, hex, of its UTF-8 bytes (lone surrogates pass)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read(path: Path) -> Tape:
    """Read and validate a tape, each line by its schema and all events by playing them once.

    Raises:
        TapeError: a line is malformed or an event cannot have happened; nothing is half-read.

    """
    from replay.documents import verify  # documents need the events of this module

    with _open(path) as file:
        lines = _lines(path, file)
        header = _header(path, lines)
        tape = Tape(header, tuple(_events(path, lines)), str(path))
    verify(tape)
    return tape


def find(paths: Iterable[Path]) -> list[Path]:
    """The tapes that paths name: files as they are, folders by the `*.tape.jsonl` and `*.tape.jsonl.gz` in them.

    Raises:
        TapeError: a path does not exist, or a folder holds no tape.

    """
    return [tape for path in paths for tape in _within(path)]


def _within(path: Path) -> list[Path]:
    if not path.exists():
        raise TapeError(str(path), 0, "no such file or folder")
    if path.is_file():
        return [path]
    tapes = sorted([*path.glob("*.tape.jsonl"), *path.glob("*.tape.jsonl.gz")])
    if not tapes:
        raise TapeError(str(path), 0, "this folder holds no tape (*.tape.jsonl or *.tape.jsonl.gz)")
    return tapes


def write(tape: Tape, path: Path) -> None:
    """Write a tape; the file appears whole or not at all."""
    part = path.with_name(path.name + ".part")
    encoder = msgspec.json.Encoder()
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(part, "wb") as file:
        for value in _values(tape.header, tape.events):
            file.write(encoder.encode(value) + b"\n")
    part.replace(path)


def _values(header: Header, events: Sequence[Event]) -> Iterator[Header | Event]:
    yield header
    yield from events


def _open(path: Path) -> IO[bytes]:
    try:
        return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise TapeError(str(path), 0, f"cannot be read: {error.strerror}") from error


def _lines(path: Path, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    try:
        yield from enumerate(file, 1)
    except (OSError, EOFError) as error:
        raise TapeError(str(path), 0, f"cannot be read to its end: {error}") from error


def _header(path: Path, lines: Iterator[tuple[int, bytes]]) -> Header:
    number, line = next(lines, (1, b""))
    return _decode(path, number, line, msgspec.json.Decoder(Header))


def _events(path: Path, lines: Iterable[tuple[int, bytes]]) -> Iterator[Event]:
    decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
    return (_decode(path, number, line, decoder) for number, line in lines)


def _decode(path: Path, number: int, line: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TapeError(str(path), number, str(error)) from error
