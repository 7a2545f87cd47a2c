"""SimCopilot as a corpus of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

from corpora.errors import DataError
from corpora.evaluation_options import ProgramForm, Scoring
from corpora.simcopilot.output_tests import JUNIT_JARS, OutputTests
from corpora.simcopilot.scoring import PostProcessor, ScoredTests
from corpora.simcopilot.simcopilot_files import CATEGORIES, FOLDERS, TestedFile, tested_files
from corpora.tasks import Task

_CODE = "example_code"


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a program needs to run, from `programs.toml`."""

    packages: tuple[str, ...] = ()
    """They are installed for it."""
    files: tuple[str, ...] = ()
    """They must lie beside it."""
    libraries: tuple[str, ...] = ()
    """It imports them, and does not get them."""
    timeout_s: float = 25.0

    def lacks(self, tested: TestedFile) -> str:
        """Why a program cannot run with this data; empty if it can."""
        if missing := [name for name in self.files if not (tested.path.parent / name).is_file()]:
            return f"{tested.name} reads {', '.join(missing)}, which the data does not hold"
        if self.libraries:
            return f"{tested.name} needs {', '.join(self.libraries)}, which it does not get"
        if tested.language == "java" and junit_of(tested) is None:
            return f"{tested.name} needs {JUNIT_JARS}, which the data does not hold"
        return ""


@cache
def needs() -> Mapping[str, Needs]:
    """What the programs need, by name."""
    return msgspec.toml.decode(Path(__file__).with_name("programs.toml").read_bytes(), type=dict[str, Needs])


def junit_of(tested: TestedFile) -> Path | None:
    """The jar of JUnit's console in a folder above a program."""
    found = (jar for folder in tested.path.parents[:3] for jar in sorted(folder.glob(JUNIT_JARS)))
    return next(found, None)


@dataclass(frozen=True, slots=True)
class SimCopilot:
    """The published data of SimCopilot: a folder with its `example_code`."""

    folder: Path
    name: str = "simcopilot"
    scoring: Scoring = "answer"

    @property
    def languages(self) -> tuple[str, ...]:
        """Its two languages."""
        return tuple(FOLDERS)

    @property
    def categories(self) -> tuple[str, ...]:
        """Its two kinds of tasks."""
        return CATEGORIES

    @property
    def lacking(self) -> Mapping[str, str]:
        """The programs that cannot run with this data on any machine, and why."""
        found = (tested for language in FOLDERS for tested in tested_files(self._data(), language))
        reasons = {tested.name: _needs(tested).lacks(tested) for tested in found}
        return {name: reason for name, reason in reasons.items() if reason}

    def tasks(
        self, languages: Sequence[str], categories: Sequence[str], *, packages: bool, programs: ProgramForm = "editor"
    ) -> Sequence[Task]:
        """Read the tasks of these languages and categories.

        Both forms of a program are the same text, whole lines in the place of whole lines; in the form `evaluator` the jars beside a Java program come
        before its own classes.
        """
        jars_first = programs == "evaluator"
        found = [
            task_of(tested, category, gap, packages=packages, jars_first=jars_first)
            for language in languages
            for tested in tested_files(self._data(), language)
            for category in categories
            for gap in tested.checkpoints.gaps(category)
        ]
        return found if self.scoring == "answer" else self._scored(found, PostProcessor(self._data().parent))

    def _scored(self, tasks: Sequence[Task], script: PostProcessor) -> list[Task]:
        """The same tasks, with answers scored by the post-processor."""
        return [replace(task, tests=_scored_tests(task, script, self.scoring), is_literal=False) for task in tasks]

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """Refuse: no answers were published with it."""
        del tasks
        raise DataError(self.folder, 0, f"no answers of a model {model!r} were published with SimCopilot")

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Nothing: no answers were published with it, and no errors in their place."""
        del model, tasks
        return {}

    def _data(self) -> Path:
        folders = (self.folder, self.folder / _CODE)
        if found := next((folder for folder in folders if (folder / "tasks_path.json").is_file()), None):
            return found
        raise DataError(
            self.folder, 0, f"there is no folder `{_CODE}` in it: name the folder of SimCopilot with --data"
        )


def task_of(
    tested: TestedFile, category: str, gap: tuple[int, int], *, packages: bool, jars_first: bool = False
) -> Task:
    """The task of a gap: whole lines of a program are taken out, and the cursor stands on an empty line in their place.

    Of a completion the document ends there, because its model does not see what stands below; the tests run with it.
    """
    above, truth, below = _parts(tested.lines, gap)
    name = f"{tested.language}/{category}/{tested.name}/{gap[0]}-{gap[1]}"
    hidden = below if category == "completion" else ""
    return Task(
        corpus="simcopilot",
        name=name,
        category=category,
        language=tested.language,
        path=f"{name}/{tested.path.name}",
        before=above,
        after="" if hidden else below,
        truth=truth,
        tests=tests_of(tested, hidden, packages=packages, jars_first=jars_first),
        below=hidden,
        lacks=_needs(tested).lacks(tested),
    )


def tests_of(tested: TestedFile, below: str, *, packages: bool, jars_first: bool) -> OutputTests:
    """The tests of a program, of which so much stands below the document."""
    known = _needs(tested)
    return OutputTests(
        tested.language,
        tested.path,
        tested.cases,
        tested.checkpoints.output_to_check == "all_output",
        below,
        junit_of(tested) if tested.language == "java" else None,
        jars_first,
        known.packages if packages else (),
        known.timeout_s,
    )


def _scored_tests(task: Task, script: PostProcessor, scoring: Scoring) -> ScoredTests:
    assert isinstance(task.tests, OutputTests)
    return ScoredTests(task.tests, task.before, task.after, script, scoring)


def _needs(tested: TestedFile) -> Needs:
    return needs().get(tested.name, Needs())


def _parts(lines: Sequence[str], gap: tuple[int, int]) -> tuple[str, str, str]:
    """What stands above a gap, in it and below it: together they are the program."""
    first, last = gap
    above = "".join(f"{line}\n" for line in lines[: first - 1])
    below = "".join(f"\n{line}" for line in lines[last:])
    return above, "\n".join(lines[first - 1 : last]), below
