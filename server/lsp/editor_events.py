"""The events of an editor's session: documents open and change, completions are requested, returned and accepted.

This is the seam for a recorder. Listeners are called on the server's thread and must return at once. Events are frozen values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from server.documents import Document
from server.settings import RecordingSettings
from syntax.text import Change


@dataclass(frozen=True, slots=True)
class ClientInitialized:
    """A client sent `initialize`: its name and version, the URIs of its folders, and how it wants its session recorded."""

    client: str
    folders: tuple[str, ...]
    record: RecordingSettings | None = None


@dataclass(frozen=True, slots=True)
class FoldersChanged:
    """The workspace has other folders now; their URIs."""

    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentOpened:
    """A document was opened."""

    document: Document


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """A document changed. Each of `changes` applies to the text that the change before it produced."""

    before: Document
    after: Document
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class ChangeReasonGiven:
    """The editor says why the next change of a document is made: `undo`, `redo`, `paste`, `delete`, `format` or `accept`."""

    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class CursorsMoved:
    """The selections of the active document as `(start, end)` in UTF-16 offsets, the main one first."""

    document: Document
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class DocumentSaved:
    """A document was written to disk."""

    uri: str


@dataclass(frozen=True, slots=True)
class DocumentClosed:
    """A document was closed, with its last text."""

    document: Document


@dataclass(frozen=True, slots=True)
class CompletionRequested:
    """The editor requested a completion at a UTF-16 offset of the document. `invoked`: the person asked for it by a command.

    `selected` is the change that the item makes which is selected in the editor's list of completions.
    """

    request: int
    document: Document
    offset: int
    invoked: bool
    selected: Change | None = None


@dataclass(frozen=True, slots=True)
class CompletionReturned:
    """A completion was returned. Accepting it makes `change` in `document`, the text of the request. `latency` in ms."""

    request: int
    document: Document
    change: Change
    latency: float


@dataclass(frozen=True, slots=True)
class CompletionShown:
    """The editor says that it shows a completion. Accepting it makes `change` in `document`, the text of now; both may differ from those of the answer."""

    request: int
    document: Document
    change: Change


@dataclass(frozen=True, slots=True)
class CompletionMissing:
    """A request at `offset` of `document` ended without a completion, `latency` ms after it came.

    `empty`: the answer had no text, or the repairs left none. `cancelled`: the editor cancelled the request. What fails has no such event.
    """

    request: int
    document: Document
    offset: int
    reason: Literal["empty", "cancelled"]
    latency: float


@dataclass(frozen=True, slots=True)
class CompletionAccepted:
    """The editor ran the command of an item: the person accepted it."""

    request: int


@dataclass(frozen=True, slots=True)
class CompletionDismissed:
    """The person dismissed the completion that a document shows (Escape)."""

    uri: str


@dataclass(frozen=True, slots=True)
class TerminalCommandEnded:
    """A command in a terminal of the editor ended: its line, what the terminal showed (or the end of it), its exit status if that is known."""

    command: str
    output: str
    status: int | None


@dataclass(frozen=True, slots=True)
class ClientLeft:
    """The client left: this is the last event. It may come twice."""


EditorEvent: TypeAlias = (
    ClientInitialized
    | FoldersChanged
    | DocumentOpened
    | DocumentChanged
    | ChangeReasonGiven
    | CursorsMoved
    | DocumentSaved
    | DocumentClosed
    | CompletionRequested
    | CompletionReturned
    | CompletionShown
    | CompletionMissing
    | CompletionAccepted
    | CompletionDismissed
    | TerminalCommandEnded
    | ClientLeft
)
EventListener: TypeAlias = Callable[[EditorEvent], None]
