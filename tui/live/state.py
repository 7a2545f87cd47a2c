"""What is known of a run that goes on: its events, taken in one by one. No part of this knows the screen or the clock."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from msgspec import structs

from replay.judge.tested_states import StateRun
from replay.records import Record
from replay.run.events import (
    Answered,
    Asked,
    Ended,
    Judged,
    LeftOut,
    Note,
    Pulse,
    Reached,
    ReplayedDocumentChanged,
    RunBegan,
    RunEnded,
    RunEvent,
    RunPlan,
    SessionBegan,
    Stalled,
    StateRunChanged,
    Streamed,
    Tried,
)

RunPhase: TypeAlias = Literal["waiting", "going", "paused", "done", "interrupted", "failed", "killed"]
_WINDOW_S = 30.0
"""How far back the rates look."""


@dataclass(slots=True)
class LaneTests:
    """The runs of tests of a lane: those that are queued or run, by number, and how many are done."""

    open: dict[int, StateRun] = field(default_factory=dict)
    began: dict[int, float] = field(default_factory=dict)
    """When those that run began (s)."""
    done: int = 0

    def take(self, run: StateRun, at: float) -> None:
        """Take in that a run is queued, begins or ends."""
        if run.phase == "ended":
            self.open.pop(run.number, None)
            self.began.pop(run.number, None)
            self.done += 1
        else:
            self.open[run.number] = run
        if run.phase == "running":
            self.began[run.number] = at

    @property
    def running(self) -> list[StateRun]:
        """Those that run now, the longest first."""
        return [self.open[number] for number in self.began]

    @property
    def queued(self) -> int:
        """How many wait."""
        return len(self.open) - len(self.began)


@dataclass(slots=True)
class Lane:
    """One tape or corpus of a run."""

    name: str
    origin: str
    session: SessionBegan | None = None
    position: Reached | None = None
    asked: Asked | None = None
    asked_index: int = 0
    streamed: str = ""
    """What there is of the answer that is on its way."""
    answer: Answered | None = None
    records: dict[str, Record] = field(default_factory=dict)
    awaited: set[str] = field(default_factory=set)
    latest: str = ""
    """The moment that ended last."""
    tests: LaneTests = field(default_factory=LaneTests)
    note: str = ""
    left_out: list[str] = field(default_factory=list)
    changes: list[ReplayedDocumentChanged] = field(default_factory=list)
    """Documents' changes that are not on the tape and that nobody has taken yet."""
    tried: int = 0
    """In an ablation: verdicts of answers in arms other than the one with all repairs."""

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end, or left out."""
        session, at = self.session, self.position
        return bool(self.left_out) if session is None or at is None else at.index >= session.of

    @property
    def share(self) -> float:
        """How much of it is played, from 0 to 1."""
        if self.session is None or self.position is None or not self.session.of:
            return 0.0
        return min(1.0, self.position.index / self.session.of)

    @property
    def current(self) -> Record | None:
        """The moment that was asked about last, if it has ended; else the one that ended last."""
        return self.records.get(self.asked.moment if self.asked else "") or self.records.get(self.latest)


@dataclass(slots=True)
class LiveState:
    """A run as far as its events tell. A process that continues a run begins with a new state."""

    plan: RunPlan = field(default_factory=RunPlan)
    lanes: dict[str, Lane] = field(default_factory=dict)
    process: int = 0
    birth: str = ""
    began: float = 0.0
    pulse: Pulse | None = None
    ending: RunEnded | None = None
    note: str = ""
    stall: Stalled | None = None
    """Why the run waits for its provider, if it does."""
    active: str = ""
    """The lane that is played."""
    is_killed: bool = False
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=60))
    """Of the latest answers (ms), as laid on the clock."""
    rates: deque[tuple[float, int, int]] = field(default_factory=deque)
    """Wall time (s), events played and moments ended, over the last while."""

    @property
    def phase(self) -> RunPhase:
        """How it goes."""
        if self.ending is not None:
            return self.ending.how
        if self.is_killed:
            return "killed"
        if not self.began:
            return "waiting"
        return "paused" if self.pulse and self.pulse.paused else "going"

    @property
    def is_going(self) -> bool:
        """Whether a process plays it."""
        return self.phase in {"going", "paused"}

    @property
    def at(self) -> float:
        """The latest time on the wall (s since 1970) that the run spoke of."""
        if self.ending is not None:
            return self.ending.at
        return self.pulse.at if self.pulse else self.began

    def expect(self, **pace: Any) -> None:
        """Take for granted that the run goes at another pace (`speed`, `paused`), until it says how it goes."""
        if self.pulse is not None:
            self.pulse = structs.replace(self.pulse, **pace)

    def take(self, event: RunEvent) -> None:
        """Take one event in."""
        match event:
            case RunBegan():
                self.plan, self.process, self.birth, self.began = event.plan, event.process, event.birth, event.at
                self.lanes = {name: Lane(name, origin) for name, origin in event.sources.items()}
            case Pulse():
                self._beat(event)
            case RunEnded():
                self.ending = event
            case Ended(record=record):
                self._ended(self._lane(record.moment.tape), event)
            case Judged(record=record):
                _judged(self._lane(record.moment.tape), record)
            case Tried(trial=trial):
                self._lane(trial.tape).tried += 1
            case Note():
                self._noted(event)
            case Stalled():
                self.stall = event
            case _:
                self.stall = None if isinstance(event, Answered) else self.stall
                _take(self._lane(event.source), event, self.at)
                self.active = event.source if isinstance(event, SessionBegan) else self.active

    def _lane(self, name: str) -> Lane:
        """The lane of a source; what a corpus leaves out of itself has a longer name than the corpus."""
        if name not in self.lanes:
            owner = next((known for known in self.lanes if name.startswith(f"{known} ")), "")
            return self.lanes[owner] if owner else self.lanes.setdefault(name, Lane(name, ""))
        return self.lanes[name]

    def _noted(self, note: Note) -> None:
        self.note = note.text if note.source not in self.lanes else f"{note.source}: {note.text}"
        if note.source in self.lanes:
            self.lanes[note.source].note, self.active = note.text, note.source

    def _ended(self, lane: Lane, event: Ended) -> None:
        moment = event.record.moment.id
        lane.records[moment], lane.latest = event.record, moment
        if event.record.suggestion is not None:
            self.latencies.append(event.record.suggestion.latency)
        if event.awaits_verdict and event.record.verdict is None:
            lane.awaited.add(moment)

    def _beat(self, pulse: Pulse) -> None:
        self.pulse = pulse
        if pulse.paused:
            self.rates.clear()
            return
        lanes = self.lanes.values()
        self.rates.append((pulse.at, sum(_done(lane) for lane in lanes), sum(len(lane.records) for lane in lanes)))
        while self.rates[0][0] < pulse.at - _WINDOW_S:
            self.rates.popleft()


def _done(lane: Lane) -> int:
    sample = lane.session.sample * lane.session.of if lane.session else 0
    return sample + (lane.position.index if lane.position else 0)


def _take(lane: Lane, event: RunEvent, at: float) -> None:
    match event:
        case SessionBegan():
            lane.session, lane.position, lane.asked, lane.answer = event, Reached(lane.name, 0, 0.0), None, None
        case Reached():
            lane.position = event
        case Asked():
            lane.asked, lane.answer, lane.streamed = event, None, ""
            lane.asked_index = lane.position.index if lane.position else 0
        case Streamed() if lane.asked is not None and event.moment == lane.asked.moment:
            lane.streamed = event.text
        case Answered() if lane.asked is not None and event.moment == lane.asked.moment:
            lane.answer = event
        case ReplayedDocumentChanged():
            lane.changes.append(event)
        case StateRunChanged(run=run):
            lane.tests.take(run, at)
        case LeftOut(reason=reason):
            lane.left_out.append(reason)
        case _:
            pass


def _judged(lane: Lane, judged: Record) -> None:
    moment = judged.moment.id
    lane.awaited.discard(moment)
    known = lane.records.get(moment, judged)
    lane.records[moment] = structs.replace(known, verdict=judged.verdict)
