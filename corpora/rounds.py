"""What is asked of which server: one for all samples of a model, one for each of the published answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from corpora.corpus import Corpus
from corpora.options import Options
from replay.engine import ORACLE
from replay.tasks import Task
from server.providers.recorded import answer_key


@dataclass(frozen=True, slots=True)
class Question:
    """The answer number `sample` (from 0) to a task."""

    task: Task
    sample: int


@dataclass(frozen=True, slots=True)
class Round:
    """Questions to a server that is started with these settings."""

    settings: Mapping[str, Any]
    questions: tuple[Question, ...]


def rounds_of(options: Options, corpus: Corpus, tasks: Sequence[Task], folder: Path) -> list[Round]:
    """The rounds of an evaluation; answers that are known beforehand are written into the folder.

    An instance that a model gave fewer answers to than there are samples is asked so often.

    Raises:
        DataError: no answers of the model were published.

    """
    if options.published:
        answers = corpus.published(options.published, tasks)
        return list(_published(options, answers, tasks, folder))
    questions = tuple(Question(task, sample) for sample in range(options.samples) for task in tasks)
    provider = dict(options.settings.get("provider", {}))
    if provider.get("name") == ORACLE and not provider.get("answers"):
        provider["answers"] = str(_written(folder / "oracle.jsonl", ((task, task.truth) for task in tasks)))
    return [Round(_settings(options, provider), questions)]


def _published(
    options: Options, answers: Mapping[str, Sequence[str]], tasks: Sequence[Task], folder: Path
) -> Iterator[Round]:
    for sample in range(options.samples):
        given = [(task, answers[task.name][sample]) for task in tasks if len(answers.get(task.name, ())) > sample]
        file = _written(folder / f"answers-{sample}.jsonl", given)
        provider = {"name": "recorded", "answers": str(file), "required": True}
        questions = tuple(Question(task, sample) for task, _ in given)
        yield Round(_settings(options, {**options.settings.get("provider", {}), **provider}), questions)


def _written(file: Path, given: Iterable[tuple[Task, str]]) -> Path:
    """A file of answers for the provider `recorded`."""
    rows = ({"key": answer_key(task.before, task.after, task.stop), "text": text} for task, text in given)
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return file


def _settings(options: Options, provider: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under which tasks depend neither on each other nor on the person's files."""
    seed = options.seed or provider.get("seed", 0)
    context = {**options.settings.get("context", {}), "workspace": False}
    return {**options.settings, "provider": {**provider, "seed": seed}, "context": context, "cache": {"entries": 0}}
