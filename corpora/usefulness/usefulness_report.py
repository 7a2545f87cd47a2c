"""What the judged suggestions of a run come to, as one JSON document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

from corpora.usefulness.usefulness_judge import DIMENSIONS, JudgedSuggestion
from replay.numbers.bootstrap import RESAMPLES, bootstrapped_mean
from replay.numbers.intervals import FigureDocument

Scores = Callable[[JudgedSuggestion], float | None]


def usefulness(
    judged: Sequence[JudgedSuggestion], seed: int, calibrations: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Scores of each dimension (0 to 5) and of both together (0 to 10): of all suggestions, by language, by category and by both.

    The answers to one task are one: their mean counts once, as in DevBench's script (`llm_judge.py`), and tasks are what the bootstrap draws. An answer without a score
    is in no mean, and counted as `unparsable`; one that the judge failed on is counted as `failed`. `calibrations` says by dimension what is known of the judge.
    """
    failures: dict[str, int] = defaultdict(int)
    for each in judged:
        if each.failure:
            failures[each.failure] += 1
    return {
        "suggestions": len(judged),
        "tasks": len({each.task for each in judged}),
        "empty": sum(not each.text.strip() for each in judged),
        "failed": sum(failures.values()),
        "failures": dict(sorted(failures.items(), key=lambda pair: -pair[1])),
        "resamples": RESAMPLES,
        "seed": seed,
        "total": _figures(judged, lambda each: each.total, seed),
        "dimensions": {name: _dimension(name, judged, seed, calibrations.get(name)) for name in DIMENSIONS},
    }


def _dimension(
    name: str, judged: Sequence[JudgedSuggestion], seed: int, calibration: Mapping[str, Any] | None
) -> dict[str, Any]:
    scores = [each.score(name) for each in judged if not each.failure]
    figures = _figures(judged, lambda each: each.score(name), seed)
    return {"unparsable": scores.count(None), "calibration": calibration, **figures}


def _figures(judged: Sequence[JudgedSuggestion], score: Scores, seed: int) -> dict[str, Any]:
    ways: dict[str, Callable[[JudgedSuggestion], str]] = {
        "languages": lambda each: each.record.moment.language,
        "categories": lambda each: each.record.moment.kind,
        "cells": lambda each: f"{each.record.moment.language}/{each.record.moment.kind}",
    }
    return {"all": mean_of_tasks(judged, score, seed)} | {
        name: {key: mean_of_tasks(own, score, seed) for key, own in _grouped(judged, way).items()}
        for name, way in ways.items()
    }


def _grouped(
    judged: Sequence[JudgedSuggestion], way: Callable[[JudgedSuggestion], str]
) -> dict[str, list[JudgedSuggestion]]:
    groups: dict[str, list[JudgedSuggestion]] = defaultdict(list)
    for each in judged:
        groups[way(each)].append(each)
    return dict(sorted(groups.items()))


def mean_of_tasks(judged: Sequence[JudgedSuggestion], score: Scores, seed: int) -> FigureDocument:
    """The mean over tasks of the mean over the answers to each, with DevBench's interval; `n` counts tasks that have a score."""
    by_task: dict[str, list[float]] = defaultdict(list)
    for each in judged:
        if (value := score(each)) is not None:
            by_task[each.task].append(value)
    return bootstrapped_mean([fsum(own) / len(own) for own in by_task.values()], seed)


def row(each: JudgedSuggestion) -> dict[str, Any]:
    """One suggestion and its scores, for a line of a file."""
    moment = each.record.moment
    return {
        "moment": moment.id,
        "path": moment.path,
        "language": moment.language,
        "category": moment.kind,
        "sample": moment.sample,
        "text": each.text,
        "scores": {name: each.score(name) for name in DIMENSIONS},
        "total": each.total,
        "judged": {name: list(judgement.answers) for name, judgement in each.judged.items()},
        "failure": each.failure,
    }
