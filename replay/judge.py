"""The judge: puts suggestions into the finished project and lets its own tests say what they are worth."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from msgspec import structs

from replay.errors import ReplayError
from replay.grafts import Hole, emptied, graft, hole_of
from replay.instructions import Settled, Spot, Try
from replay.projects import AllowedTests, setup_variables, starting_files
from replay.records import Moment, Record, Suggestion, Untestable, Verdict
from replay.selection import Selection
from replay.tape import Tests
from replay.timeline import Timeline
from runners.coverage import recorded
from runners.project import Plan, Project, prepare
from runners.protocol import Sandbox
from runners.verdicts import Machine, Result, among, both, in_full
from syntax.languages import Language, language_of

Told = Callable[[str], None]
_State: TypeAlias = tuple[str, str, frozenset[str] | None]
"""A path, the text there, and the tests that run (None: all)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is amiss with the tests of a tape: a word for it, and the first line of why."""

    name: str
    reason: str


class Judge:
    """One finished project with its tests. A state of the project is tested once; who asks again gets the same result."""

    def __init__(
        self,
        timeline: Timeline,
        project: Project | None,
        baseline: Verdict | None,
        slots: asyncio.Semaphore,
        *,
        finished: Result | None = None,
        selection: Selection | None = None,
        machine: Machine | None = None,
    ) -> None:
        self.timeline, self.project, self.baseline, self._slots = timeline, project, baseline, slots
        self.finished, self.selection, self.machine = finished, selection, machine or Machine()
        self._tested: dict[_State, asyncio.Task[Result]] = {}

    @classmethod
    async def prepare(
        cls,
        timeline: Timeline,
        sandbox: Sandbox | None,
        cache: Path,
        slots: asyncio.Semaphore,
        told: Told,
        *,
        clones: Sequence[Path] = (),
        selects: bool = False,
        seed: int = 0,
    ) -> Judge:
        """Lay the finished project out and run its tests twice: what fails or flickers there is no model's fault.

        If the judge `selects`, the first of the two finds out which tests touch what: each graft then runs only some.

        Raises:
            RunnerError: the toolchain or the sandbox is missing, or the project's set-up failed.
            ProjectError: the project cannot be laid out, or no clone has the tape's commit.

        """
        tests = timeline.tape.header.tests
        if tests is None or sandbox is None:
            return cls(timeline, None, None, slots)
        files = starting_files(timeline.tape, clones) | timeline.final
        project = await prepare(files, _plan(tests), sandbox, cache, told)
        told("the finished project's own tests run twice")
        machine, coverage = Machine(), None
        try:
            if selects:
                first, coverage = await recorded(project, cache, told)
            else:
                first = await machine.result(lambda: project.run({}), project.plan.timeout_s)
            results = [first, await machine.result(lambda: project.run({}), project.plan.timeout_s)]
        except BaseException:
            project.close()
            raise
        selection = Selection(coverage, seed) if selects else None
        return cls(
            timeline, project, _fault(results), slots, finished=both(*results), selection=selection, machine=machine
        )

    async def close(self) -> None:
        """Stop what runs and take the copies away."""
        for task in self._tested.values():
            task.cancel()
        await asyncio.gather(*self._tested.values(), return_exceptions=True)
        if self.project is not None:
            self.project.close()

    @property
    def fault(self) -> Fault | None:
        """Why this tape's verdicts mean less than they seem to, or nothing; None where all is well."""
        if self.project is None:
            return Fault(
                "no tests", "nothing says how the project is tested: name --test-command, or [tests] in ghosttape.toml"
            )
        if self.baseline is not None:
            return Fault(self.baseline.reason or self.baseline.name, self.baseline.message)
        if self.finished is not None and self.finished.tests is None:
            return Fault(
                "no witness", "tests are judged by their status and summary alone, which the code under test may forge"
            )
        return None

    @property
    def can_judge(self) -> bool:
        """Whether suggestions get verdicts at all: tests are wanted, and the tape has some."""
        return self.project is not None

    def hole(self, spot: Spot | None) -> Hole | Untestable:
        """The part of the finished project that a moment is about, or why there is none."""
        return "diverged" if spot is None else hole_of(self.timeline, spot.moment, spot.before, spot.after)

    async def verdict(self, asked: Settled | Try) -> Verdict:
        """The verdict on what was offered at a moment; what offered nothing is tested as nothing."""
        if self.baseline is not None:
            return self.baseline
        moment, spot = asked.moment, asked.spot
        hole = self.hole(spot)
        if isinstance(hole, str) or spot is None:
            return Verdict(name="untestable", reason=str(hole))
        suggestion = _on_tape(asked.suggestion, moment, spot.moment)
        nothing = emptied(hole, _language(moment))
        return await self._compared(
            hole, moment, nothing, graft(hole, suggestion, spot.moment, spot.before, spot.after)
        )

    async def _compared(self, hole: Hole, moment: Moment, nothing: str, text: str) -> Verdict:
        """The verdict by the tests that a graft needs; for a sample by all of them, and whether that is the same."""
        only = self.selection.tests(hole, nothing, text) if self.selection else None
        if self.selection is None or only is None or not await self._stands(only):
            return await self._verdict(hole, nothing, text)
        sampled = self.selection.samples(moment)
        found = await self._verdict(hole, nothing, text, only)
        if not sampled:
            return found
        whole = await self._verdict(hole, nothing, text)
        self.selection.compare(found, whole)
        return whole

    async def _verdict(self, hole: Hole, nothing: str, text: str, only: frozenset[str] | None = None) -> Verdict:
        """The verdict by all tests, or by some; where these do not notice the hole, or went missing, it is by all."""
        emptied = await self._test(hole.path, nothing, only)
        if emptied.klass == "passed" and only is not None:
            return await self._verdict(hole, nothing, text)
        if emptied.klass in {"passed", "infrastructure"}:
            return _unseen(emptied)
        result = await self._test(hole.path, text, only)
        if result.klass == "failed" and only is not None:  # tests went missing, or have other names now
            return await self._verdict(hole, nothing, text)
        return verdict_of(result)

    async def _stands(self, only: frozenset[str]) -> bool:
        """Whether some of the tests pass in the finished project without the others."""
        assert self.finished is not None
        if not only & (self.finished.tests or frozenset()):
            return False
        path, text = next(iter(self.timeline.final.items()))
        return (await self._test(path, text, only)).klass == "passed"

    async def _test(self, path: str, text: str, only: frozenset[str] | None) -> Result:
        """Test the project with one document changed; each state is tested once by the same tests."""
        key = (path, text, only)
        if key not in self._tested:
            self._tested[key] = asyncio.create_task(self._run(key))
        return await asyncio.shield(self._tested[key])

    async def _run(self, key: _State) -> Result:
        (path, text, only), project = key, self.project
        assert project is not None
        assert self.finished is not None
        async with self._slots:
            ran = await self.machine.result(lambda: project.run({path: text}, only), project.plan.timeout_s)
        result = in_full(ran, among(self.finished, only), [path])
        if result.klass == "infrastructure":
            del self._tested[key]  # whoever asks next makes the machine try again
        same = self.timeline.final.get(path) == text
        blamed = result.klass not in {"passed", "infrastructure"}
        return replace(result, klass="flaky") if same and blamed else result


def _on_tape(offered: Suggestion | None, moment: Moment, there: Moment) -> Suggestion:
    """A suggestion with its range in the recorded document, which drive mode may be ahead of."""
    if offered is None:
        return Suggestion(text="", start=there.offset, end=there.offset, latency=0.0)
    shift = there.offset - moment.offset
    return structs.replace(offered, start=max(0, offered.start + shift), end=max(there.offset, offered.end + shift))


def _plan(tests: Tests) -> Plan:
    return Plan(
        toolchain="system" if tests.toolchain == "none" else tests.toolchain,
        requires=tests.requires,
        setup=tests.setup,
        command=tests.command,
        cwd=tests.cwd,
        timeout_s=tests.timeout_s,
        network=isinstance(tests, AllowedTests) and tests.network,
        setup_env=setup_variables(tests, os.environ),
    )


def _language(moment: Moment) -> Language:
    language = language_of(moment.language) or language_of(moment.path)
    if language is None:
        raise ReplayError(f"{moment.path}: a hole was found in a language whose syntax is not known")
    return language


def lost(records: Iterable[Record]) -> list[dict[str, str]]:
    """Why verdicts were lost to the machine, as `faults` of a summary has it: by tape and reason, with their number."""
    verdicts = ((record.moment.tape, record.verdict) for record in records)
    found = Counter(
        (tape, verdict.message) for tape, verdict in verdicts if verdict and verdict.name == "infrastructure"
    )
    return [
        {"tape": tape, "fault": "infrastructure", "reason": f"{message} (moments: {number})"}
        for (tape, message), number in found.most_common()
    ]


def _fault(results: list[Result]) -> Verdict | None:
    """Why nothing in this project can be tested, going by two runs of the finished project; None when it can."""
    if all(result.klass == "passed" for result in results):
        counts = sorted({result.passed or 0 for result in results})
        told = f"the tests pass, but in different numbers: {counts}"
        return Verdict(name="untestable", reason="flaky", message=told) if len(counts) > 1 else None
    worst = next(result for result in results if result.klass != "passed")
    if worst.klass == "infrastructure":
        return verdict_of(worst)
    reason = "flaky" if any(result.klass == "passed" for result in results) else "broken-baseline"
    return Verdict(name="untestable", reason=reason, message=worst.message, log=worst.log, wall_ms=worst.wall_ms)


def _unseen(nothing: Result) -> Verdict:
    if nothing.klass == "infrastructure":
        return verdict_of(nothing)
    return Verdict(
        name="untestable", reason="undetected", message="the tests pass without this part", wall_ms=nothing.wall_ms
    )


def verdict_of(result: Result) -> Verdict:
    """A test result as a verdict."""
    return Verdict(
        name=result.klass,
        message=result.message,
        passed=result.passed,
        failed=result.failed,
        log=result.log,
        wall_ms=result.wall_ms,
    )
