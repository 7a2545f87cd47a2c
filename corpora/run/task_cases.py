"""The tasks of a corpus as cases: each has a finished program of its own, which must pass, and must fail with an empty gap."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from msgspec import structs

from corpora.causes import Cause, cause_of
from corpora.tasks import Task
from replay.judge.kept_results import KeptResults
from replay.judge.states import Case, Judgeable, ProjectState
from replay.records import Verdict
from runners.programs import Programs, ReachedChecks
from runners.verdicts import Result

_PATIENCE, _SHORTEST = 5.0, 1 / 6
"""The limit of an emptied program: so many times the time of the finished one, but at least this share of the benchmark's limit.

That is 5 s of 30, and 10 s of 60 for programs that are built: enough for a compiler that starts anew on a busy machine.
"""


_DOUBTED = 5
"""How often an emptied program with one of these words must fail."""
_CHANCE = re.compile(
    r"thread|multiprocess|concurren|parallel|set(?:Timeout|Interval|Immediate)|sleep|random|shuffle|executor|worker|spawn|fork\b|atomic|mutex|uuid|\brand\(",
    re.IGNORECASE,
)
_FORMAT = 1
"""Of what is kept of programs with probes; another one where other probes are put in."""


@dataclass(frozen=True, slots=True)
class KeptRecordings:
    """What the finished programs of a language execute, kept beside what their tests said of them."""

    results: KeptResults
    language: str
    machine: str
    missing: AbstractSet[str]
    """The languages of which nothing is kept, nor taken: their packages cannot be installed."""

    async def get(self, key: str) -> Result | None:
        """What was kept of a program."""
        return None if self.language in self.missing else await asyncio.to_thread(self.results.get, self._hash(key))

    async def put(self, key: str, result: Result) -> None:
        """Keep what a program executed."""
        if self.language not in self.missing:
            await asyncio.to_thread(self.results.put, self._hash(key), result)

    def _hash(self, key: str) -> str:
        whole = f"recorded {_FORMAT}\0{self.machine}\0{key}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class TaskTests:
    """The tests of one task, run by `programs`. `machine` says what runs its language here."""

    task: Task
    programs: Programs
    machine: str = ""
    explains: bool = False
    """Whether each failure gets its cause, and not only that of a ground truth."""
    reached: ReachedChecks | None = None
    """What the tests of the finished program execute: a model's program must execute it too. None: nothing is asked of it."""
    missing: AbstractSet[str] = frozenset()
    """The languages whose packages could not be installed: nothing of their tasks is kept, nor taken from what was kept."""
    within_s: float | None = None
    """Another time limit than that of the benchmark."""

    @property
    def lasting(self) -> bool:
        """Whether results of other runs say anything here: not where packages cannot be installed that were there then."""
        return self.task.language not in self.missing

    @property
    def timeout_s(self) -> float:
        """How long building and running the program may take."""
        return self.within_s or self.task.tests.timeout_s

    def for_emptied(self, finished: Result) -> TaskTests:
        """The same tests with a shorter limit: of an emptied program only is asked whether it passes, and some wait for ever."""
        limit_s = self.task.tests.timeout_s
        patience_s = max(_PATIENCE * finished.wall_ms / 1000, _SHORTEST * limit_s)
        return replace(self, within_s=min(limit_s, patience_s))

    def runs_of_emptied(self, state: ProjectState) -> int:
        """More than once where the tested code has threads, timers or chance in it: without the part that waits, the order may differ each time."""
        return _DOUBTED if _CHANCE.search(self.task.tests.code(state)) else 1

    def key(self, state: ProjectState) -> str:
        """The machine, the language and the program."""
        return "\0".join((self.machine, self.task.language, self.task.tests.key(state)))

    async def prepare(self, state: ProjectState) -> None:
        """Wait for the packages of the program."""
        await self.task.tests.prepare(state, self.programs)

    async def run(self, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Build and run the program: it is one test. One that a model had a part in must execute the statements of its tests."""
        reached = self.reached if state.written[1] else None
        return await self.task.tests.run(state, self.programs, reached, within_s=self.within_s)

    def compared(self, result: Result, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """A program tells by itself that it came to its end."""
        return result

    def is_repeatable(self, result: Result, state: ProjectState) -> bool:
        """Whether the failure is final: not caused by a missing library, tool or network, which may be there the next time."""
        cause = cause_of(result, self.task.tests.program(state))
        return cause is None or not cause.is_lack

    def explained(self, verdict: Verdict, result: Result, state: ProjectState) -> Verdict:
        """The verdict with the program, unless it passed, and with the cause where the ground truth fails."""
        if verdict.name == "passed":
            return verdict
        program = self.task.tests.program(state)
        verdict = structs.replace(verdict, program=program)
        if not (self.explains or verdict.reason == "broken-baseline"):
            return verdict
        cause = cause_of(result, program)
        if cause is not None and not cause.is_lack and state.written[1]:
            cause = Cause("repairs" if self.task.is_literal else "post-processor", "changed the ground truth")
        return structs.replace(verdict, cause=str(cause)) if cause else verdict


@dataclass(frozen=True, slots=True)
class TaskCases:
    """The cases of some tasks, by the paths of their documents. With `explains` the tests alone decide, as is right for the oracle."""

    tests: Mapping[str, TaskTests]
    explains: bool = False

    @classmethod
    def of(
        cls,
        tasks: Sequence[Task],
        programs: Programs,
        machines: Mapping[str, str],
        *,
        explains: bool,
        missing: AbstractSet[str] = frozenset(),
        kept: KeptResults | None = None,
    ) -> TaskCases:
        """The cases of tasks whose programs run here; `machines` says what runs each language.

        `kept` has, and gets, what finished programs execute.
        """

        def tests_of(task: Task) -> TaskTests:
            machine, reached = machines.get(task.place, ""), task.tests.reached(task.finished, task.hole)
            if reached is not None and kept is not None:
                reached.kept = KeptRecordings(kept, task.language, machine, missing)
            return TaskTests(task, programs, machine, explains, reached=reached, missing=missing)

        made = {task.path: tests_of(task) for task in tasks}
        return cls(made, explains)

    def case(self, asked: Judgeable) -> Case | Verdict:
        """The states that decide about an answer; what offered nothing is tested as nothing."""
        tests = self.tests[asked.moment.path]
        task = tests.task
        if not self.explains and not task.truth.strip() and not task.wants_nothing:
            return Verdict(name="untestable", reason="empty")
        filled = task.filled(asked.suggestion)
        graft = task.finished if task.is_literal and filled.text == task.finished.text else filled
        if task.least is not None and not (asked.suggestion and asked.suggestion.text):
            graft = task.emptied  # nothing: that was tested already
        if self.explains:
            return Case(tests, graft, None)
        if task.wants_nothing:
            return Case(tests, graft, None, task.finished)
        return Case(tests, graft, task.emptied, task.finished)

    def alone(self, asked: Judgeable) -> Case:
        """The state in which the tests of the filled document alone decide, whatever they are worth, as a published score counts.

        Nothing is asked of the lines that a model wrote, nor of which statements run.
        """
        tests = self.tests[asked.moment.path]
        return Case(tests, ProjectState(tests.task.path, tests.task.filled(asked.suggestion).text), None)
