"""What the machine does to the runs on it: an end that may be its doing is looked at again, and one that fails is given up."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from runners.errors import MachineFails
from runners.verdicts.result import Result

IN_A_ROW = 10
"""So many failures of the machine one after the other, with no verdict in between, end everything."""

PAUSES_S = (0.25, 0.5, 1.0)
"""How long a place stays empty after the first, second and each further failure in a row: what went away may come back."""

AGAIN = 2
"""So many ends that may be the machine's doing are forgiven; who ends so once more does it himself, so far as one can tell."""

LATE_S = 5.0
"""A run that was stopped so long after its time was up was not watched: we were stopped, or had no processor."""

_NO_THREAD = "can't start new thread"


@dataclass(slots=True)
class Machine:
    """Gives results that are not the machine's doing, as far as one can tell, and counts those that are.

    What goes wrong takes along all that runs: failures of runs that began before the last failure count as one with it. From
    then on runs are done one at a time, until one has a verdict.
    """

    pauses_s: Sequence[float] = PAUSES_S
    now: Callable[[], float] = time.monotonic
    _failed: int = 0
    _last: float = -math.inf
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def result(self, run: Callable[[], Awaitable[Result]], timeout_s: float = math.inf) -> Result:
        """Run, and again while how it ended may be the machine's doing, which is forgiven `AGAIN` times; the last result counts.

        For each end that was forgiven a pass must come once more in a row: code that kills itself now and then, and then gets
        another try, is not to pass by that.
        Raises `MachineFails` after `IN_A_ROW` failures.
        """
        async with self._alone if self._failed else nullcontext():
            return await self._counted(run, timeout_s)

    async def _counted(self, run: Callable[[], Awaitable[Result]], timeout_s: float) -> Result:
        began = self.now()
        result = await _sure(run, timeout_s)
        if result.klass == "infrastructure" and not result.wall_ms:  # nothing ran
            await self._fail(result, began)
        else:
            self._failed = 0
        return result

    async def _fail(self, result: Result, began: float) -> None:
        if began < self._last:
            return
        self._failed, self._last = self._failed + 1, self.now()
        if self._failed >= IN_A_ROW:
            raise MachineFails(
                f"{self._failed} runs of tests in a row failed, through no fault of theirs: {result.message}"
            )
        await asyncio.sleep(self.pauses_s[min(self._failed, len(self.pauses_s)) - 1])


async def _sure(run: Callable[[], Awaitable[Result]], timeout_s: float) -> Result:
    doubts = passes = 0
    while True:
        result = await run()
        if result.doubt or _was_late(result, timeout_s):
            doubts, passes = doubts + 1, 0
        elif result.klass == "passed" or result.only_counts:
            passes += 1
        else:
            return result
        if doubts > AGAIN or passes > doubts:
            return result


def _was_late(result: Result, timeout_s: float) -> bool:
    return result.klass == "timeout" and result.wall_ms > 1000 * (timeout_s + LATE_S)


def machine_failure(group: BaseExceptionGroup) -> MachineFails | None:
    """Return what an error in a group of tasks says of the machine: no room, no processes, no threads, no open files; or None."""
    said = next((str(error) for error in _leaves(group) if _is_machines(error)), "")
    return MachineFails(f"this machine does not give what is needed: {said}") if said else None


def _is_machines(error: BaseException) -> bool:
    return isinstance(error, OSError) or (isinstance(error, RuntimeError) and str(error) == _NO_THREAD)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
