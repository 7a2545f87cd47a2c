"""What a listener hears of the server's work: documents come and change, questions are asked, answered and accepted.

The seam for who wants to record a session. Listeners are called on the server's own thread and must return at once; all that
they are given is a value, and stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from server.documents import Document
from server.settings import Record
from syntax.text import Change


@dataclass(frozen=True, slots=True)
class Greeted:
    """A client introduced itself: its name and version, the URIs of its workspace folders, and its wish to be recorded."""

    client: str
    folders: tuple[str, ...]
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A document came into view."""

    document: Document


@dataclass(frozen=True, slots=True)
class Changed:
    """A document changed: `changes` were made one after the other, each against the text that the one before it left."""

    before: Document
    after: Document
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Hinted:
    """The editor says what the next change of a document is: undo or redo."""

    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selected:
    """The editor says where the cursors of its active document are: `[start, end]`, UTF-16 offsets, the main one first."""

    document: Document
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """A document was written to disk."""

    uri: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A document went out of view; this is how it stood."""

    document: Document


@dataclass(frozen=True, slots=True)
class Asked:
    """The editor asked for a completion at a UTF-16 offset of the document as it stood then."""

    request: int
    document: Document
    offset: int
    invoked: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """An item was given: accepting it makes `change` in the document that was asked about. `latency` in ms."""

    request: int
    document: Document
    change: Change
    latency: float


@dataclass(frozen=True, slots=True)
class Accepted:
    """The editor ran the command of an item: the person took it."""

    request: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The client leaves; nothing comes after this. May be told twice."""


Happening: TypeAlias = (
    Greeted | Opened | Changed | Hinted | Selected | Saved | Closed | Asked | Answered | Accepted | Ended
)
Listener: TypeAlias = Callable[[Happening], None]
