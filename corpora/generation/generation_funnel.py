"""The funnel of new tasks: answered → well-formed → parses → tests pass, and notice an empty gap → no near-duplicate → review.

Everything stands in one folder, and each stage is done anew from what is there, so that a run that was stopped goes on:

* `answers.jsonl`: what the model answered, a line each;
* `benchmark/`: the tasks that parse, in DevBench's layout, so that `ghosttape evaluate devbench --data FOLDER` reads them;
* `runs/`: the run that tests their ground truths and their empty gaps;
* `funnel.json`: what became of each answer; `review/benchmark/`: the tasks that wait for a review.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from corpora.audits.duplicates import TOKENS, TREE, similarity_of
from corpora.devbench.corpus import CATEGORIES, FOLDERS, name_of, task_of
from corpora.devbench.devbench_files import Instance
from corpora.errors import DataError
from corpora.tasks import Task
from syntax.languages import language_of
from syntax.parse import has_error

_RUN = re.compile("[0-9a-f]{32}")
STAGES = ("malformed", "unparsable", "broken", "unnoticed", "untested", "duplicate", "review")
"""Where an answer can end; `review`: it passed all stages."""


def append_line(file: Path, value: msgspec.Struct) -> None:
    """Write a value as a line of its own at the end of a file; the start of a line that a kill left there is taken away."""
    with file.open("ab") as lines:
        if lines.tell() and not file.read_bytes().endswith(b"\n"):
            lines.truncate(file.read_bytes().rfind(b"\n") + 1)
        lines.write(msgspec.json.encode(value) + b"\n")


class GeneratedAnswer(msgspec.Struct, frozen=True):
    """One answer of a chat model: the cell that was asked for, its number there (from 0), and the text."""

    language: str
    category: str
    number: int
    text: str

    @property
    def id(self) -> str:
        """The id of its instance."""
        return str(self.number + 1)

    @property
    def name(self) -> str:
        """The name of its task."""
        return name_of(self.language, self.category, self.id)


class Fate(msgspec.Struct, frozen=True):
    """What became of an answer."""

    name: str
    stage: str
    reason: str = ""


class Funnel:
    """The folder of a generation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "answers.jsonl"

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep the folder for this process; it is made if it is not there.

        Raises:
            DataError: it holds something else than a generation, or another process works in it.

        """
        if not self._file.exists() and self.folder.exists() and any(self.folder.iterdir()):
            raise DataError(
                self.folder, 0, "holds something else than new tasks: name a folder of their own with --out"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise DataError(self.folder, 0, "another process makes new tasks there") from error
            yield

    def run(self, key: str) -> Path:
        """The folder of the run that tests these tasks under these options; others are removed (their results are kept in the cache)."""
        kept = self.folder / "runs" / hashlib.sha256(key.encode()).hexdigest()[:32]
        for other in (self.folder / "runs").glob("*"):
            if other != kept and _RUN.fullmatch(other.name) and (other / "run.sqlite").is_file():
                shutil.rmtree(other)
        return kept

    def answers(self) -> list[GeneratedAnswer]:
        """The answers so far; a last line that was cut off by a kill is left out.

        Raises:
            DataError: a line is malformed.

        """
        if not self._file.exists():
            return []
        lines = self._file.read_bytes().split(b"\n")[:-1]
        try:
            return [msgspec.json.decode(line, type=GeneratedAnswer) for line in lines]
        except msgspec.DecodeError as error:
            raise DataError(self._file, 0, f"is no file of answers: {error}") from error

    def keep(self, answered: GeneratedAnswer) -> None:
        """Write an answer down at once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        append_line(self._file, answered)

    def read(self) -> tuple[dict[str, Task], dict[str, Instance], list[Fate]]:
        """The tasks of the answers so far by name, their instances, and what became of the other answers.

        Raises:
            DataError: there are no answers, or one is malformed.

        """
        if not self._file.exists():
            raise DataError(
                self.folder, 0, "no tasks were made there: `ghosttape corpora generate` makes such a folder"
            )
        tasks: dict[str, Task] = {}
        instances: dict[str, Instance] = {}
        fates: list[Fate] = []
        for answered in self.answers():
            instance = instance_of(answered.text, FOLDERS[answered.language], answered.id)
            task = (
                instance
                if isinstance(instance, Refusal)
                else parsed_task(instance, answered.language, answered.category)
            )
            if isinstance(task, Refusal):
                fates.append(Fate(answered.name, task.stage, task.reason))
            elif isinstance(instance, Instance):
                tasks[answered.name], instances[answered.name] = task, instance
        write_benchmark(self.folder, tasks.values(), instances)
        return tasks, instances, fates

    def finish(self, summary: Mapping[str, Any], others: Sequence[Task]) -> list[Fate]:
        """What became of all answers, once the tasks that parse were tested (`summary`); `others` are tasks that must not come again."""
        tasks, instances, fates = self.read()
        fates += tested(tasks.values(), summary)
        failed = {fate.name for fate in fates}
        fates += unlike([task for name, task in tasks.items() if name not in failed], others)
        waiting = [tasks[fate.name] for fate in fates if fate.stage == "review"]
        write_benchmark(self.folder / "review", waiting, instances)
        (self.folder / "funnel.json").write_bytes(msgspec.json.format(msgspec.json.encode(fates), indent=1))
        return fates


def tested(tasks: Iterable[Task], summary: Mapping[str, Any]) -> list[Fate]:
    """Those whose ground truth does not pass, whose empty gap nobody notices, or that were not tested (no toolchain, or the machine failed).

    `summary` is that of a run that offered nothing to each task: a task is as it should be if its verdict is a failure.
    """
    untestable = {row["task"]: row for row in summary["untested"]}
    judged = {row["task"] for row in summary["failures"]}
    fates = []
    for task in tasks:
        row = untestable.get(task.name)
        if row is not None:
            reason = row["reason"].partition(":")[0]
            stage = "unnoticed" if reason in {"undetected", "empty"} else "broken"
            fates.append(Fate(task.name, stage, row["message"] or row["reason"]))
        elif task.name not in judged:
            fates.append(Fate(task.name, "untested", "there is no toolchain, or the machine failed"))
    return fates


def unlike(tasks: Sequence[Task], others: Sequence[Task]) -> list[Fate]:
    """Each task with `review`, or `duplicate` where one before it, or one of `others`, is nearly the same."""
    kept: dict[str, list[Task]] = defaultdict(list)
    for task in others:
        kept[task.language].append(task)
    fates = []
    for task in tasks:
        like = next((other for other in kept[task.language] if _is_near(task, other)), None)
        fates.append(Fate(task.name, "duplicate", f"like {like.name}") if like else Fate(task.name, "review"))
        if like is None:
            kept[task.language].append(task)
    return fates


def _is_near(task: Task, other: Task) -> bool:
    tokens, tree = similarity_of(task, other)
    return tokens > TOKENS or tree > TREE


def counts(fates: Iterable[Fate]) -> dict[str, int]:
    """How many answers ended at each stage, in the order of the stages."""
    found = Counter(fate.stage for fate in fates)
    return {stage: found[stage] for stage in STAGES}


def write_benchmark(folder: Path, tasks: Iterable[Task], instances: Mapping[str, Instance]) -> None:
    """Write tasks in DevBench's layout; what stood there is replaced, and a cell without tasks is an empty file."""
    cells: dict[tuple[str, str], list[Instance]] = defaultdict(list)
    for task in tasks:
        cells[FOLDERS[task.language], task.category].append(instances[task.name])
    for language, category in product(FOLDERS.values(), CATEGORIES):
        file = folder / "benchmark" / language / category / f"{category}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in cells[language, category]))


# What a chat model answered, read as a task, or the reason why it is none.

_TELLING = 20
"""Characters from which on a golden completion that stands beside the gap too gives it away; shorter ones come by chance."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer goes no further: the stage of the funnel that it did not pass, and the reason."""

    stage: str
    reason: str


def instance_of(text: str, language: str, id_: str) -> Instance | Refusal:
    """The first JSON object in a text as an instance; stage `malformed` if there is none, or a member lacks or gives the gap away."""
    found = _object(text)
    if found is None:
        return Refusal("malformed", "there is no JSON object in the answer")
    try:
        instance = msgspec.convert({**found, "id": id_, "language": language}, Instance)
    except msgspec.ValidationError as error:
        return Refusal("malformed", str(error))
    if not _is_text(instance):
        return Refusal("malformed", "half a surrogate pair is in it")
    golden = instance.golden_completion.strip()
    if not golden:
        return Refusal("malformed", "the golden completion is empty")
    if len(golden) > _TELLING and (golden in instance.suffix or golden in instance.prefix):
        return Refusal("malformed", "the golden completion stands beside the gap too")
    return instance


def parsed_task(instance: Instance, language: str, category: str) -> Task | Refusal:
    """The task of an instance; stage `unparsable` if the finished program has a syntax error."""
    task, known = task_of(instance, language, category, packages=False), language_of(language)
    whole = f"{task.finished.text}\n{instance.assertions}\n"
    if known is not None and has_error(known, whole):
        return Refusal("unparsable", "the finished program has a syntax error")
    return task


def _is_text(instance: Instance) -> bool:
    try:
        msgspec.json.encode(instance)
    except UnicodeEncodeError:
        return False
    return True


def _object(text: str) -> dict[str, object] | None:
    """The first JSON object with a prefix in a text, whatever stands around it; line feeds in its strings are allowed."""
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict) and "prefix" in found:
            return found
        at = text.find("{", at + 1)
    return None
