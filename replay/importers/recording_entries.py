"""The entries of a `workspaceRecording@1.0`, as GitHub Copilot Chat writes them (`workspaceLog.ts`).

Offsets are UTF-16 code units; times are milliseconds since 1970.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from replay.importers.errors import RecordingError

FORMAT = "workspaceRecording@1.0"
_Form = TypeVar("_Form")


class _Entry(msgspec.Struct, frozen=True, tag_field="kind", rename="camel"):
    pass


class Header(_Entry, frozen=True, tag="header"):
    """The first entry of a whole recording."""

    document_type: str
    time: float


class Meta(_Entry, frozen=True, tag="meta"):
    """The first entry of a slice: where it was cut from."""


class ApplicationStart(_Entry, frozen=True, tag="applicationStart"):
    """The editor started; until it says so again, no document is open."""

    time: float


class Bookmark(_Entry, frozen=True, tag="bookmark"):
    """The person marked this place of the recording."""

    time: float


class Event(_Entry, frozen=True, tag="event"):
    """Something that belongs to no document, such as the end of a request."""

    time: float
    data: Any


class _DocumentEntry(_Entry, frozen=True):
    id: int
    time: float


class Encountered(_DocumentEntry, frozen=True, tag="documentEncountered"):
    """A document gets its number."""

    relative_path: str


class SetContent(_DocumentEntry, frozen=True, tag="setContent"):
    """What a document holds at this point."""

    content: str


class StoreContent(_DocumentEntry, frozen=True, tag="storeContent"):
    """What the document holds at this point gets a name (base64 of its SHA-256, 24 characters)."""

    content_id: str


class RestoreContent(_DocumentEntry, frozen=True, tag="restoreContent"):
    """The document holds again what was stored under this name."""

    content_id: str


class Opened(_DocumentEntry, frozen=True, tag="opened"):
    """The editor opened the document."""


class Closed(_DocumentEntry, frozen=True, tag="closed"):
    """The editor closed the document."""


class Focused(_DocumentEntry, frozen=True, tag="focused"):
    """The document's editor became the active one."""


class SelectionChanged(_DocumentEntry, frozen=True, tag="selectionChanged"):
    """Cursors and selections `[start, end]`."""

    selection: tuple[tuple[int, int], ...]


class Changed(_DocumentEntry, frozen=True, tag="changed"):
    """Edits `[start, end, text]`, all against the text before the entry; `v` is the version after it."""

    edit: tuple[tuple[int, int, str], ...]
    v: int | None = None


class DocumentEvent(_DocumentEntry, frozen=True, tag="documentEvent"):
    """Something that belongs to a document: the start of a request, or the reason of a change."""

    data: Any


class Offer(msgspec.Struct, frozen=True, rename="camel"):
    """One item of a finished request: `text` in place of `range` (`[line,column -> line,column]`, from 1)."""

    text: str
    range: str


class Fetch(msgspec.Struct, frozen=True, rename="camel"):
    """`InlineCompletions.fetch`: the start of a request, or its end after `duration_ms`."""

    kind: str
    request_id: int
    duration_ms: float = 0.0
    result: tuple[Offer, ...] = ()


class ChangeReason(msgspec.Struct, frozen=True, rename="camel"):
    """`TextModel.setChangeReason`: what made the change that carries the same version."""

    source: str
    v: int | None = None


Entry: TypeAlias = (
    Header
    | Meta
    | ApplicationStart
    | Bookmark
    | Event
    | Encountered
    | SetContent
    | StoreContent
    | RestoreContent
    | Opened
    | Closed
    | Focused
    | SelectionChanged
    | Changed
    | DocumentEvent
)


class _File(msgspec.Struct, frozen=True):
    log: tuple[msgspec.Raw, ...]


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Read a recording's log: one JSON object with a member `log`, or one entry a line as the editor keeps it.

    Raises:
        RecordingError: the file cannot be read, is not JSON, or an entry does not follow the format.

    """
    decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
    entries = tuple(_entry(path, number, raw, decoder) for number, raw in enumerate(_split(path, _read(path))))
    if not entries or not isinstance(entries[0], Header | Meta):
        raise RecordingError(path, None, f"is no {FORMAT}: it does not begin with a header or with its origin")
    if isinstance(entries[0], Header) and entries[0].document_type != FORMAT:
        raise RecordingError(path, 0, f"is a {entries[0].document_type!r}, and only {FORMAT} can be imported")
    return entries


def fetch_in(entry: DocumentEvent | Event) -> Fetch | None:
    """The request that an entry starts or ends, if it does."""
    return _data(entry, "InlineCompletions.fetch", Fetch)


def reason_in(entry: DocumentEvent) -> ChangeReason | None:
    """The reason of a change that an entry gives, if it does."""
    return _data(entry, "TextModel.setChangeReason", ChangeReason)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(path, None, f"cannot be read: {error.strerror}") from error


def _split(path: Path, content: bytes) -> tuple[bytes | msgspec.Raw, ...]:
    first, _, rest = content.partition(b"\n")
    if rest.strip() and first.lstrip().startswith(b'{"') and first.rstrip().endswith(b"}"):
        return tuple(line for line in content.splitlines() if line.strip())
    try:
        return msgspec.json.decode(content, type=_File).log
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordingError(path, None, f"is no {FORMAT}: {error}") from error


def _entry(path: Path, number: int, raw: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[Entry]) -> Entry:
    try:
        entry = decoder.decode(raw)
        if isinstance(entry, Event | DocumentEvent):
            fetch_in(entry)
        if isinstance(entry, DocumentEvent):
            reason_in(entry)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordingError(path, number, str(error)) from error
    return entry


def _data(entry: DocumentEvent | Event, source: str, form: type[_Form]) -> _Form | None:
    if not isinstance(entry.data, dict) or entry.data.get("sourceId") != source:
        return None
    return msgspec.convert(entry.data, form)
