"""What is kept of a part that was taken out: facts about it, and nothing that may be the machine's fault."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpora.agent.noticing import STAGE, PartTester, TriedPart
from corpora.agent.work import StageFolder
from corpora.mined.checkout import read_checkout
from runners.verdicts import Result

ALL = frozenset({"a", "b"})


def result(ends: Any, tests: frozenset[str] | None = None) -> Result:
    """What a run of the tests said."""
    return Result(ends, "", None, None, "", 5.0, tests)


PASSED, FAILED = result("passed", tests=ALL), result("failed", tests=frozenset({"a"}))
OTHER = result("failed", tests=frozenset({"b"}))
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
        (PASSED, [FAILED, FAILED], "noticed"),
        (PASSED, [FAILED, PASSED], "unnoticed"),
        (PASSED, [FAILED, OTHER], "unnoticed"),
        (PASSED, [FAILED, LATE], "untested"),
        (PASSED, [LATE], "untested"),
        (PASSED, [BROKEN], "untested"),
        (BROKEN, [], "untested"),
        (LATE, [], "untested"),
        (FAILED, [], "dependent"),
    ],
)
async def test_only_what_two_runs_say_of_a_part_is_kept(
    alone: Any, without: list[Any], ends: str, held: bool, folder: StageFolder
) -> None:
    left, asked = iter(without), list[frozenset[str]]()

    async def run(changed: dict[str, str], only: frozenset[str], timeout_s: float) -> Any:
        assert timeout_s
        asked.extend([only] if changed else [])
        return next(left) if changed else alone

    async def passes(only: frozenset[str]) -> bool:
        return held and only <= (alone.tests or frozenset())

    finished: Any = SimpleNamespace(project=SimpleNamespace(plan=SimpleNamespace(timeout_s=20.0)), baseline=PASSED)
    warm: Any = SimpleNamespace(run=run, passes=passes)
    retries: Any = SimpleNamespace(result=lambda start, _: start())
    tester = PartTester(finished, warm, folder, retries, asyncio.Semaphore(1))
    found = await tester.tried("key", "m.py", "pass", tuple(ALL))
    assert found == TriedPart(key="key", ends=ends, noticed_by=("b",) if ends == "noticed" else ())  # type: ignore[arg-type]
    assert list(folder.added(STAGE, TriedPart)) == ([] if ends == "untested" else [found])
    assert next(left, None) is None
    assert asked == [ALL, frozenset({"b"})][: len(without)], "only what has failed runs again"
