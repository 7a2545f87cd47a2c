"""A corpus of blocks as a corpus of tasks: each block as one of the four scenarios asks about it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from corpora.codev.asked_blocks import AskedBlocks, blocks_of
from corpora.codev.block_tests import BlockBench, BlockTests
from corpora.codev.retrieval.embedders import embedder_of
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.retrieval.functions import functions_in
from corpora.codev.samples import GROUPS, CodevRepository
from corpora.codev.scenes import WITH_RETRIEVAL, BlockScene
from corpora.errors import DataError
from corpora.mined.repository_tests import RepositoryBench
from corpora.options import ProgramForm, Scenario
from corpora.tasks import EvidenceFile, Task
from replay.judge.projects import AllowedTests
from server.embeddings import Embedder
from syntax.text import length


@dataclass(frozen=True)
class CodevCorpus:
    """The blocks of a file, or of a folder in the published layout, as one scenario asks about them.

    `project` is the folder of the repository now, of a corpus of one (empty: where it was). `allowed` is what the user lets its set-up have: `network`, `variables`.
    """

    data: Path
    scenario: Scenario = 1
    project: str | Path = ""
    allowed: Mapping[str, Any] = field(default_factory=dict)
    embeddings: str = ""
    """What functions are compared by in scenario 4 (`corpora.codev.retrieval.embedders`); empty: TF-IDF."""

    @cached_property
    def _blocks(self) -> AskedBlocks:
        return blocks_of(self.data, self.scenario, Path(self.project) if self.project else None)

    @cached_property
    def _benches(self) -> Mapping[str, BlockBench]:
        return {entry.name: self._bench(entry) for entry in self._blocks.repositories}

    def _bench(self, entry: CodevRepository) -> BlockBench:
        given = {name: getattr(entry.tests, name) for name in entry.tests.__struct_fields__}
        return BlockBench(RepositoryBench(self._blocks.checkouts[entry.name], AllowedTests(**given, **self.allowed)))

    @property
    def name(self) -> str:
        """The name that a file gives itself; of the published layout `codev`."""
        return self._blocks.name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its blocks, in their order."""
        return tuple(dict.fromkeys(scene.language for scene in self._blocks.scenes))

    @property
    def categories(self) -> tuple[str, ...]:
        """The types of its blocks, as the paper's tables group them."""
        known = {GROUPS[scene.block_type] for scene in self._blocks.scenes}
        return tuple(group for group in dict.fromkeys(GROUPS.values()) if group in known)

    @property
    def lacking(self) -> Mapping[str, str]:
        """Nothing: all that the tests need is in the repositories, or is installed."""
        return {}

    def tasks(
        self, languages: Sequence[str], categories: Sequence[str], *, packages: bool, programs: ProgramForm = "editor"
    ) -> Sequence[Task]:
        """The tasks of these languages and types of blocks. There is only one form of a program, and packages are those that a repository requires.

        Raises:
            DataError: a repository is not there, has changed since, or a block lies outside of its file.
            ProjectError: a repository lacks an object of its commit.

        """
        del packages, programs
        return [task for task in self._tasks if task.language in languages and task.category in categories]

    async def with_evidence(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks, in scenario 4 each with the three functions of its repository that are most like the one at the cursor, or with what its published prompt shows.

        Raises:
            ProviderError: embeddings cannot be made.

        """
        if self.scenario != WITH_RETRIEVAL:
            return list(tasks)
        embedder = embedder_of(self.embeddings) if self.embeddings else None
        try:
            indices = {task.repository: await self._index(task.repository, embedder) for task in _first(tasks)}
            return [await self._shown(task, indices[task.repository]) for task in tasks]
        finally:
            if embedder is not None:
                await embedder.close()

    async def _index(self, repository: str, embedder: Embedder | None) -> FunctionIndex:
        files = self._blocks.checkouts[repository].files
        return FunctionIndex.by_words(files) if embedder is None else await FunctionIndex.by_meaning(files, embedder)

    async def _shown(self, task: Task, index: FunctionIndex) -> Task:
        folder, _, path = task.path.partition("/")
        if (known := self._blocks.evidence.get(task.name)) is not None:
            return replace(task, evidence=(EvidenceFile(f"{folder}/1/evidence", known),) if known else ())
        found = await index.evidence(path, *task.hole)
        shown = (EvidenceFile(f"{folder}/{number}/{each.path}", each.text) for number, each in enumerate(found, 1))
        return replace(task, evidence=tuple(shown))

    @cached_property
    def _tasks(self) -> Sequence[Task]:
        return [task_of(self.name, self._benches[scene.repository], scene) for scene in self._blocks.scenes]

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """Refuse: no answers are published with it."""
        raise DataError(self.data, 0, f"no answers of a model {model!r} are published with a corpus of blocks")

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Nothing: no answers are published with it, and no errors in their place."""
        return {}


def _first(tasks: Sequence[Task]) -> Iterable[Task]:
    """A task of each repository."""
    return {task.repository: task for task in tasks}.values()


def task_of(corpus: str, bench: BlockBench, scene: BlockScene) -> Task:
    """The task of a scene. The document has a folder of its own, whose name says nothing of the answer."""
    folder = hashlib.sha256(scene.name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Task(
        corpus=corpus,
        name=scene.name,
        category=GROUPS[scene.block_type],
        language=scene.language,
        path=f"{folder}/{scene.path}",
        before=scene.prefix,
        after=scene.suffix,
        truth=scene.middle,
        tests=BlockTests(bench, scene.path, frozenset(scene.tests)),
        stop="any",
        least=scene.emptied,
        function=_outermost(scene),
        part=f"{scene.repository}/{scene.path}:{length(scene.prefix + scene.middle)}",
        hidden=scene.hidden,
        wants_nothing=scene.kind == "empty",
        repository=scene.repository,
        scenario=scene.kind,
        block_head=scene.head,
    )


def _outermost(scene: BlockScene) -> str:
    """The outermost function around a block, by its repository, path and first line (from 1); empty outside of functions."""
    start = len(scene.prefix)
    around = (each for each in functions_in(scene.path, scene.text) if each.start <= start <= each.end)
    outermost = min(around, key=lambda each: each.start, default=None)
    return f"{scene.repository}/{scene.path}:{outermost.line + 1}" if outermost is not None else ""
