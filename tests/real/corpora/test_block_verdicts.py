"""Blocks as the scenarios ask about them: the truth passes, nothing fails wherever something is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from corpora.agent.stages import BuiltRepository
from tests.support.block_verdicts import Judged, corpus_file, judged, sandboxed_context


@pytest.fixture(scope="module")
def found(built: BuiltRepository, tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Mapping[int, list[Judged]]:
    """Scenario → its tasks, as they are judged."""
    blocks = corpus_file(built, tmp_path_factory.mktemp("corpus"))

    async def every() -> dict[int, list[Judged]]:
        return {scenario: await judged(blocks, scenario, sandboxed_context(cache)) for scenario in (1, 2, 3, 4)}

    return asyncio.run(every())


@pytest.mark.parametrize(("scenario", "tasks"), [(1, 5), (3, 7), (4, 5)])
def test_the_truth_of_every_kept_block_passes_and_nothing_fails(
    found: Mapping[int, list[Judged]], scenario: int, tasks: int
) -> None:
    assert [truth.name for _, truth, _ in found[scenario]] == ["passed"] * tasks
    assert not {"passed", "untestable", "infrastructure"} & {nothing.name for *_, nothing in found[scenario]}


def test_inside_of_a_block_nothing_passes_only_where_nothing_is_wanted(found: Mapping[int, list[Judged]]) -> None:
    assert {truth.name for _, truth, _ in found[2]} == {"passed"}
    passing = {task.scenario for task, _, nothing in found[2] if nothing.name == "passed"}
    failing = {task.scenario for task, _, nothing in found[2] if nothing.name != "passed"}
    assert (passing, failing) == ({"empty"}, {"inner"})
