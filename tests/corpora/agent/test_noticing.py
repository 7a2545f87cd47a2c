"""What is kept of a part that was taken out: facts about it, and nothing that may be the machine's fault."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpora.agent.block_sampling import STAGE, PartTester, TriedPart
from corpora.agent.work import StageFolder
from corpora.mined.checkout import read_checkout
from runners.verdicts import Result

ALL = frozenset({"a", "b"})


def result(ends: Any, tests: frozenset[str] | None = None) -> Result:
    """What a run of the tests said."""
    return Result(ends, "", None, None, "", 5.0, tests)


PASSED, FAILED, NONE = (result("passed" if tests else "failed", tests=frozenset(tests)) for tests in ("ab", "a", ""))
FIRST = replace(NONE, first_failed="b")
BROKEN, LATE = result("infrastructure"), result("timeout")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> StageFolder:
    """Where it is kept."""
    monkeypatch.chdir(tmp_path)
    return StageFolder.of("app", read_checkout(tmp_path, ""))


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize(
    ("alone", "without", "ends"),
    [
        (PASSED, [("ab", FAILED), ("b", FAILED)], "noticed by b"),
        (PASSED, [("ab", FIRST), ("b", FIRST)], "noticed by b"),
        (PASSED, [("ab", NONE), ("ab", NONE)], "noticed by ab"),
        (PASSED, [("ab", PASSED)], "unnoticed"),
        (PASSED, [("ab", FIRST), ("b", PASSED), ("a", PASSED)], "unnoticed"),
        (PASSED, [("ab", FIRST), ("b", PASSED), ("a", NONE), ("a", NONE)], "noticed by a"),
        (PASSED, [("ab", NONE), ("ab", PASSED)], "unnoticed"),
        (PASSED, [("ab", FAILED), ("b", LATE)], "untested"),
        (PASSED, [("ab", LATE)], "untested"),
        (PASSED, [("ab", BROKEN)], "untested"),
        (PASSED, [("ab", result("syntax"))], "unbuilt"),
        (BROKEN, [], "untested"),
        (LATE, [], "untested"),
        (FAILED, [], "dependent"),
    ],
)
async def test_only_what_two_runs_say_of_a_part_is_kept(
    alone: Any, without: list[tuple[str, Any]], ends: str, held: bool, folder: StageFolder
) -> None:
    left, asked = iter(without), list[str]()

    async def run(changed: dict[str, str], only: frozenset[str], timeout_s: float, first: bool) -> Any:
        assert timeout_s
        assert first is bool(changed)
        asked.extend(["".join(sorted(only))] if changed else [])
        return next(left)[1] if changed else alone

    async def passes(only: frozenset[str]) -> bool:
        return held and only <= (alone.tests or frozenset())

    finished: Any = SimpleNamespace(project=SimpleNamespace(plan=SimpleNamespace(timeout_s=20.0)), baseline=PASSED)
    warm: Any = SimpleNamespace(run=run, passes=passes)
    retries: Any = SimpleNamespace(result=lambda start, _: start())
    tester = PartTester(finished, warm, folder, retries, asyncio.Semaphore(1))
    found = await tester.tried("key", "m.py", "pass", tuple(ALL))
    assert " by ".join(filter(None, (found.ends, "".join(found.noticed_by)))) == ends
    assert list(folder.added(STAGE, TriedPart)) == ([] if ends == "untested" else [found])
    assert asked == [tests for tests, _ in without]


async def test_a_test_that_needs_another_before_it_notices_nothing(folder: StageFolder) -> None:
    """`b` fails wherever `a` has not run before; `a` fails once, by chance."""
    chance = iter([PASSED, replace(NONE, first_failed="a")])  # both without a change; both without the part

    async def run(changed: dict[str, str], only: frozenset[str], timeout_s: float, first: bool) -> Any:
        return next(chance, None if "a" in only else NONE) or PASSED

    async def passes(_: frozenset[str]) -> bool:
        return False

    finished: Any = SimpleNamespace(project=SimpleNamespace(plan=SimpleNamespace(timeout_s=20.0)), baseline=PASSED)
    retries: Any = SimpleNamespace(result=lambda start, _: start())
    tester = PartTester(finished, SimpleNamespace(run=run, passes=passes), folder, retries, asyncio.Semaphore(1))  # type: ignore[arg-type]
    found = await tester.tried("key", "m.py", "pass", tuple(ALL))
    assert (found.ends, found.noticed_by) == ("unnoticed", ())
