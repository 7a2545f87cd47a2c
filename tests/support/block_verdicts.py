"""What is said of the truth of each task of blocks, and of nothing."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

from corpora.agent.stages import BuiltRepository
from corpora.codev.samples import CodevHead, write_samples
from corpora.evaluation_options import EvaluateOptions, Scenario
from corpora.run.source import CorpusSource
from corpora.tasks import Task
from replay.play.player_instructions import MomentEnded
from replay.records import Ending, Suggestion, Verdict
from replay.run.sources.seam import TestContext
from runners.sandboxes import pick


def sandboxed_context(cache: Path) -> TestContext:
    """Two tests at once."""
    return TestContext(pick("auto"), cache, asyncio.Semaphore(2), 2, lambda _: None, lambda *_: None)


def corpus_file(built: BuiltRepository, folder: Path) -> Path:
    """The corpus of what was built."""
    write_samples(folder / "app.jsonl", CodevHead(codev=1, name="app", repositories=[built.entry]), built.samples)
    return folder / "app.jsonl"


def moment_ended(task: Task, text: str, take: int = 0) -> MomentEnded:
    """An answer to a task that replaces so many characters behind the cursor."""
    moment = task.moment()
    offered = Suggestion(text=text, start=moment.offset, end=moment.offset + take, latency=1.0)
    return MomentEnded(moment, task.before, task.after, Ending("shown" if text else "empty"), offered if text else None)


Judged: TypeAlias = tuple[Task, Verdict, Verdict]
"""A task, what is said of its truth, and what is said of nothing."""


async def judged(blocks: Path, scenario: Scenario, context: TestContext) -> list[Judged]:
    """What is said in a scenario of each truth, and of nothing."""
    source = CorpusSource.of(EvaluateOptions(corpus="app", data=str(blocks), scenario=scenario))
    async with AsyncExitStack() as stack:
        judge = (await source.open(context, stack)).judge
        assert judge is not None
        asked = [judge.verdict(moment_ended(task, text)) for task in source.tasks for text in (task.truth, "")]
        verdicts = await asyncio.gather(*asked)
    return list(zip(source.tasks, verdicts[::2], verdicts[1::2], strict=True))
