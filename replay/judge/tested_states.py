"""Testing states: so many at once, each once in a run, and what does not change is remembered between runs."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Literal, TypeAlias

import msgspec

from replay.judge.kept_results import KeptResults
from replay.judge.shared_results import ResultsInScope
from replay.judge.states import ProjectState, StateTests
from runners.verdicts import Result, RetryPolicy

_FORMAT = 7
_MACHINES = frozenset({"infrastructure", "timeout"})
"""Classes that say as much about the machine as about the code: they are found out anew in each run."""
_SURE, _DOUBTFUL = 2, 16
"""How often a finished program runs before its result is kept: one that passes, and one that fails."""
_Key: TypeAlias = tuple[str, frozenset[str] | None]
_What: TypeAlias = Literal["finished", "emptied", "graft"]


class StateRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run of tests, for those who watch: which state of which document, and how far it is.

    `number` tells the runs of one source apart; `line` (from 1) is where the suggestion stands in the finished document, 0 if it is not known.
    """

    number: int
    what: _What
    path: str
    line: int = 0
    phase: Literal["queued", "running", "ended"] = "queued"


def _nobody(run: StateRun) -> None:
    """Watch nothing."""


@dataclass(slots=True)
class Trials:
    """Tests states, as many at once as there are `slots`. A state is tested once in a run, and everyone who asks gets that result.

    After a failure of the infrastructure, the next call tries again. With `kept`, what a finished or an emptied program does
    comes from an earlier run if there was one; then a finished program runs twice before its result counts, and up to 16 times if it fails.
    """

    slots: asyncio.Semaphore
    kept: KeptResults | None = None
    shared: ResultsInScope | None = None
    """Results that this run shares with others, of all states."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    notify: Callable[[StateRun], None] = _nobody
    """Is told of each run of tests."""
    _numbers: Iterator[int] = field(default_factory=count)
    _begun: dict[_Key, asyncio.Task[Result]] = field(default_factory=dict)
    _was_kept: set[str] = field(default_factory=set)
    """The states whose result was in `kept`."""

    async def finished(self, tests: StateTests, state: ProjectState) -> Result:
        """Test a finished project; the result is `flaky` where it passes in one run and fails in another."""
        return await self._once(tests, state, None, "finished", lambda: self._remembered(tests, state, "finished"))

    async def emptied(self, tests: StateTests, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Test a finished project without the part that a suggestion stands in for."""
        if only is not None:
            return await self.graft(tests, state, only)
        return await self._once(tests, state, None, "emptied", lambda: self._remembered(tests, state, "emptied"))

    async def graft(self, tests: StateTests, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Test a state that a model had a part in."""
        return await self._once(tests, state, only, "graft", lambda: self._tested(tests, state, only, "graft"))

    async def close(self) -> None:
        """Stop what runs."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    async def _once(
        self,
        tests: StateTests,
        state: ProjectState,
        only: frozenset[str] | None,
        what: _What,
        run: Callable[[], Awaitable[Result]],
    ) -> Result:
        key = (tests.key(state), only)
        if key not in self._begun:
            shared = run if self.shared is None else partial(self._shared, self.shared, key, what, run)
            self._begun[key] = asyncio.create_task(self._run(key, shared))
        return await asyncio.shield(self._begun[key])

    async def _run(self, key: _Key, run: Callable[[], Awaitable[Result]]) -> Result:
        result = await run()
        if result.verdict_class == "infrastructure":
            del self._begun[key]
        return result

    async def _shared(
        self, shared: ResultsInScope, key: _Key, what: _What, run: Callable[[], Awaitable[Result]]
    ) -> Result:
        """The result of a state from another run, or from its test here."""
        text, only = key
        name = shared.key(what, text, sorted(only) if only is not None else None)
        if known := await asyncio.to_thread(shared.results.get, name):
            return known
        result = await run()
        await asyncio.to_thread(shared.results.put, name, result, saved=text in self._was_kept)
        return result

    async def _tested(self, tests: StateTests, state: ProjectState, only: frozenset[str] | None, what: _What) -> Result:
        with self._watched(state, what) as begins:
            await tests.prepare(state)
            async with self.slots:
                begins()
                result = await self.retries.result(lambda: tests.run(state, only), tests.timeout_s)
        return tests.compared(result, state, only)

    @contextmanager
    def _watched(self, state: ProjectState, what: _What) -> Iterator[Callable[[], None]]:
        """Say that a run is queued and that it has ended; and give what says that it begins."""
        run = StateRun(next(self._numbers), what, state.path, state.line)
        self.notify(run)
        try:
            yield lambda: self.notify(msgspec.structs.replace(run, phase="running"))
        finally:
            self.notify(msgspec.structs.replace(run, phase="ended"))

    async def _remembered(self, tests: StateTests, state: ProjectState, what: _What) -> Result:
        await tests.prepare(state)
        if self.kept is None or not tests.lasting:
            return await self._surely(tests, state, what)
        key = _hash(f"{what}\0{tests.key(state)}")
        if known := await asyncio.to_thread(self.kept.get, key):
            self._was_kept.add(tests.key(state))
            return known
        result = await self._surely(tests, state, what)
        if what == "finished" and self._stays(tests, state, result):
            result = await self._of_several(tests, state, result)
        if self._stays(tests, state, result) or (what == "emptied" and _ran_out_of_time(result)):
            await asyncio.to_thread(self.kept.put, key, result)
        return result

    async def _surely(self, tests: StateTests, state: ProjectState, what: _What) -> Result:
        """Test a state; an emptied one again where its tests may notice it only sometimes, or where it ran out of its time, which is short."""
        result = await self._tested(tests, state, None, what)
        if what != "emptied":
            return result
        if _ran_out_of_time(result):
            return await self._tested(tests, state, None, what)  # the machine may have been slow
        for _ in range(1, tests.runs_of_emptied(state)):
            if result.verdict_class == "passed" or result.verdict_class in _MACHINES:
                break
            result = await self._tested(tests, state, None, what)
        return result

    async def _of_several(self, tests: StateTests, state: ProjectState, first: Result) -> Result:
        """The result of a finished project that runs again, more often if it fails. What the machine may have caused is not called flaky."""
        for _ in range(1, _SURE if first.verdict_class == "passed" else _DOUBTFUL):
            again = await self._tested(tests, state, None, "finished")
            if again.verdict_class in _MACHINES or again.maybe_infrastructure:
                return again
            failed = [result for result in (first, again) if result.verdict_class != "passed"]
            if len(failed) == 1:
                return replace(failed[0], verdict_class="flaky")
        return first

    @staticmethod
    def _stays(tests: StateTests, state: ProjectState, result: Result) -> bool:
        return (
            not result.maybe_infrastructure
            and result.verdict_class not in _MACHINES
            and tests.is_repeatable(result, state)
        )


def _hash(key: str) -> str:
    return hashlib.sha256(f"{_FORMAT}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()


def _ran_out_of_time(result: Result) -> bool:
    """Whether an emptied program does not come to its end: that it would another time is not likely, and so it may be kept."""
    return result.verdict_class == "timeout" and not result.maybe_infrastructure
