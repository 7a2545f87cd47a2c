"""What an evaluation comes to: shares of tasks passed, by language and category, with intervals, and each failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from corpora.causes import LACKING, kind_of
from corpora.options import Options
from replay.engine import ORACLE
from replay.metrics import CONFIDENCE, latency_ms, share
from replay.records import Record, Verdict
from replay.tasks import Task

_UNJUDGED = frozenset({"untestable", "infrastructure"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """A task with the verdicts on its samples; a sample that was not judged has none."""

    task: Task
    samples: tuple[tuple[int, Verdict], ...]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts, in the order of the samples."""
        return [verdict for _, verdict in self.samples]

    @property
    def is_testable(self) -> bool:
        """Whether a verdict on it means anything."""
        return any(verdict.name not in _UNJUDGED for verdict in self.verdicts)

    @property
    def counted(self) -> tuple[int, int]:
        """Samples that count, and those of them that passed."""
        names = [verdict.name for verdict in self.verdicts if verdict.name not in _UNJUDGED]
        return len(names), names.count("passed")

    @property
    def lacks(self) -> bool:
        """Whether it fails for want of something that is not here: a network, a service, a library, a tool."""
        causes = [verdict.cause for verdict in self.verdicts if verdict.name != "passed"]
        return any(kind_of(cause).kind in LACKING for cause in causes)


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that one of k answers passes, estimated without bias from c of n that do (Chen et al. 2021, §2.1)."""
    return 1.0 - comb(n - c, k) / comb(n, k)


def passing(outcomes: Iterable[Outcome], k: int) -> dict[str, float | int | None]:
    """The mean of pass@k over the testable tasks with at least k samples: value, low, high in [0, 1], and n tasks.

    The interval is Wilson's where every task has the same answer to every sample (so with one sample), else a percentile
    bootstrap over the tasks (Efron 1979, by scipy, 9,999 samples, seed 0); tasks that are all alike in between give none.
    """
    counts = [outcome.counted for outcome in outcomes if outcome.is_testable]
    values = [pass_at_k(n, c, k) for n, c in counts if n >= k]
    if all(value in {0.0, 1.0} for value in values):
        return share(int(sum(values)), len(values))
    if len(set(values)) == 1:
        return {"value": values[0], "low": None, "high": None, "n": len(values)}
    import numpy as np
    from scipy import stats

    found = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(0))
    low, high = (float(end) for end in found.confidence_interval)
    assert CONFIDENCE == 0.95, "scipy's own default"
    return {"value": float(np.mean(values)), "low": low, "high": high, "n": len(values)}


def summary(
    options: Options, tasks: Sequence[Task], records: Sequence[Record], left_out: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """All figures of an evaluation, as one JSON document."""
    outcomes = _outcomes(tasks, records, options.samples)
    verdicts = [record.verdict for record in records if record.verdict]
    return {
        "corpus": options.corpus,
        "provider": options.published or options.settings.get("provider", {}).get("name", "gguf"),
        "samples": options.samples,
        "moments": len(records),
        "endings": _counted(record.ending.name for record in records),
        "reasons": _counted(str(record.ending) for record in records if record.ending.reason),
        "verdicts": _counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": _counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        **_figures(outcomes, options),
        "metrics": {"pass_at_1": passing(outcomes, 1), "latency_ms": latency_ms(records)},
        "languages": _by(outcomes, options, lambda task: {"language": task.language}),
        "categories": _by(outcomes, options, lambda task: {"category": task.category}),
        "cells": _by(outcomes, options, lambda task: {"language": task.language, "category": task.category}),
        "causes": _causes(outcomes),
        "failures": list(_listed(outcomes, lambda verdict: verdict.name not in {"passed", *_UNJUDGED})),
        "infrastructure": list(_listed(outcomes, lambda verdict: verdict.name == "infrastructure")),
        "untested": list(_listed(outcomes, lambda verdict: verdict.name == "untestable")),
        "unanswered": [outcome.task.name for outcome in outcomes if not outcome.verdicts] if options.tests else [],
        "left_out": list(left_out),
    }


def _outcomes(tasks: Sequence[Task], records: Sequence[Record], samples: int) -> list[Outcome]:
    known = {record.moment.id: record.verdict for record in records if record.verdict}
    ids = ((task, [(sample, task.moment(sample).id) for sample in range(samples)]) for task in tasks)
    return [Outcome(task, tuple((sample, known[id_]) for sample, id_ in named if id_ in known)) for task, named in ids]


def _figures(outcomes: Sequence[Outcome], options: Options) -> dict[str, Any]:
    """Figures of some tasks: how many, testable, passed, and the shares.

    `passed` are those of which a sample passed. `self_contained` is the share among tasks that lack nothing here: only
    the oracle's failures tell what a task lacks, so it is given for the oracle alone.
    """
    testable = [outcome for outcome in outcomes if outcome.is_testable]
    figures: dict[str, Any] = {
        "tasks": len(outcomes),
        "testable": len(testable),
        "passed": sum(outcome.counted[1] > 0 for outcome in testable),
        "share": passing(testable, 1),
        "pass_at_k": {str(k): passing(testable, k) for k in range(1, options.samples + 1)},
        "why_untestable": _counted(_reason(outcome) for outcome in outcomes if _reason(outcome)),
    }
    if options.settings.get("provider", {}).get("name") == ORACLE:
        figures["self_contained"] = passing([outcome for outcome in testable if not outcome.lacks], 1)
    return figures


def _reason(outcome: Outcome) -> str:
    """Why a task is untestable, with the cause where there is one; empty where it is testable or was not judged."""
    verdict = next(iter(outcome.verdicts), None)
    return "" if verdict is None or verdict.name != "untestable" else _worded(verdict)


def _worded(verdict: Verdict) -> str:
    return f"{verdict.reason}: {kind_of(verdict.cause).kind}" if verdict.cause else verdict.reason


def _by(outcomes: Sequence[Outcome], options: Options, place: Callable[[Task], dict[str, str]]) -> list[dict[str, Any]]:
    groups: dict[tuple[tuple[str, str], ...], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[tuple(place(outcome.task).items())].append(outcome)
    return [dict(place) | _figures(own, options) for place, own in groups.items()]


def _causes(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many tasks each cause explains."""
    first = (next((verdict.cause for verdict in outcome.verdicts if verdict.cause), "") for outcome in outcomes)
    return _counted(cause for cause in first if cause)


def _listed(outcomes: Iterable[Outcome], wanted: Callable[[Verdict], bool]) -> Iterable[dict[str, Any]]:
    for outcome in outcomes:
        for sample, verdict in outcome.samples:
            if wanted(verdict):
                yield _line(outcome.task, sample, verdict)


def _line(task: Task, sample: int, verdict: Verdict) -> dict[str, Any]:
    return {
        "task": task.name,
        "language": task.language,
        "category": task.category,
        "sample": sample,
        "verdict": verdict.name,
        "reason": verdict.reason,
        "cause": verdict.cause,
        "message": verdict.message,
    }


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each name comes, the most frequent first, names of one count by the alphabet."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
