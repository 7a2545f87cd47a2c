"""What happens in a run: one stream of typed events that the progress line, the language server, the live screen and every other watcher read.

Each can be written as one line of JSON (`replay.run.live`). Times are virtual ms of the tape, but for `at`, which is seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from replay.judge.tested_states import StateRun
from replay.options import ClusterBy
from replay.records import ArmTrial, Record
from syntax.text import Change


class _Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, omit_defaults=True):
    pass


class RunPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run is going to do, in the words of a screen."""

    provider: str = ""
    model: str = ""
    policy: str = ""
    """Empty for a corpus, whose tasks name their moments."""
    mode: str = ""
    cluster_by: ClusterBy = "hole"
    tests: bool = True
    samples: int = 1
    measured: bool = True
    """Whether latencies are those of a model: answers that are read from a record without times have none."""
    arms: int = 1
    """How many verdicts each answer gets: several in an ablation."""


class RunBegan(_Event, frozen=True):
    """A process begins a run, or continues it. `sources` are the names of tapes and corpora, with the file or folder of each.

    `birth` tells the process from a later one of the same number: when it began, as the system counts; "" where that is not known.
    """

    at: float
    process: int
    birth: str
    plan: RunPlan
    sources: dict[str, str]
    sizes: dict[str, int] = {}
    """How many events or tasks a source has, by its name."""


class Pulse(_Event, frozen=True):
    """The run goes on: the time on the wall, and the pace at which it is watched (a factor; None: as fast as it goes)."""

    at: float
    speed: float | None = None
    paused: bool = False


class Note(_Event, frozen=True):
    """Something that takes time begins in a source (a tape, a corpus)."""

    source: str
    text: str


class SessionBegan(_Event, frozen=True):
    """A source is ready and is played, for sample number `sample` (from 0).

    `as_recorded`: the documents are at each event what the tape says. If not, each of their changes is a `ReplayedDocumentChanged`.
    `duration` is the virtual time (ms) of its last event; 0 where there is no time.
    """

    source: str
    of: int
    unit: str
    duration: float
    as_recorded: bool
    sample: int = 0
    moments: int | None = None
    """How many moments will end in it; None where that depends on time."""


class Reached(_Event, frozen=True):
    """How far a session is: everything before event number `index` is done, and it is virtual time `t`."""

    source: str
    index: int
    t: float


class ReplayedDocumentChanged(_Event, frozen=True, tag="DocumentChanged"):
    """A document was opened with a text, or changed, in a session that does not go as recorded. Offsets are UTF-16 code units."""

    source: str
    path: str
    language: str = ""
    text: str | None = None
    changes: tuple[Change, ...] = ()


class Asked(_Event, frozen=True):
    """A completion is asked for, at an offset (UTF-16 code units) of a document."""

    source: str
    moment: str
    path: str
    offset: int
    t: float
    block: str = ""


class Streamed(_Event, frozen=True):
    """What there is of an answer while it comes, as the model writes it: no repair has seen it."""

    source: str
    moment: str
    text: str


class Answered(_Event, frozen=True):
    """An answer came after `latency` ms of wall time: `text` in the place of the range. No text: `why` there is none."""

    source: str
    moment: str
    text: str
    start: int
    end: int
    latency: float
    why: str = ""


class Played(_Event, frozen=True):
    """How far a source has been played: `done` of `of` events of a tape, or tasks of a corpus."""

    source: str
    done: int
    of: int
    unit: str = "event"


class Ended(_Event, frozen=True):
    """A moment has ended. Its verdict, if it gets one, comes later as `Judged`."""

    record: Record
    awaits_verdict: bool


class Judged(_Event, frozen=True):
    """A moment has its verdict."""

    record: Record


class Tried(_Event, frozen=True):
    """In an ablation: a moment's answer has its verdict in an arm other than the one with all repairs, which is `Judged`."""

    trial: ArmTrial


class StateRunChanged(_Event, frozen=True):
    """A run of tests is queued, begins or ends."""

    source: str
    run: StateRun


class Stalled(_Event, frozen=True):
    """The provider fails again and again for a reason: the run waits for `pause_s` (s), and then asks again. `remedy` says what a person can do."""

    source: str
    reason: str
    remedy: str
    pause_s: float


class LeftOut(_Event, frozen=True):
    """A source, or a part of it, cannot be played here, and why."""

    source: str
    reason: str


class RunEnded(_Event, frozen=True):
    """The process is done with the run: all is played, or it was interrupted, or it failed, and why."""

    at: float
    how: Literal["done", "interrupted", "failed"]
    reason: str = ""


RunEvent: TypeAlias = (
    RunBegan
    | Pulse
    | Note
    | SessionBegan
    | Reached
    | ReplayedDocumentChanged
    | Asked
    | Streamed
    | Answered
    | Played
    | Ended
    | Judged
    | Tried
    | StateRunChanged
    | Stalled
    | LeftOut
    | RunEnded
)
Listener: TypeAlias = Callable[[RunEvent], None]
