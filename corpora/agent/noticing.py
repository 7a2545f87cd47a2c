"""Whether tests notice that a part of a file is gone: they run with the part taken out, and what they said is kept."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from corpora.agent.work import StageFolder
from replay.judge.baselines import FinishedProject
from runners.verdicts import Result, RetryPolicy
from runners.warm.projects import WarmTests

STAGE = "samples"
PartEnd: TypeAlias = Literal["noticed", "unnoticed", "dependent", "unbuilt", "untested"]
"""What became of a part: tests fail without it; they pass without it; they do not pass alone with it; the text cannot be read without it; the machine failed, or they did not end in time."""
_PATIENCE, _SHORTEST_S = 5.0, 10.0
"""Without a part the tests may take so many times what all took in the finished project, but at least so long (s)."""
_UNTOLD = frozenset({"infrastructure", "timeout"})
"""Ends of a run that may say something of the machine: such a part is tried again by the next build."""
_UNREAD = frozenset({"syntax", "indentation", "compile"})


class TriedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a file that was taken out, with what the tests said."""

    key: str
    ends: PartEnd
    noticed_by: tuple[str, ...] = ()
    """The tests that failed without it, in two runs."""


@dataclass(slots=True)
class PartTester:
    """Takes parts out of the files of a repository. What was tried before is not tried again."""

    finished: FinishedProject
    warm: WarmTests
    """Runs its tests."""
    folder: StageFolder
    retries: RetryPolicy
    slots: asyncio.Semaphore
    tried_now: Callable[[TriedPart], None] = lambda _: None
    _known: dict[str, TriedPart] = field(default_factory=dict)
    _alone: dict[frozenset[str], asyncio.Task[PartEnd | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what was tried before."""
        self._known = {one.key: one for one in self.folder.added(STAGE, TriedPart)}

    async def tried(self, key: str, path: str, changed: str, tests: tuple[str, ...]) -> TriedPart:
        """What the tests say of a file (`changed`: its text without the part). `key` tells parts apart."""
        known = self._known.get(key)
        if known is None:
            known = await self._try(key, path, changed, frozenset(tests))
            if known.ends != "untested":
                self._known[key] = known
                self.folder.add(STAGE, known)
            self.folder.log(
                STAGE, f"{known.ends}: {key}" + f" (by {len(known.noticed_by)} tests)" * bool(known.noticed_by)
            )
        self.tried_now(known)
        return known

    async def _try(self, key: str, path: str, changed: str, tests: frozenset[str]) -> TriedPart:
        if refused := await self._refused(tests):
            return TriedPart(key=key, ends=refused)
        missed = tests
        for _ in range(2):  # a test that fails now and then is not to be taken for one that notices
            result = await self._run({path: changed}, missed)
            if result.verdict_class in _UNTOLD:
                return TriedPart(key=key, ends="untested")
            if result.verdict_class in _UNREAD:
                return TriedPart(key=key, ends="unbuilt")
            missed = _missed(result, missed)
            if not missed:
                return TriedPart(key=key, ends="unnoticed")
        return TriedPart(key=key, ends="noticed", noticed_by=tuple(sorted(missed)))

    async def _refused(self, tests: frozenset[str]) -> PartEnd | None:
        """Why these tests can tell nothing, as they do not pass in the finished project without the others; found out once for the same tests."""
        if tests not in self._alone:
            self._alone[tests] = asyncio.create_task(self._run_alone(tests))
        return await asyncio.shield(self._alone[tests])

    async def _run_alone(self, tests: frozenset[str]) -> PartEnd | None:
        async with self.slots:
            if await self.warm.passes(tests):
                return None
        result = await self._run({}, tests)
        if result.verdict_class in _UNTOLD:
            return "untested"
        return "dependent" if _missed(result, tests) else None

    async def _run(self, changed: dict[str, str], tests: frozenset[str]) -> Result:
        plan, took_s = self.finished.project.plan, self.finished.baseline.wall_ms / 1000
        shorter_s = min(plan.timeout_s, max(_SHORTEST_S, _PATIENCE * took_s))
        limit_s = math.ceil(shorter_s if changed else plan.timeout_s)
        async with self.slots:
            return await self.retries.result(lambda: self.warm.run(changed, tests, timeout_s=limit_s), limit_s)


def _missed(result: Result, tests: frozenset[str]) -> frozenset[str]:
    """Those of the tests that did not pass."""
    return tests - (result.tests or frozenset())
