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
_DOUBTS = 3
"""So often a test that fails without a part, and passes then, is left out; what fails only now and then, or in the company of others, is not to be taken for a test that notices."""
_UNTOLD = frozenset({"infrastructure", "timeout"})
"""Ends of a run that may say something of the machine: such a part is tried again by the next build."""
_UNREAD = frozenset({"syntax", "indentation", "compile"})


class TriedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a file that was taken out, with what the tests said."""

    key: str
    ends: PartEnd
    noticed_by: tuple[str, ...] = ()
    """The first test that failed without it, and again alone; all that failed in both runs, where their runner does not say which was first."""


class _NothingTold(Exception):  # noqa: N818 - the name says what happened
    """The tests can tell nothing of a part."""

    def __init__(self, ends: PartEnd) -> None:
        super().__init__(ends)
        self.ends: PartEnd = ends


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
    _alone: dict[frozenset[str], asyncio.Task[bool]] = field(default_factory=dict)

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
                STAGE, f"{known.ends}: {key}" + f" (by {', '.join(known.noticed_by[:3])})" * bool(known.noticed_by)
            )
        self.tried_now(known)
        return known

    async def _try(self, key: str, path: str, changed: str, tests: frozenset[str]) -> TriedPart:
        try:
            await self._check_alone(tests)
            noticed_by = await self._noticed_by(path, changed, tests)
        except _NothingTold as error:
            return TriedPart(key=key, ends=error.ends)
        return TriedPart(key=key, ends="noticed" if noticed_by else "unnoticed", noticed_by=tuple(sorted(noticed_by)))

    async def _noticed_by(self, path: str, changed: str, tests: frozenset[str]) -> frozenset[str]:
        """What fails without the part, and again alone."""
        left = tests
        for _ in range(_DOUBTS):
            missed = await self._missed(path, changed, left) if left else left
            again = await self._missed(path, changed, missed) if missed else missed
            if not missed or (again and await self._are_sound(again)):
                return again
            left -= missed
        return frozenset()

    async def _missed(self, path: str, changed: str, tests: frozenset[str]) -> frozenset[str]:
        """The first test that fails without the part; all that fail, where it is not known which was first."""
        result = _told(await self._run({path: changed}, tests))
        if result.verdict_class in _UNREAD:
            raise _NothingTold("unbuilt")
        return tests & {result.first_failed} or _unpassed(result, tests)

    async def _check_alone(self, tests: frozenset[str]) -> None:
        """Refuse tests that do not pass in the finished project without the others; that is found out once for the same tests."""
        if not await self._are_sound(tests):
            raise _NothingTold("dependent")

    async def _are_sound(self, tests: frozenset[str]) -> bool:
        """Whether tests pass in the finished project without the others: one that needs another before it fails alone with the part and without."""
        if tests not in self._alone:
            self._alone[tests] = asyncio.create_task(self._pass_alone(tests))
        return await asyncio.shield(self._alone[tests])

    async def _pass_alone(self, tests: frozenset[str]) -> bool:
        async with self.slots:
            if await self.warm.passes(tests):
                return True
        return not _unpassed(_told(await self._run({}, tests)), tests)

    async def _run(self, changed: dict[str, str], tests: frozenset[str]) -> Result:
        plan, took_s = self.finished.project.plan, self.finished.baseline.wall_ms / 1000
        shorter_s = min(plan.timeout_s, max(_SHORTEST_S, _PATIENCE * took_s))
        limit_s = math.ceil(shorter_s if changed else plan.timeout_s)
        async with self.slots:
            return await self.retries.result(
                lambda: self.warm.run(changed, tests, timeout_s=limit_s, first=bool(changed)), limit_s
            )


def _told(result: Result) -> Result:
    if result.verdict_class in _UNTOLD:
        raise _NothingTold("untested")
    return result


def _unpassed(result: Result, tests: frozenset[str]) -> frozenset[str]:
    """Those of the tests that did not pass."""
    return tests - (result.tests or frozenset())
