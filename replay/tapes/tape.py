"""The tape: a header and the events of one editing session, in the order in which they happened, and its documents while it plays.

Offsets are UTF-16 code units, times are milliseconds since the start. Clocks can step back, so the order of the events counts.
The file is `NAME.tape.jsonl` or `NAME.tape.jsonl.gz`: the header on the first line, then one event a line. docs/tapes.md
shows each of them; docs/tape.schema.json is their JSON Schema.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Annotated, Any, Literal, Self, TypeAlias

import msgspec

from replay.errors import TapeError
from replay.tapes.coding import UPGRADES, Upgrade, decoded_line, decoding, encoded, upgrade_of
from replay.tapes.line_files import LONGEST, Lines, Torn, reading, writing
from runners.errors import unknown_name
from runners.toolchains import TOOLCHAINS, VERSIONED
from syntax.buffer import Buffer
from syntax.errors import OffsetError
from syntax.text import Change

Reason: TypeAlias = Literal["type", "paste", "delete", "accept", "undo", "redo", "format", "agent", "external"]
Phase: TypeAlias = Literal[
    "asked", "answered", "shown", "empty", "cancelled", "accepted", "part", "rejected", "ignored"
]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Offset: TypeAlias = Annotated[int, msgspec.Meta(ge=0, description="UTF-16 code units from the start of the document")]
_Time: TypeAlias = Annotated[
    float, msgspec.Meta(description="ms since the start; clocks can step back, so the order of the events counts")
]
_Doc: TypeAlias = Annotated[int, msgspec.Meta(description="the document's number on this tape")]
_Latency: TypeAlias = Annotated[float, msgspec.Meta(description="ms since the question")]
_Origin: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        description="recorded, imported:FORMAT or synthesised",
        extra_json_schema={"pattern": "^(recorded$|synthesised$|imported:)"},
    ),
]
_Path: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        description="relative to the project, with forward slashes, and inside it",
        extra_json_schema={"pattern": r"^(?!/)(?!([\s\S]*/)?\.\.(/|$))(?!(\.?/)*\.?$)[^\\\u0000]+$"},
    ),
]


class Folder(msgspec.Struct, frozen=True, tag="folder", forbid_unknown_fields=True):
    """The project lies beside the tape; `path` is relative to the tape's own folder."""

    path: str


class BesideTexts(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an embedded project has beside texts. Paths are relative to the project."""

    blobs: dict[
        str,
        Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content")],
    ] = {}
    """Files that are no text: each lies in the folder `blobs` beside the tape, under its SHA-256."""
    links: dict[str, str] = {}
    """Symbolic links: path → target, relative to the folder of the link."""
    executable: tuple[str, ...] = ()
    """Files that can be executed, also among the texts."""


class Embedded(msgspec.Struct, frozen=True, tag="embedded", forbid_unknown_fields=True):
    """The project is on the tape: `files` are those that no event opens; the rest comes from the events, and from `beside`."""

    files: dict[str, str] = {}
    beside: BesideTexts | msgspec.UnsetType = msgspec.UNSET


class Git(msgspec.Struct, frozen=True, tag="git", forbid_unknown_fields=True):
    """The project is a commit of a repository."""

    url: str
    commit: str


Workspace: TypeAlias = Folder | Embedded | Git
PROJECTS = (*(name for name in TOOLCHAINS if name != "system"), "none")
"""The toolchains that a tape can name, but for versions (`python3.9`); `none` adds nothing to what every sandbox shows of the machine."""
_TOOLCHAIN = f"({'|'.join(PROJECTS)}|{VERSIONED.pattern})"


def unknown_toolchain(name: str) -> str:
    """The error message for an unknown toolchain, with the names of all toolchains; "" if the name is known."""
    return "" if re.fullmatch(_TOOLCHAIN, name) else unknown_name("toolchain", name, PROJECTS)


_SHORTEST_S, _LONGEST_S = 0.1, 86_400.0


class Tests(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How the project is tested.

    `requires` names packages of the toolchain's registry (PEP 508 or npm `name@range`); installing them runs none of their code. `setup`
    and `command` are shell commands, run in the sandbox, without network, in the folder `cwd` of the project. Only the user can give
    `setup` the network.
    """

    toolchain: Annotated[str, msgspec.Meta(extra_json_schema={"pattern": f"^{_TOOLCHAIN}$"})]
    command: Annotated[str, msgspec.Meta(extra_json_schema={"pattern": r"\S"})]
    requires: tuple[str, ...] = ()
    setup: str = ""
    cwd: Annotated[str, msgspec.Meta(extra_json_schema={"pattern": r"^(?!/)(?!(.*/)?\.\.(/|$))"})] = "."
    timeout_s: Annotated[float, msgspec.Meta(extra_json_schema={"minimum": _SHORTEST_S, "maximum": _LONGEST_S})] = 60.0

    def __post_init__(self) -> None:
        """Refuse an unknown toolchain, an empty command, a time outside of the limits, and a folder outside of the project."""
        if reason := unknown_toolchain(self.toolchain):
            raise ValueError(reason)
        if not self.command.strip():
            raise ValueError("command is empty: name what runs the tests")
        if not _SHORTEST_S <= self.timeout_s <= _LONGEST_S:  # also refuses NaN
            raise ValueError(
                f"timeout_s is {self.timeout_s:g}: from {_SHORTEST_S:g} to {_LONGEST_S:g} seconds are possible"
            )
        if self.cwd.startswith("/") or ".." in self.cwd.split("/"):
            raise ValueError(f"cwd is {self.cwd!r}: it is a folder of the project")


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The first line of a tape."""

    tape: Literal[1]
    id: str
    editor: str
    origin: _Origin
    workspace: Workspace
    tests: Tests | None = None
    created: Annotated[str, msgspec.Meta(description="ISO 8601")]
    carried: Annotated[
        dict[str, Any],
        msgspec.Meta(description="further metadata of an imported file, kept for the export"),
    ] = {}

    def __post_init__(self) -> None:
        """Refuse an origin other than recorded, imported:FORMAT and synthesised."""
        if self.origin not in {"recorded", "synthesised"} and not self.origin.startswith("imported:"):
            raise ValueError(f"origin {self.origin!r} is none of recorded, imported:FORMAT, synthesised")


class _Event(
    msgspec.Struct, frozen=True, tag_field="event", tag=str.lower, omit_defaults=True, forbid_unknown_fields=True
):
    t: _Time


class _DocEvent(_Event, frozen=True):
    doc: _Doc


class Open(_DocEvent, frozen=True):
    """A document comes into view with this text; its line ends are kept as they were."""

    path: _Path
    language: str
    text: str

    def __post_init__(self) -> None:
        """Refuse a path that leaves the project, or that no file can have."""
        path = PurePosixPath(self.path)
        if "\0" in self.path:
            raise ValueError(f"path {self.path!r} contains a NUL, which no path can contain")
        if path.is_absolute() or ".." in path.parts or "\\" in self.path or not path.parts:
            raise ValueError(f"path {self.path!r} must be relative, with forward slashes, and stay inside the project")


class Edit(_DocEvent, frozen=True):
    """Changes `[start, end, text]`, all against the text before the event: UTF-16 offsets, in any order, none over another.

    Insertions at one offset stay in their order. `reason` says how the person made them; None: nobody recorded it.
    """

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
    """An action of an assistant. `latency` is in ms since the request; `trigger` says whether the person asked by hand.

    `selected`, of what was `asked`: the change that the item makes which was selected in the editor's list of completions, against the
    text of the request (LSP 3.18, "SelectedCompletionInfo").

    `answered`: an answer with text came, which need not be shown; only recordings of editors that tell what they show have it.
    `empty`: the answer had no text. `cancelled`: the editor cancelled the request after `latency`.
    """

    request: int
    phase: Phase
    offset: Offset = 0
    text: str = ""
    latency: _Latency = 0.0
    trigger: Literal["automatic", "invoked"] = "automatic"
    selected: Change | None = None


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
    """An entry (JSON) of an imported `format` that the other events cannot express without loss.

    The next `tells` events approximate it: an exporter writes `entry` and skips them.
    """

    format: str
    entry: Any
    tells: Count = 0


Event: TypeAlias = Open | Edit | Select | Focus | Save | Close | Ghost | Run | State | Foreign


_read_header, _read_event = decoding(Header), decoding(Event)


class Tape(msgspec.Struct, frozen=True):
    """A tape in memory. `source` is the file that it came from; event *i* stands on line *i* + 2."""

    header: Header
    events: tuple[Event, ...]
    source: str = "<memory>"


@dataclass(frozen=True, slots=True)
class Stream:
    """A tape that is read line by line. `events` yields (line, event) once; `lines` is the number of lines read so far."""

    header: Header
    events: Iterator[tuple[int, Event]]
    lines: Lines


def digest(text: str) -> str:
    """The checkpoint value of a text: SHA-256, hex, of its UTF-8 bytes (lone surrogates pass)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Texts(Mapping[int, str]):
    """The texts of buffers, by document."""

    def __init__(self, buffers: Mapping[int, Buffer]) -> None:
        self._buffers = buffers

    def __getitem__(self, doc: int) -> str:
        return str(self._buffers[doc])

    def __iter__(self) -> Iterator[int]:
        return iter(self._buffers)

    def __len__(self) -> int:
        return len(self._buffers)


class Documents:
    """What every document of a tape holds at one point of it.

    Texts outlive their `close`: the finished project needs them. `source` names the tape in errors.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._buffers: dict[int, Buffer] = {}
        self._docs: dict[str, int] = {}
        self.texts: Mapping[int, str] = Texts(self._buffers)
        self.paths: dict[int, str] = {}
        self.languages: dict[int, str] = {}
        self.shown: set[int] = set()
        self.checked = 0

    def apply(self, number: int, event: Event) -> None:
        """Take one event in; `number` is its line, for errors.

        Raises:
            TapeError: the event cannot have happened, or a checkpoint does not match.

        """
        if not isfinite(event.t):
            raise TapeError(self.source, number, f"time {event.t} is no number of ms")
        if isinstance(event, Open):
            self._open(number, event)
        elif isinstance(event, Run) or isinstance(event, Foreign):  # noqa: SIM101 - twice as fast as one question
            return
        elif event.doc not in self.shown:
            kind = type(event).__name__.lower()
            raise TapeError(self.source, number, f"{kind} in document {event.doc}, which is not open")
        elif isinstance(event, Edit):
            self._edit(number, event)
        elif isinstance(event, Select):
            self._select(number, event)
        elif isinstance(event, State):
            self._check(number, event)
        elif isinstance(event, Close):
            self.shown.discard(event.doc)

    def finished(self) -> dict[str, str]:
        """Path → text of every document that the tape has opened so far."""
        return {self.paths[doc]: text for doc, text in self.texts.items()}

    def _open(self, number: int, event: Open) -> None:
        if event.doc in self.shown:
            raise TapeError(self.source, number, f"document {event.doc} ({event.path}) is opened twice")
        if self.paths.get(event.doc, event.path) != event.path:
            raise TapeError(
                self.source, number, f"document {event.doc} was {self.paths[event.doc]} and cannot be {event.path}"
            )
        other = self._docs.get(event.path, event.doc)
        if other != event.doc:
            if other in self.shown:
                raise TapeError(self.source, number, f"{event.path} is already open as another document")
            del self._buffers[other], self.paths[other], self.languages[other]
        self._buffers[event.doc], self.paths[event.doc] = Buffer(event.text), event.path
        self._docs[event.path], self.languages[event.doc] = event.doc, event.language
        self.shown.add(event.doc)

    def _edit(self, number: int, event: Edit) -> None:
        try:
            self._buffers[event.doc].splice(event.changes)
        except OffsetError as error:
            raise TapeError(self.source, number, f"{self.paths[event.doc]}: {error}") from error

    def _select(self, number: int, event: Select) -> None:
        for start, end in event.ranges:
            if start < 0 or end < 0:
                raise TapeError(
                    self.source, number, f"{self.paths[event.doc]}: selection [{start}, {end}] is before its beginning"
                )

    def _check(self, number: int, event: State) -> None:
        found = digest(self.texts[event.doc])
        if found != event.sha256:
            size = len(self._buffers[event.doc])
            raise TapeError(
                self.source,
                number,
                f"{self.paths[event.doc]}: the checkpoint does not match the replayed text ({size} UTF-16 code units, "
                f"sha256 {found[:12]}… instead of {event.sha256[:12]}…)",
            )
        self.checked += 1


def played(source: str, numbered: Iterable[tuple[int, Event]]) -> Iterator[tuple[int, Event, Documents]]:
    """Each (line, event) with the documents as they stand **after** it. `source` names the tape in errors.

    Raises:
        TapeError: an event cannot have happened.

    """
    documents = Documents(source)
    for number, event in numbered:
        documents.apply(number, event)
        yield number, event, documents


def walk(tape: Tape) -> Iterator[tuple[int, Event, Documents]]:
    """Each event with its index and the documents as they stand **before** it."""
    documents = Documents(tape.source)
    for index, event in enumerate(tape.events):
        yield index, event, documents
        documents.apply(index + 2, event)


def verify(tape: Tape) -> Documents:
    """Play every event once, and give the documents as they stand at the end.

    Raises:
        TapeError: an event cannot have happened.

    """
    documents = Documents(tape.source)
    for number, event in enumerate(tape.events, 2):
        documents.apply(number, event)
    return documents


@contextmanager
def stream(path: Path, *, torn: Torn = "refuse", upgrades: Mapping[int, Upgrade] = UPGRADES) -> Iterator[Stream]:
    """Open a tape of any length; each line is decoded on demand, and none is stored.

    Only the schema of each line is checked. `replay.importers.tape_check` also checks whether each event is possible. `torn="drop"` skips an
    incomplete last line, which a killed recorder leaves.

    Raises:
        TapeError: the file is damaged, a line is malformed, or the format is unknown; raised here or while events are read.

    """
    with reading(path, torn) as lines:
        numbered = iter(lines)
        number, line = next(numbered, (1, b""))
        upgrade = upgrade_of(path, line, upgrades)
        header: Header = decoded_line(path, number, line, decoding(Header, upgrade))
        yield Stream(header, _events(path, numbered, decoding(Event, upgrade)), lines)


def read(path: Path, *, torn: Torn = "refuse") -> Tape:
    """Read and validate a tape, each line by its schema and all events by playing them once.

    Raises:
        TapeError: a line is malformed or an event is impossible.

    """
    with stream(path, torn=torn) as tape:
        return Tape(tape.header, tuple(event for _, event, _ in played(str(path), tape.events)), str(path))


def find(paths: Iterable[Path]) -> list[Path]:
    """The tapes of these paths: a file is a tape, a folder stands for its `*.tape.jsonl` and `*.tape.jsonl.gz` files.

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
    """Write a tape; the file appears only when it is complete."""
    with Writer(path, tape.header) as writer:
        for event in tape.events:
            writer.write(event)


class Writer:
    """Writes a tape of any length, event by event; the file appears at the end of the `with` block, and not after an error."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.header = path, header
        self._lines = 0
        self._stack = ExitStack()
        self._file: IO[bytes]

    def __enter__(self) -> Self:
        with self._stack as stack:
            self._file = stack.enter_context(writing(self.path))
            self.write(self.header)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def write(self, value: Event | Header) -> None:
        """Add an event.

        Raises:
            TapeError: a reader would refuse its line.

        """
        self._lines += 1
        self._file.write(line_of(value, str(self.path), self._lines))


def line_of(value: Event | Header, source: str, number: int = 0) -> bytes:
    """The line of a header or an event, with its line feed. The line is read back to check it, because types alone check nothing.

    Raises:
        TapeError: a reader would refuse it; `source` and `number` name the tape and the line (0: unknown).

    """
    try:
        line = encoded(value)
        if len(line) > LONGEST:
            raise TapeError(
                source, number, f"a line of {len(line) >> 20} MiB exceeds the maximum length of a tape's line"
            )
        (_read_header if isinstance(value, Header) else _read_event)(line)
    except ValueError as error:
        raise TapeError(source, number, f"a tape cannot contain this: {error}") from error
    return line


def _events(
    path: Path, lines: Iterator[tuple[int, bytes]], decode: Callable[[bytes], Event]
) -> Iterator[tuple[int, Event]]:
    for number, line in lines:
        yield number, decoded_line(path, number, line, decode)
