"""The seam "what tests a state": a project's own tests, or the one-file program that a document is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from replay.judge.grafts import Hole
from replay.play.player_instructions import MomentEnded, Try
from replay.records import Verdict
from runners.verdicts import Result

Judgeable: TypeAlias = MomentEnded | Try
"""What a verdict is asked for: a moment that has ended, or a suggestion that the user wants to have tested first."""


@dataclass(frozen=True, slots=True)
class ProjectState:
    """A finished project in which a document holds another text, or several do."""

    path: str
    text: str
    others: tuple[tuple[str, str], ...] = ()
    """Further documents that hold another text, as pairs of path and text."""
    written: tuple[int, int] = (0, 0)
    """The first and last line of the document (from 1) that a model wrote; 0 and 0 where no model did.

    The ground truth may say that a program ends in these lines, and a model may not.
    """
    line: int = field(default=0, compare=False)
    """Where the suggestion stands (from 1), for those who watch; 0 if nobody said."""

    @property
    def documents(self) -> dict[str, str]:
        """Path → text of the documents that differ."""
        return {self.path: self.text, **dict(self.others)}


class StateTests(Protocol):
    """What tests the states of one project."""

    @property
    def timeout_s(self) -> float:
        """How long one run may take, builds included."""
        ...

    @property
    def lasting(self) -> bool:
        """Whether results depend on `key` alone, so that a later run may use them again."""
        ...

    def for_emptied(self, finished: Result) -> StateTests:
        """The same tests as they run on the emptied project, given the result of the finished one; their time limit may be shorter."""
        ...

    def runs_of_emptied(self, state: ProjectState) -> int:
        """How often an emptied project must fail before its tests are said to notice it: more than once where the next run may end otherwise."""
        ...

    def key(self, state: ProjectState) -> str:
        """Everything that the result depends on, but for the machine: two states of one key have the same result."""
        ...

    async def prepare(self, state: ProjectState) -> None:
        """Make ready what a run needs that may take long; no other run waits for it."""
        ...

    async def run(self, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Run all tests on a state, or `only` those of these names."""
        ...

    def compared(self, result: Result, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Compare a result with that of the finished project: a test that vanished did not pass."""
        ...

    def is_repeatable(self, result: Result, state: ProjectState) -> bool:
        """Whether the same state has the same result the next time, on this machine as it is."""
        ...

    def explained(self, verdict: Verdict, result: Result, state: ProjectState) -> Verdict:
        """Add to a verdict what a person needs to understand it: the program that ran, the cause of a failure."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """The states that decide about one suggestion."""

    tests: StateTests
    graft: ProjectState
    """The finished project with the suggestion in its hole."""
    emptied: ProjectState | None
    """The finished project with nothing in the hole but what the grammar demands. None: the graft's tests alone decide."""
    finished: ProjectState | None = None
    """The project as the developer left it; None where its tests are known to pass, as those of a tape."""
    hole: Hole | None = None
    """The part of the finished document that the suggestion stands in for, where tests can be selected by it."""
    part: float = 1.0
    """The share that the suggestion says of the statement it ends in, in characters but white space; 1 where it ends with a statement."""
    repeats: bool = False
    """Whether the suggestion says again what stood right of the cursor: then it does not pass, whatever the tests say."""
    is_elsewhere: bool = False
    """Whether the suggestion changes nothing where the person's next edit is: then it does not pass either."""
    fixed: Case | None = None
    """The same where every suggestion of a moment has the same hole; None where this is that case."""


class Cases(Protocol):
    """Turns what is judged into states to test."""

    def case(self, asked: Judgeable) -> Case | Verdict:
        """The states that decide, or the verdict where nothing needs to be tested."""
        ...
