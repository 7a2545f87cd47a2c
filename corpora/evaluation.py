"""An evaluation: the tasks of a corpus under one configuration, asked through a real language server and tested."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.asking import Asking
from corpora.benches import Bench, bench_of
from corpora.corpus import Corpus
from corpora.judging import Judge
from corpora.options import Options, drawn
from corpora.rounds import rounds_of
from corpora.scores import summary
from replay.engine import ORACLE, LeftOut, Listener, Note, cache_folder
from replay.store import Store
from replay.tasks import Task
from runners.errors import MachineFails, RunnerError, ToolchainMissing
from runners.sandboxes import pick
from runners.verdicts import machine_failure
from runners.workspace import create
from server.providers import registry
from server.settings import Settings, merge


@dataclass(slots=True)
class Evaluation:
    """Carries an evaluation out into a store, and tells a listener what happens."""

    options: Options
    corpus: Corpus
    store: Store
    listen: Listener
    cache: Path = field(default_factory=cache_folder)
    left_out: list[dict[str, str]] = field(default_factory=list)

    async def evaluate(self) -> dict[str, Any]:
        """Ask and test what the store does not hold yet; give and keep the summary.

        Raises:
            CorpusError: the data of the corpus is missing or malformed.
            MachineFails: tests fail one after the other for want of a machine that works.
            ReplayError: the server died, or the store cannot be written.
            SandboxMissing: no sandbox works here, though tests are wanted.
            ServerRoomError: the provider is not known, or lacks what it needs.

        """
        options = self.options
        self._check_provider()
        tasks = self.corpus.tasks(options.languages, options.categories, packages=options.packages)
        records = {record.moment.id: record for record in self.store.records()}
        async with AsyncExitStack() as stack:
            judge = None
            if options.tests:
                bench = await stack.enter_async_context(self._bench())
                tasks = await self._those_that_run(bench, tasks)
                judge = Judge(bench.trials, explains=self._is_oracle)
            tasks = drawn(tasks, options.limit, options.seed)
            workspace = await asyncio.to_thread(create)  # it does not outlive us, even when we are killed
            stack.callback(workspace.close)
            folder = workspace.folder
            rounds = rounds_of(options, self.corpus, tasks, folder)
            asking = Asking(self.corpus.name, self.store, self.listen, judge, folder, records)
            try:
                await asking.all(rounds)
            except BaseExceptionGroup as group:
                raise machine_failure(group) or group from None
        result = summary(options, tasks, list(records.values()), self.left_out) | {"run": str(self.store.folder)}
        self.store.put_fact("summary", result)
        return result

    @property
    def _is_oracle(self) -> bool:
        return bool(self.options.settings.get("provider", {}).get("name") == ORACLE)

    def _check_provider(self) -> None:
        """Find out before anything is run whether the provider can be had at all."""
        provider = merge(Settings(), self.options.settings).provider
        if provider.name != ORACLE and not self.options.published:
            registry.make(provider)

    @asynccontextmanager
    async def _bench(self) -> AsyncIterator[Bench]:
        told = lambda text: self.listen(Note(self.corpus.name, text))  # noqa: E731
        bench = await bench_of(self.options, pick(self.options.sandbox), self.cache, told, trusts=not self._is_oracle)
        try:
            yield bench
        finally:
            await bench.trials.close()

    async def _those_that_run(self, bench: Bench, tasks: Sequence[Task]) -> list[Task]:
        """The tasks in languages whose toolchain works here; the others are left out, and why is told."""
        kept: list[Task] = []
        for language in dict.fromkeys(task.language for task in tasks):
            own = [task for task in tasks if task.language == language]
            try:
                kept += await bench.ready(language, own, self._without_packages)
            except MachineFails:
                raise
            except RunnerError as error:
                name = f"{self.corpus.name} {language}"
                self.left_out.append({"tape": name, "reason": str(error), "why": _why(error)})
                self.listen(LeftOut(name, str(error)))
        return kept

    def _without_packages(self, tasks: Sequence[Task]) -> list[Task]:
        names = {task.name for task in tasks}
        languages, categories = ({getattr(task, name) for task in tasks} for name in ("language", "category"))
        plain = self.corpus.tasks(sorted(languages), sorted(categories), packages=False)
        return [task for task in plain if task.name in names]


def _why(error: RunnerError) -> str:
    return "lacking" if isinstance(error, ToolchainMissing) else "failed"
