"""The seam "where moments come from": a player on a tape, or the tasks of a corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from replay.judge.judge import Adherence, Judge
from replay.judge.shared_results import SharedResults
from replay.judge.tape_cases import TestWarning
from replay.judge.tested_states import StateRun
from replay.play.assistant import Steps
from replay.play.player_instructions import Ask, MomentEnded
from replay.records import Effort, Moment
from runners.protocol import Sandbox


class Plays(Protocol):
    """Gives instructions one by one, and is sent what came of each."""

    @property
    def now(self) -> float:
        """The virtual time (ms)."""
        ...

    @property
    def size(self) -> int:
        """How many events, or tasks, there are; the position of an `Ask` among them is `reached`."""
        ...

    @property
    def reached(self) -> int:
        """How many of them are done."""
        ...

    @property
    def unit(self) -> str:
        """What is counted: `event`, `task`."""
        ...

    @property
    def planned(self) -> int | None:
        """How many moments will end in the session; None where that depends on time or on the answers."""
        ...

    @property
    def duration(self) -> float:
        """The virtual time (ms) at the end; 0 where there is no time."""
        ...

    @property
    def as_recorded(self) -> bool:
        """Whether the documents are before each event what the tape says."""
        ...

    @property
    def effort(self) -> Effort | None:
        """The keys that the session took, where accepted text stays (drive mode)."""
        ...

    def play(self) -> Steps:
        """Play to the end."""
        ...


@dataclass(frozen=True, slots=True)
class TestContext:
    """What a source gets to make its tests ready."""

    sandbox: Sandbox | None
    """Where tests run; None: nothing is tested."""
    cache: Path
    slots: asyncio.Semaphore
    """Taken by each test that runs."""
    places: int
    """How many tests run at once."""
    notify: Callable[[str], None]
    """Is told what takes time."""
    leave_out: Callable[[str, str, bool], None]
    """Is told which part of the source cannot be played, why, and whether something is merely missing here."""
    tested: Callable[[StateRun], None] = lambda _: None
    """Is told of each run of tests."""
    shared: SharedResults | None = None
    """Results of tests that this run shares with others."""
    adherence: Adherence | None = None
    """Says what suggestions do to chosen instructions of developers."""


@dataclass(slots=True)
class Subject:
    """A source made ready."""

    player: Callable[[int], Plays]
    """Makes the player that asks for sample number N (from 0)."""
    located: Callable[[MomentEnded], Moment]
    """Gives the moment with what is known of it in the finished project: its truth, its hole, its function."""
    judge: Judge | None = None
    """Gives the verdicts; None: there are none."""
    answer: Callable[[Ask], str | None] | None = None
    """Says the answer that is known before the question is asked: the oracle's, a published one. None: the provider knows."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Documents in which nothing is asked, with what they are: tests, generated files."""
    keys: int = 0
    """How many keys a person pressed."""
    no_person: Mapping[str, int] = field(default_factory=dict)
    """What was left out because no person wrote it: `edits`, how many of these look like single `keys`, and `places` of policy `blocks`."""
    warnings: list[TestWarning] = field(default_factory=list)
    tests_from: Mapping[str, str] = field(default_factory=dict)
    """Where each member of how it is tested comes from; nothing where nothing names any tests, or nothing is tested."""


class Source(Protocol):
    """Where the moments of a run come from."""

    @property
    def name(self) -> str:
        """The id of the tape, the name of the corpus."""
        ...

    @property
    def origin(self) -> str:
        """Where it comes from, for messages: a file, a folder."""
        ...

    @property
    def digest(self) -> str:
        """A hash of all that is played: a run is only continued over the same."""
        ...

    @property
    def size(self) -> int:
        """How many events, or tasks, it has, as far as that is known before it is open."""
        ...

    @property
    def is_timed(self) -> bool:
        """Whether what is asked depends on earlier answers and on time; if not, each moment stands alone."""
        ...

    def check(self) -> None:
        """Refuse what can be seen to be wrong before anything is made."""
        ...

    async def open(self, context: TestContext, stack: AsyncExitStack) -> Subject:
        """Make the source ready; what must be closed goes onto the stack.

        Raises:
            LeftOutError: the source cannot be played here.
            RunnerError: its toolchain or set-up fails.

        """
        ...
