"""What the tests must have seen: a pass counts if the graft executes the statements of the tests that the finished program executes.

A wrong answer passes where the assertions behind it are never reached: an early return, an open docstring, comment or template
literal, a function that is never called, a branch that is never taken. The statements are recorded in a second run, for programs
that passed the first: so what a verdict goes by first has no probes.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Protocol

from runners.programs.checks import Check, checks_of
from runners.programs.probes import placed
from runners.programs.program import Program, Programs
from runners.verdicts import Result, first_line

_SLOWER = 2.0
"""How many times its limit a program may take while it is recorded."""


class Recordings(Protocol):
    """Where what finished programs execute is kept for later runs."""

    async def get(self, key: str) -> Result | None:
        """Return the result that was put under this key, if there is one."""
        ...

    async def put(self, key: str, result: Result) -> None:
        """Keep a result."""
        ...


@dataclass(slots=True)
class ReachedChecks:
    """The statements of one finished program that are its tests, and those that it executes; found out when first asked for.

    `hole` is the part of the finished program's text that a model is to write, as indices of characters.
    """

    finished: Program
    hole: tuple[int, int]
    timeout_s: float
    kept: Recordings | None = None
    """Has what the finished program executed in an earlier run; where a graft does not execute that, the finished program runs again."""
    _ran: asyncio.Task[Result] | None = None
    _found: tuple[Check, ...] | None = None

    @property
    def checks(self) -> tuple[Check, ...]:
        """The statements of the finished program that are its tests."""
        if self._found is None:
            self._found = checks_of(self.finished.language, self.finished.text, self.hole)
        return self._found

    async def confirmed(self, result: Result, graft: Program, programs: Programs) -> Result:
        """Return the result of a graft that passed, or the failure that statements of the tests do not run in it.

        Where some seem not to, both programs run once more, so that chance decides nothing. Where the machine kept the finished program from
        being recorded, the result is "infrastructure": it may be run again, and the next graft has the finished program recorded anew.
        """
        if not self.checks:
            return result
        finished = await self._recorded(programs)
        if _may_be_the_machines(finished):
            return _not_recorded(finished)
        expected = _executed(finished)
        if not expected:
            return result
        probes = placed(self.checks, self.finished.text, graft.text, self.hole)
        watched = await self._watched(graft, probes, programs)
        if not expected <= watched.reached and watched.verdict_class != "infrastructure":
            finished = await self._finished_run(programs)
            if _may_be_the_machines(finished):
                return _not_recorded(finished)
            expected &= _executed(finished)
            again = await self._watched(graft, probes, programs)
            watched = replace(again, reached=again.reached | watched.reached)
        if watched.verdict_class == "infrastructure":
            return watched
        return self._judged(result, watched, expected, probes, graft)

    async def _recorded(self, programs: Programs) -> Result:
        """The first run of the finished program with probes, for all grafts; one that the machine may have failed is not kept."""
        if self._ran is None:
            self._ran = asyncio.ensure_future(self._remembered(programs))
        ran = self._ran
        found = await asyncio.shield(ran)
        if _may_be_the_machines(found) and self._ran is ran:
            self._ran = None
        return found

    async def _remembered(self, programs: Programs) -> Result:
        if self.kept is None:
            return await self._finished_run(programs)
        key = repr((self.finished, self.checks, self.timeout_s))
        if known := await self.kept.get(key):
            return known
        found = await self._finished_run(programs)
        if found.verdict_class == "passed":
            await self.kept.put(key, found)
        return found

    async def _finished_run(self, programs: Programs) -> Result:
        return await self._watched(self.finished, dict(enumerate(self.checks)), programs)

    async def _watched(self, program: Program, probes: dict[int, Check], programs: Programs) -> Result:
        return await programs.run(replace(program, probes=probes), timeout_s=_SLOWER * self.timeout_s)

    def _judged(
        self, result: Result, watched: Result, expected: frozenset[int], probes: dict[int, Check], graft: Program
    ) -> Result:
        missing = sorted(expected - watched.reached)
        if not missing:
            return result
        gone = next((number for number in missing if number not in probes), None)
        if gone is not None:
            message = f"a statement of the tests is not there any more: {self._text(gone)}"
        else:
            line = graft.text.count("\n", 0, probes[missing[0]].start) + 1
            message = (
                f"line {line} of the tests, which runs in the finished program, does not run: {self._text(missing[0])}"
            )
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        return replace(result, verdict_class="failed", message=first_line(message + more))

    def _text(self, number: int) -> str:
        check = self.checks[number]
        return self.finished.text[check.start : check.end].split("\n", 1)[0][:100]


def _may_be_the_machines(finished: Result) -> bool:
    """Whether the machine may have kept a finished program, which passes without probes, from passing with them."""
    return finished.verdict_class in {"infrastructure", "timeout"} or finished.maybe_infrastructure


def _not_recorded(finished: Result) -> Result:
    """The result of a graft whose tests are not known: no failure of a finished program is the model's."""
    message = first_line(
        f"the finished program, with probes in its tests: {finished.message or finished.verdict_class}"
    )
    return replace(finished, verdict_class="infrastructure", message=message, maybe_infrastructure=True)


def _executed(finished: Result) -> frozenset[int]:
    """The statements that the finished program executes; none if it does not pass while they are recorded."""
    return finished.reached if finished.verdict_class == "passed" else frozenset()
