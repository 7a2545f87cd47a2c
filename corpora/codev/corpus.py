"""A corpus of blocks as a corpus of tasks: each block as one of the four scenarios asks about it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from corpora.codev.block_tests import BlockBench, BlockTests
from corpora.codev.checkouts import checkout_of
from corpora.codev.layout import read_layout
from corpora.codev.retrieval.embedders import embedder_of
from corpora.codev.retrieval.evidence import FunctionIndex, functions_in
from corpora.codev.samples import GROUPS, CodevRepository, CodevSample, read_samples
from corpora.codev.scenes import WITH_RETRIEVAL, BlockScene, scenes
from corpora.errors import DataError
from corpora.evaluation_options import ProgramForm, Scenario
from corpora.mined.checkout import Checkout
from corpora.mined.repository_tests import RepositoryBench
from corpora.tasks import EvidenceFile, Task
from replay.judge.tape_project import AllowedTests
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


# The blocks that a scenario asks about, from a file of our own or from a folder in the published layout,
# with the repositories that they stand in.


@dataclass(frozen=True, slots=True)
class AskedBlocks:
    """What a scenario asks about. `checkouts` are the files of each repository, by its name."""

    name: str
    repositories: Sequence[CodevRepository]
    checkouts: Mapping[str, Checkout]
    scenes: Sequence[BlockScene]
    evidence: Mapping[str, str] = field(default_factory=dict)
    """Name of a scene → what its published prompt shows of other places; of our own files that is found anew."""


def blocks_of(data: Path, scenario: Scenario, folder: Path | None = None) -> AskedBlocks:
    """Read the blocks of a file of `corpora build codev`, or of a folder in the published layout. `folder` is where the one repository of a file is now.

    Raises:
        DataError: the data or a repository is not usable, or has changed since.
        ProjectError: a repository lacks an object of its commit.

    """
    return _of_file(data, scenario, folder) if data.is_file() else _of_layout(data, scenario)


def _of_file(file: Path, scenario: Scenario, folder: Path | None) -> AskedBlocks:
    head, samples = read_samples(file)
    if folder is not None and len(head.repositories) > 1:
        raise DataError(file, 0, "has several repositories, and --project names the place of one")
    checkouts = {entry.name: checkout_of(file, entry, folder) for entry in head.repositories}
    found = (
        scene
        for number, sample in enumerate(samples, 2)
        for scene in _scenes(file, number, sample, checkouts[sample.repository], scenario)
    )
    return AskedBlocks(head.name, head.repositories, checkouts, tuple(found))


def _scenes(
    file: Path, number: int, sample: CodevSample, checkout: Checkout, scenario: Scenario
) -> Iterator[BlockScene]:
    text = checkout.files.get(sample.path)
    if text is None:
        raise DataError(file, number, f"there is no file {sample.path} in {sample.repository}")
    if not sample.start < sample.end <= length(text):
        raise DataError(file, number, f"the block lies outside of {sample.path}")
    return scenes(sample, text, scenario)


def _of_layout(folder: Path, scenario: Scenario) -> AskedBlocks:
    """The tasks of a folder. Where two have one name, as published rows have none, the later ones get a number."""
    layout, seen = read_layout(folder), Counter[str]()
    found, evidence = list[BlockScene](), dict[str, str]()
    for task in layout.tasks:
        if task.scene.scenario == scenario:
            seen[task.scene.name] += 1
            again = seen[task.scene.name]
            name = f"{task.scene.name}/{again}" if again > 1 else task.scene.name
            found.append(replace(task.scene, name=name))
            evidence[name] = _uncommented(task.evidence)
    return AskedBlocks("codev", layout.repositories, layout.checkouts, tuple(found), evidence)


def _uncommented(text: str) -> str:
    """A piece that stands in a prompt as comments, without their marks."""
    lines = text.splitlines()
    mark = next((mark for mark in ("#", "//") if lines and all(line.startswith(mark) for line in lines)), "")
    return "\n".join(line.removeprefix(mark).removeprefix(" ") for line in lines)
