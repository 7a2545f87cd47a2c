"""A finished project laid out, with how its own tests do there: what every state of it is compared with."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from replay.judge.judge import verdict_of
from replay.judge.shared_results import ResultsInScope
from replay.judge.tape_project import AllowedTests, setup_variables
from replay.records import Verdict
from replay.tapes.tape import Tests as TestSettings
from runners.coverage import Coverage, record_coverage
from runners.other_files import NOTHING, OtherFiles
from runners.project import Project, ProjectPlan, prepare
from runners.protocol import Sandbox
from runners.verdicts import Result, RetryPolicy, merge_baselines

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FinishedProject:
    """A finished project, and the result of its tests in two runs: a failing or flaky test there is not the model's fault."""

    project: Project
    baseline: Result
    """The first run, with the tests that passed in both."""
    fault: Verdict | None
    """Why nothing can be tested in this project; None if it can."""
    coverage: Coverage | None = None
    """Which test executes which function, where that was asked for."""


async def finished_project(
    files: Mapping[str, str],
    settings: TestSettings,
    sandbox: Sandbox,
    cache: Path,
    notify: Notify,
    *,
    retries: RetryPolicy,
    selects: bool = False,
    others: OtherFiles = NOTHING,
    shared: ResultsInScope | None = None,
) -> FinishedProject:
    """Write a finished project (path → text, and the `others`) to disk and run its tests twice. With `selects`, the first run records which test executes which function.

    With `shared`, whose scope says what the project is, tests that passed in another run do not run again.

    Raises:
        RunnerError: the toolchain or the sandbox is missing, or the project's set-up failed.
        ProjectError: the project cannot be laid out.

    """
    project = await prepare(files, plan_of_tests(settings), sandbox, cache, notify, others=others)
    coverage = None
    name = shared.key("baseline", repr(project.layer)) if shared is not None and not selects else ""
    if shared is not None and name and (known := await asyncio.to_thread(shared.results.get, name)):
        return FinishedProject(project, known, None)
    notify("the finished project's own tests run twice")
    try:
        if selects:
            first, coverage = await record_coverage(project, cache, notify)
        else:
            first = await retries.result(lambda: project.run({}), project.plan.timeout_s)
        results = [first, await retries.result(lambda: project.run({}), project.plan.timeout_s)]
    except BaseException:  # a cancellation too: the folder goes, and the error goes on
        project.close()
        raise
    baseline, fault = merge_baselines(*results), _fault(results)
    if shared is not None and name and fault is None:
        await asyncio.to_thread(shared.results.put, name, baseline)
    return FinishedProject(project, baseline, fault, coverage)


def passing_tests(found: FinishedProject) -> str:
    """What a result depends on beside the text: the toolchain with its packages, and which tests pass without a change; a hash (hex)."""
    layer, passing = found.project.layer, sorted(found.baseline.tests or ())
    return hashlib.sha256(repr((layer, passing, found.baseline.passed)).encode("utf-8", "surrogatepass")).hexdigest()


def plan_of_tests(tests: TestSettings) -> ProjectPlan:
    """How a project is set up and tested, with what the user allows."""
    return ProjectPlan(
        toolchain="system" if tests.toolchain == "none" else tests.toolchain,
        requires=tests.requires,
        setup=tests.setup,
        command=tests.command,
        cwd=tests.cwd,
        timeout_s=tests.timeout_s,
        network=isinstance(tests, AllowedTests) and tests.network,
        setup_env=setup_variables(tests, os.environ),
    )


def _fault(results: list[Result]) -> Verdict | None:
    """Why nothing in this project can be tested, according to two runs of the finished project; None if it can be tested."""
    if all(result.verdict_class == "passed" for result in results):
        counts = sorted({result.passed or 0 for result in results})
        message = f"the tests pass, but in different numbers: {counts}"
        return Verdict(name="untestable", reason="flaky", message=message) if len(counts) > 1 else None
    worst = next(result for result in results if result.verdict_class != "passed")
    if worst.verdict_class == "infrastructure":
        return verdict_of(worst)
    reason = "flaky" if any(result.verdict_class == "passed" for result in results) else "broken-baseline"
    return Verdict(name="untestable", reason=reason, message=worst.message, log=worst.log, wall_ms=worst.wall_ms)
