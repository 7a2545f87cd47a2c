"""What is asked of which server: one for all samples of a model, one for each of the published answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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

    Raises:
        DataError: no answers of the model were published.

    """
    provider = options.settings.get("provider", {})
    if options.published:
        found = corpus.published(options.published, tasks)
        given = [(task, found.get(task.name, ())[: options.samples]) for task in tasks]
        return list(_told(options, given, {"name": "recorded", "required": True}, folder))
    if provider.get("name") == ORACLE and not provider.get("answers"):
        return list(_told(options, [(task, [task.truth] * options.samples) for task in tasks], {}, folder))
    questions = tuple(Question(task, sample) for sample in range(options.samples) for task in tasks)
    return [Round(_settings(options, {}), questions)]


def _told(
    options: Options, given: Sequence[tuple[Task, Sequence[str]]], provider: Mapping[str, Any], folder: Path
) -> Iterator[Round]:
    """Rounds in which no document is asked about twice: an answer is found by its document alone.

    A task that has fewer answers than there are samples is asked so often.
    """
    rounds: list[list[tuple[Question, str]]] = []
    asked: Counter[str] = Counter()
    for task, texts in given:
        for sample, text in enumerate(texts):
            key = _key(task)
            if asked[key] == len(rounds):
                rounds.append([])
            rounds[asked[key]].append((Question(task, sample), text))
            asked[key] += 1
    for number, one in enumerate(rounds):
        file = folder / f"answers-{number}.jsonl"
        rows = ({"key": _key(question.task), "text": text} for question, text in one)
        file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        yield Round(_settings(options, {**provider, "answers": str(file)}), tuple(question for question, _ in one))


def _key(task: Task) -> str:
    return answer_key(task.before, task.after, task.stop)


def _settings(options: Options, provider: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under which tasks depend neither on each other nor on the person's files."""
    own = options.settings.get("provider", {})
    seed = options.seed or own.get("seed", 0)
    context = {**options.settings.get("context", {}), "workspace": False}
    whole = {**own, **provider, "seed": seed}
    return {**options.settings, "provider": whole, "context": context, "cache": {"entries": 0}}
