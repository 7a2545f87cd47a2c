"""The entries of a `workspaceRecording@1.0`, as GitHub Copilot Chat writes them (`workspaceLog.ts`).

Offsets are UTF-16 code units; times are milliseconds since 1970. Entries of unknown kinds are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec

from replay.importers.building.packed_files import content_of, in_utf8
from replay.importers.errors import RecordingError, locate
from replay.tapes import tape
from replay.tapes.coding import decoding

FORMAT = "workspaceRecording@1.0"
CARRIER = "ghosttape"
"""The `sourceId` of `event` entries that carry what the format itself cannot express."""
FETCH = "InlineCompletions.fetch"
CANCELLED = "canceled"
REASON = "TextModel.setChangeReason"
_Form = TypeVar("_Form")


class _Entry(msgspec.Struct, frozen=True, tag_field="kind", rename="camel"):
    pass


class HeaderEntry(_Entry, frozen=True, tag="header"):
    """The first entry of a whole recording."""

    document_type: str
    time: float


class MetaEntry(_Entry, frozen=True, tag="meta"):
    """The first entry of a slice: where it was cut from."""


class ApplicationStartEntry(_Entry, frozen=True, tag="applicationStart"):
    """The editor started: no document is open."""

    time: float


class BookmarkEntry(_Entry, frozen=True, tag="bookmark"):
    """The person marked this place of the recording."""

    time: float


class EventEntry(_Entry, frozen=True, tag="event"):
    """Something that belongs to no document, such as the end of a request."""

    time: float
    data: Any


class _DocumentEntry(_Entry, frozen=True):
    id: int
    time: float


class EncounteredEntry(_DocumentEntry, frozen=True, tag="documentEncountered"):
    """A document gets its number."""

    relative_path: str


class SetContentEntry(_DocumentEntry, frozen=True, tag="setContent"):
    """The document's text at this point."""

    content: str


class StoreContentEntry(_DocumentEntry, frozen=True, tag="storeContent"):
    """The document's text at this point is stored under a name (base64 of its SHA-256, 24 characters)."""

    content_id: str


class RestoreContentEntry(_DocumentEntry, frozen=True, tag="restoreContent"):
    """The document's text is again the one stored under this name."""

    content_id: str


class OpenedEntry(_DocumentEntry, frozen=True, tag="opened"):
    """The editor opened the document."""


class ClosedEntry(_DocumentEntry, frozen=True, tag="closed"):
    """The editor closed the document."""


class FocusedEntry(_DocumentEntry, frozen=True, tag="focused"):
    """The document's editor became the active one."""


class SelectionChangedEntry(_DocumentEntry, frozen=True, tag="selectionChanged"):
    """Cursors and selections `[start, end]`."""

    selection: tuple[tuple[tape.Count, tape.Count], ...]


class ChangedEntry(_DocumentEntry, frozen=True, tag="changed"):
    """Edits `[start, end, text]`, all against the text before the entry; `v` is the version after it."""

    edit: tuple[tuple[tape.Count, tape.Count, str], ...]
    v: int | None = None


class DocumentEventEntry(_DocumentEntry, frozen=True, tag="documentEvent"):
    """Something that belongs to a document: the start of a request, or the reason of a change."""

    data: Any


class AnswerItem(msgspec.Struct, frozen=True, rename="camel"):
    """One item of a finished request: `text` in place of `range` (`[line,column -> line,column]`, from 1)."""

    text: str
    range: str


class FetchData(msgspec.Struct, frozen=True, rename="camel"):
    """`InlineCompletions.fetch`: the start of a request, or its end after `duration_ms`."""

    kind: str
    request_id: int
    duration_ms: float = 0.0
    result: tuple[AnswerItem, ...] = ()
    context: Any = None
    error: Any = None

    @property
    def invoked(self) -> bool:
        """Whether the person asked by hand (the editor core's `InlineCompletionTriggerKind`: 0 automatic, 1 explicit)."""
        return isinstance(self.context, dict) and self.context.get("triggerKind") == 1

    @property
    def phase(self) -> Literal["shown", "empty", "cancelled"] | None:
        """How the request ended; None if this is not its end, or the end has another error."""
        if self.kind != "end" or self.error not in {None, CANCELLED}:
            return None
        return "cancelled" if self.error else "shown" if self.result else "empty"


class ChangeReason(msgspec.Struct, frozen=True, rename="camel"):
    """`TextModel.setChangeReason`: what made the change that carries the same version."""

    source: str
    v: int | None = None


class Carried(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the format cannot express: a tape's header, or an event. The next `entries` entries approximate that event."""

    event: tape.Event | None = None
    header: tape.Header | None = None
    entries: Annotated[int, msgspec.Meta(ge=0)] = 0


class UnknownEntry(msgspec.Struct, frozen=True):
    """An entry of a kind that this version does not know."""

    kind: str


KnownEntry: TypeAlias = (
    HeaderEntry
    | MetaEntry
    | ApplicationStartEntry
    | BookmarkEntry
    | EventEntry
    | EncounteredEntry
    | SetContentEntry
    | StoreContentEntry
    | RestoreContentEntry
    | OpenedEntry
    | ClosedEntry
    | FocusedEntry
    | SelectionChangedEntry
    | ChangedEntry
    | DocumentEventEntry
)
Entry: TypeAlias = KnownEntry | UnknownEntry
_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(KnownEntry))


@dataclass(frozen=True, slots=True)
class RecordingLog:
    """A recording as it was read: its entries, parsed and as JSON values, and the form of the file.

    `members` are those of the file's object other than `log`; `lines` says that it had one entry a line instead.
    """

    entries: tuple[Entry, ...]
    raw: tuple[Any, ...]
    members: dict[str, Any]
    lines: bool


def read_log(path: Path) -> RecordingLog:
    """Read a recording: one JSON object with a member `log`, or one entry a line as the editor keeps it.

    Raises:
        RecordingError: the file cannot be read, is not JSON, or an entry does not follow the format.

    """
    with locate(path, None):
        content = in_utf8(content_of(path))
    values, members, lines = _split(path, content)
    entries = tuple(_entry(path, number, value) for number, value in enumerate(values))
    if not entries or not isinstance(entries[0], HeaderEntry | MetaEntry):
        raise RecordingError(path, None, f"is no {FORMAT}: it does not begin with a header or with its origin")
    if isinstance(entries[0], HeaderEntry) and entries[0].document_type != FORMAT:
        raise RecordingError(path, 0, f"is a {entries[0].document_type!r}, and only {FORMAT} can be imported")
    return RecordingLog(entries, values, members, lines)


def parse(value: Any) -> Entry:
    """An entry from its JSON value.

    Raises msgspec.ValidationError if it is no object with a kind, or does not follow the format of a known kind.
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        return msgspec.convert(value, UnknownEntry)
    entry: KnownEntry = msgspec.convert(value, KnownEntry)
    if isinstance(entry, EventEntry | DocumentEventEntry):
        fetch_in(entry)
    if isinstance(entry, DocumentEventEntry):
        reason_in(entry)
    if isinstance(entry, EventEntry):
        carried_in(entry)
    return entry


def fetch_in(entry: DocumentEventEntry | EventEntry) -> FetchData | None:
    """The request that an entry starts or ends, if it does."""
    return _data(entry, FETCH, FetchData)


def reason_in(entry: DocumentEventEntry) -> ChangeReason | None:
    """The reason of a change that an entry gives, if it does."""
    return _data(entry, REASON, ChangeReason)


def carried_in(entry: EventEntry) -> Carried | None:
    """The part of a tape that an entry carries, if ghosttape wrote the entry."""
    return _data(entry, CARRIER, Carried)


def _split(path: Path, content: bytes) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
    """The entries as JSON values, the file's members beside them, and whether it is one entry a line."""
    lines = [line for line in content.splitlines() if line.strip()]
    if lines and _is_entry(lines[0]):
        return tuple(_value(path, number, line) for number, line in enumerate(lines)), {}, True
    try:
        members = decoding(dict[str, Any])(content)
        return tuple(msgspec.convert(members.pop("log", None), list[Any])), members, False
    except ValueError as error:
        raise RecordingError(path, None, f"is no {FORMAT}: {error}") from error


def _is_entry(line: bytes) -> bool:
    try:
        first = decoding(dict[str, Any])(line)
    except ValueError:
        return False
    return isinstance(first.get("kind"), str) and "log" not in first


def _value(path: Path, number: int, line: bytes) -> Any:
    with locate(path, number):
        return decoding(Any)(line)


def _entry(path: Path, number: int, value: Any) -> Entry:
    with locate(path, number):
        return parse(value)


def _data(entry: DocumentEventEntry | EventEntry, source: str, form: type[_Form]) -> _Form | None:
    if not isinstance(entry.data, dict) or entry.data.get("sourceId") != source:
        return None
    return msgspec.convert(entry.data, form)
