"""Whether the tests of a problem can tell anything: they pass with its reference, and fail with nothing in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from corpora.codealign.benchmark.problems import StandaloneProblem
from runners.errors import RunnerError
from runners.programs import Programs
from runners.verdicts import infrastructure_failure
from server.errors import ProviderMissing

TIMEOUT_S = 30.0
"""The time for a program with all its tests, in seconds."""


@dataclass(frozen=True, slots=True)
class SoundProblems:
    """The problems that are asked about, and why the others are not, by name."""

    kept: Sequence[StandaloneProblem] = ()
    left_out: dict[str, str] = field(default_factory=dict)


async def sound_problems(
    problems: Sequence[StandaloneProblem],
    programs: Programs,
    *,
    with_reference: bool,
    places: int = 1,
    notify: Callable[[int], None] = lambda _: None,
) -> SoundProblems:
    """Test each problem's tests; `notify` gets how many are done.

    A problem is left out if its reference fails (an answer that fails too would have broken nothing), or if its tests pass without a solution (an answer that
    passes would have shown nothing). With `with_reference` a problem also needs a reference. A failure of the machine leaves nothing out, and problems without
    tests are kept: of these only is asked whether an answer follows.

    Raises:
        RunnerError: no program can be run here.

    """
    free, done = asyncio.Semaphore(places), 0

    async def one(problem: StandaloneProblem) -> str:
        nonlocal done
        async with free:
            found = await _fault(problem, programs, with_reference=with_reference)
        done += 1
        notify(done)
        return found

    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(one(problem)) for problem in problems]
    except BaseExceptionGroup as errors:
        raise told_failure(errors) from None
    faults = {problem.name: own.result() for problem, own in zip(problems, asked, strict=True)}
    return SoundProblems(
        [problem for problem in problems if not faults[problem.name]],
        {name: fault for name, fault in faults.items() if fault},
    )


def told_failure(errors: BaseExceptionGroup) -> BaseException:
    """What ended a group of tasks, as an error that a command can tell: what is missing or cannot be run, or a failure of the machine; else the group."""
    known: BaseException | None = errors.subgroup((ProviderMissing, RunnerError))
    while isinstance(known, BaseExceptionGroup):
        known = known.exceptions[0]
    return known or infrastructure_failure(errors) or errors


async def _fault(problem: StandaloneProblem, programs: Programs, *, with_reference: bool) -> str:
    """Why a problem is left out; "" if it is not."""
    if with_reference and not problem.reference:
        return "it has no reference: --ask-first has the model write the first solution"
    if not problem.is_tested:
        return ""
    if problem.reference:
        found = (await programs.run(problem.program(problem.reference), timeout_s=TIMEOUT_S)).verdict_class
        if found not in {"passed", "infrastructure"}:
            return f"its reference fails its own tests: {found}"
    empty = await programs.run(problem.program(""), timeout_s=TIMEOUT_S)
    return "its tests pass without a solution" if empty.verdict_class == "passed" else ""
