"""Blocks as the scenarios ask about them: the truth passes, nothing fails wherever something is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from corpora.agent.building import BuiltRepository
from corpora.codev.samples import CodevHead, write_samples
from corpora.options import EvaluateOptions, Scenario
from corpora.run.source import CorpusSource
from corpora.tasks import Task
from replay.play.instructions import Settled
from replay.records import Ending, Suggestion, Verdict
from replay.run.sources.seam import Bench
from runners.sandboxes import pick


def settled(task: Task, text: str, take: int = 0) -> Settled:
    """An answer to a task that replaces so many characters behind the cursor."""
    moment = task.moment()
    offered = Suggestion(text=text, start=moment.offset, end=moment.offset + take, latency=1.0)
    return Settled(moment, task.before, task.after, Ending("shown" if text else "empty"), offered if text else None)


Judged: TypeAlias = tuple[Task, Verdict, Verdict]
"""A task, what is said of its truth, and what is said of nothing."""


async def judged(blocks: Path, scenario: Scenario, bench: Bench) -> list[Judged]:
    """What is said in a scenario of each truth, and of nothing."""
    source = CorpusSource.of(EvaluateOptions(corpus="app", data=str(blocks), scenario=scenario))
    async with AsyncExitStack() as stack:
        judge = (await source.open(bench, stack)).judge
        assert judge is not None
        asked = [judge.verdict(settled(task, text)) for task in source.tasks for text in (task.truth, "")]
        verdicts = await asyncio.gather(*asked)
    return list(zip(source.tasks, verdicts[::2], verdicts[1::2], strict=True))


@pytest.fixture(scope="module")
def found(built: BuiltRepository, tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Mapping[int, list[Judged]]:
    """Scenario → its tasks, as they are judged."""
    blocks = tmp_path_factory.mktemp("corpus") / "app.jsonl"
    write_samples(blocks, CodevHead(codev=1, name="app", repositories=[built.entry]), built.samples)
    bench = Bench(pick("auto"), cache, asyncio.Semaphore(2), 2, lambda _: None, lambda *_: None)

    async def every() -> dict[int, list[Judged]]:
        return {scenario: await judged(blocks, scenario, bench) for scenario in (1, 2, 3, 4)}

    return asyncio.run(every())


@pytest.mark.parametrize(("scenario", "tasks"), [(1, 5), (3, 10), (4, 5)])
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
