"""What happens in a run: one stream of typed events that the progress line, the language server and every other watcher read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from replay.records import Record, Trial


@dataclass(frozen=True, slots=True)
class Note:
    """Something that takes time begins in a source (a tape, a corpus)."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """How far a source has been played: `done` of `of` events of a tape, or tasks of a corpus."""

    source: str
    done: int
    of: int
    unit: str = "event"


@dataclass(frozen=True, slots=True)
class Ended:
    """A moment has ended. Its verdict, if it gets one, comes later as `Judged`."""

    record: Record
    awaits_verdict: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A moment has its verdict."""

    record: Record


@dataclass(frozen=True, slots=True)
class Tried:
    """In an ablation: a moment's answer has its verdict in an arm other than the one with all repairs, which is `Judged`."""

    trial: Trial


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source, or a part of it, cannot be played here, and why."""

    source: str
    reason: str


RunEvent: TypeAlias = Note | Played | Ended | Judged | Tried | LeftOut
Listener: TypeAlias = Callable[[RunEvent], None]
