"""The entries of a `workspaceRecording@1.0`, as GitHub Copilot Chat writes them (`workspaceLog.ts`).

Offsets are UTF-16 code units; times are milliseconds since 1970. An entry of a kind that is not known here stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec

from replay import tape
from replay.coding import decoding
from replay.importers.errors import RecordingError
from replay.importers.unpacking import content_of

FORMAT = "workspaceRecording@1.0"
CARRIER = "ghosttape"
"""The `sourceId` of `event` entries that carry what of a tape has no counterpart in the format."""
FETCH = "InlineCompletions.fetch"
CANCELLED = "canceled"
REASON = "TextModel.setChangeReason"
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

    selection: tuple[tuple[tape.Count, tape.Count], ...]


class Changed(_DocumentEntry, frozen=True, tag="changed"):
    """Edits `[start, end, text]`, all against the text before the entry; `v` is the version after it."""

    edit: tuple[tuple[tape.Count, tape.Count, str], ...]
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
    context: Any = None
    error: Any = None

    @property
    def invoked(self) -> bool:
        """Whether the person asked by hand (the editor core's `InlineCompletionTriggerKind`: 0 automatic, 1 explicit)."""
        return isinstance(self.context, dict) and self.context.get("triggerKind") == 1

    @property
    def phase(self) -> Literal["shown", "empty", "cancelled"] | None:
        """What the end of a request says of it; None where it says something else, or is no end."""
        if self.kind != "end" or self.error not in {None, CANCELLED}:
            return None
        return "cancelled" if self.error else "shown" if self.result else "empty"


class ChangeReason(msgspec.Struct, frozen=True, rename="camel"):
    """`TextModel.setChangeReason`: what made the change that carries the same version."""

    source: str
    v: int | None = None


class Carried(msgspec.Struct, frozen=True, omit_defaults=True):
    """What of a tape the format cannot say: an event, of which the next `entries` entries say what they can, or the header."""

    event: tape.Event | None = None
    header: tape.Header | None = None
    entries: Annotated[int, msgspec.Meta(ge=0)] = 0


class Unknown(msgspec.Struct, frozen=True):
    """An entry of a kind that this version does not know."""

    kind: str


Known: TypeAlias = (
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
Entry: TypeAlias = Known | Unknown
_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Known))


@dataclass(frozen=True, slots=True)
class Log:
    """A recording as it was read: its entries, the same as JSON values, and what the file says beside them.

    `members` are those of the file's object other than `log`; `lines` says that it had one entry a line instead.
    """

    entries: tuple[Entry, ...]
    raw: tuple[Any, ...]
    members: dict[str, Any]
    lines: bool


def read_log(path: Path) -> Log:
    """Read a recording: one JSON object with a member `log`, or one entry a line as the editor keeps it.

    Raises:
        RecordingError: the file cannot be read, is not JSON, or an entry does not follow the format.

    """
    values, members, lines = _split(path, content_of(path))
    entries = tuple(_entry(path, number, value) for number, value in enumerate(values))
    if not entries or not isinstance(entries[0], Header | Meta):
        raise RecordingError(path, None, f"is no {FORMAT}: it does not begin with a header or with its origin")
    if isinstance(entries[0], Header) and entries[0].document_type != FORMAT:
        raise RecordingError(path, 0, f"is a {entries[0].document_type!r}, and only {FORMAT} can be imported")
    return Log(entries, values, members, lines)


def parse(value: Any) -> Entry:
    """An entry from its JSON value.

    Raises msgspec.ValidationError if it is no object with a kind, or does not follow the format of a known kind.
    """
    if not isinstance(value, dict) or value.get("kind") not in _KINDS:
        return msgspec.convert(value, Unknown)
    entry: Known = msgspec.convert(value, Known)
    if isinstance(entry, Event | DocumentEvent):
        fetch_in(entry)
    if isinstance(entry, DocumentEvent):
        reason_in(entry)
    if isinstance(entry, Event):
        carried_in(entry)
    return entry


def fetch_in(entry: DocumentEvent | Event) -> Fetch | None:
    """The request that an entry starts or ends, if it does."""
    return _data(entry, FETCH, Fetch)


def reason_in(entry: DocumentEvent) -> ChangeReason | None:
    """The reason of a change that an entry gives, if it does."""
    return _data(entry, REASON, ChangeReason)


def carried_in(entry: Event) -> Carried | None:
    """What of a tape an entry carries, if it is ghosttape's own."""
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
    try:
        return decoding(Any)(line)
    except ValueError as error:
        raise RecordingError(path, number, str(error)) from error


def _entry(path: Path, number: int, value: Any) -> Entry:
    try:
        return parse(value)
    except msgspec.ValidationError as error:
        raise RecordingError(path, number, str(error)) from error


def _data(entry: DocumentEvent | Event, source: str, form: type[_Form]) -> _Form | None:
    if not isinstance(entry.data, dict) or entry.data.get("sourceId") != source:
        return None
    return msgspec.convert(entry.data, form)
