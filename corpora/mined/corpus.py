"""A mined corpus as a corpus of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import DataError
from corpora.evaluation_options import ProgramForm
from corpora.mined.checkout import checked
from corpora.mined.corpus_file import CATEGORIES, MinedHead, MinedLine, read_corpus
from corpora.mined.repository_tests import RepositoryBench, RepositoryTests
from corpora.tasks import Task
from replay.judge.tape_project import AllowedTests
from syntax.text import index_of, length


@dataclass(frozen=True)
class MinedCorpus:
    """The tasks of a mined corpus, and the repository that they are gaps in.

    `project` is the folder of the repository now (empty: where it was). `allowed` is what the user lets its set-up have: `network`, `variables`.
    """

    file: Path
    project: str | Path = ""
    allowed: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _read(self) -> tuple[MinedHead, Sequence[MinedLine]]:
        return read_corpus(self.file)

    @cached_property
    def bench(self) -> RepositoryBench:
        """The repository; it is compared with the digests of the corpus first."""
        head, _ = self._read
        found = checked(self.file, head, Path(self.project or head.repository))
        given = {name: getattr(head.tests, name) for name in head.tests.__struct_fields__}
        return RepositoryBench(found, AllowedTests(**given, **self.allowed))

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._read[0].name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its tasks, in their order."""
        return tuple(dict.fromkeys(line.language for line in self._read[1]))

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of its tasks."""
        return tuple(name for name in CATEGORIES if any(line.category == name for line in self._read[1]))

    @property
    def lacking(self) -> Mapping[str, str]:
        """Nothing: all that the tests need is in the repository, or is installed."""
        return {}

    def tasks(
        self, languages: Sequence[str], categories: Sequence[str], *, packages: bool, programs: ProgramForm = "editor"
    ) -> Sequence[Task]:
        """The tasks of these languages and categories. There is only one form of a program, and packages are those that the repository requires.

        Raises:
            DataError: the repository is not there, has changed since, or a gap lies outside of its file.
            ProjectError: the repository lacks an object of the commit.

        """
        del packages, programs
        return [task for task in self._tasks if task.language in languages and task.category in categories]

    @cached_property
    def _tasks(self) -> Sequence[Task]:
        return [self._task(number, line) for number, line in enumerate(self._read[1], 2)]

    def _task(self, number: int, line: MinedLine) -> Task:
        text = self.bench.checkout.files.get(line.path)
        if text is None:
            raise DataError(self.file, number, f"there is no file {line.path} in the repository")
        if not line.start < line.end <= length(text):
            raise DataError(self.file, number, f"the gap lies outside of {line.path}")
        return task_of(self.name, self.bench, line)

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """Refuse: no answers are published with a mined corpus."""
        raise DataError(self.file, 0, f"no answers of a model {model!r} are published with a mined corpus")

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Nothing: no answers are published with it, and no errors in their place."""
        return {}


def task_of(corpus: str, bench: RepositoryBench, line: MinedLine) -> Task:
    """The task of a gap. Of a completion the document ends at the gap; what stands below comes back for the tests."""
    text = bench.checkout.files[line.path]
    start, end = index_of(text, line.start), index_of(text, line.end)
    hidden = text[end:] if line.category == "completion" else ""
    return Task(
        corpus=corpus,
        name=line.name,
        category=line.category,
        language=line.language,
        path=f"{line.name}/{PurePosixPath(line.path).name}",
        before=text[:start],
        after="" if hidden else text[end:],
        truth=text[start:end],
        tests=RepositoryTests(bench, line.path, hidden),
        stop="block" if line.category == "completion" else "any",
        below=hidden,
        least=line.emptied,
        function=line.function,
        part=f"{line.path}:{line.end}",
    )
