"""The stage `environment` by rules: the first way, of those that the files of a repository show, in which its tests pass in the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from corpora.agent.work import StageFolder
from corpora.history.environments import limit_s
from corpora.mined.checkout import Checkout
from replay.importers.building.project_tests import tests_of_plan
from replay.tapes.tape import Tests
from runners.environments import WITHIN_S, KeptTrials, WayTester, candidates
from runners.protocol import Sandbox

STAGE = "environment"


class FoundEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """How a repository is set up and tested, and how that was found out."""

    tests: Tests
    by: str
    """`rules`, or what proposed it."""
    said: tuple[str, ...] = ()
    """What is taken for granted, for a person."""


async def by_rules(
    checkout: Checkout, sandbox: Sandbox, cache: Path, folder: StageFolder, notify: Callable[[str], None]
) -> FoundEnvironment:
    """Find out how a repository is tested; ways that failed before are not tried again.

    Raises:
        NotTestable: no way was found; says what to do.
        RunnerError: the machine failed.

    """

    def tell(line: str) -> None:
        folder.log(STAGE, line)
        notify(line)

    tester = WayTester(sandbox, cache, tell, WITHIN_S, others=checkout.others)
    kept = KeptTrials(folder.folder / "ways.json")
    works = await tester.first_working(checkout.files, candidates(checkout.files), kept)
    tests = tests_of_plan(works.candidate.plan, limit_s(works.result.wall_ms))
    said = tuple(f"{one.said} ({one.source or 'no file says so'})" for one in works.candidate.assumptions)
    tell(f"its tests pass: {tests.command} ({works.result.passed} passed)")
    return FoundEnvironment(tests=tests, by="rules", said=said)
