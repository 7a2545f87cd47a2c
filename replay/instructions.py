"""What the player asks its shell to do, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from replay.records import Ending, Moment, Step, Suggestion
from syntax.text import Change


@dataclass(frozen=True, slots=True)
class DidOpen:
    """Open a document in the server."""

    path: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class DidChange:
    """Change a document: changes against `before`."""

    path: str
    version: int
    before: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class DidSave:
    """Save a document."""

    path: str


@dataclass(frozen=True, slots=True)
class DidClose:
    """Close a document."""

    path: str


@dataclass(frozen=True, slots=True)
class Check:
    """Compare the server's document with a checkpoint."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for an inline completion. `before` and `after` are the whole document around the cursor."""

    moment: Moment
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Settled:
    """A moment has ended. `covered` are the edit events that an accepted suggestion made needless."""

    moment: Moment
    before: str
    after: str
    ending: Ending
    suggestion: Suggestion | None = None
    covered: tuple[int, ...] = ()


Instruction: TypeAlias = DidOpen | DidChange | DidSave | DidClose | Check | Ask | Settled


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said. `measured` is wall time in ms; `failed`, `filtered` name the reason why there is no text."""

    measured: float
    text: str = ""
    start: int = 0
    end: int = 0
    failed: str = ""
    filtered: str = ""
    raw: str = ""
    prompt: str = ""
    provider: str = ""
    cache: str = "none"
    trail: tuple[Step, ...] = ()
