"""When a run is repeated because the infrastructure may be to blame for its result, and when everything is given up."""

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
"""After this number of infrastructure failures without a verdict in between, everything ends."""

PAUSES_S = (0.25, 0.5, 1.0)
"""The pause after the first, the second and each further failure in a row, in seconds: the cause may go away."""

AGAIN = 2
"""How many results with `maybe_infrastructure` are run again; the next failure of this kind is blamed on the program."""

LATE_S = 5.0
"""A time-out noticed this many seconds late says that ghosttape itself was stopped or had no processor."""

_NO_THREAD = "can't start new thread"


@dataclass(slots=True)
class RetryPolicy:
    """Repeats runs that the infrastructure may have failed, and stops when it fails in many runs in a row.

    Runs that began before the last failure fail together with it: they count as one failure. After a failure one run is done at
    a time, until one has a verdict.
    """

    pauses_s: Sequence[float] = PAUSES_S
    now: Callable[[], float] = time.monotonic
    _failed: int = 0
    _last: float = -math.inf
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def result(self, run: Callable[[], Awaitable[Result]], timeout_s: float = math.inf) -> Result:
        """Run, and run again while the infrastructure may be to blame, at most `AGAIN` times; the last result counts.

        Each repeated run takes one more pass in a row: one repetition, two passes. Otherwise code that kills itself in some of
        its runs would pass more often than it should.
        Raises `MachineFails` after `IN_A_ROW` failures.
        """
        async with self._alone if self._failed else nullcontext():
            return await self._counted(run, timeout_s)

    async def _counted(self, run: Callable[[], Awaitable[Result]], timeout_s: float) -> Result:
        began = self.now()
        result = await _sure(run, timeout_s)
        if result.verdict_class == "infrastructure" and not result.wall_ms:  # nothing ran
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
        if result.maybe_infrastructure or _was_late(result, timeout_s):
            doubts, passes = doubts + 1, 0
        elif result.verdict_class == "passed":
            passes += 1
        else:
            return result
        if doubts > AGAIN or passes > doubts:
            return result


def _was_late(result: Result, timeout_s: float) -> bool:
    return result.verdict_class == "timeout" and result.wall_ms > 1000 * (timeout_s + LATE_S)


def infrastructure_failure(group: BaseExceptionGroup) -> MachineFails | None:
    """Return what an error in a group of tasks says of the machine: no room, no processes, no threads, no open files; or None."""
    leaves = list(_leaves(group))
    if raised := next((error for error in leaves if isinstance(error, MachineFails)), None):
        return raised
    said = next((str(error) for error in leaves if _is_machines(error)), "")
    return MachineFails(f"this machine does not give what is needed: {said}") if said else None


def _is_machines(error: BaseException) -> bool:
    return isinstance(error, OSError) or (isinstance(error, RuntimeError) and str(error) == _NO_THREAD)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
