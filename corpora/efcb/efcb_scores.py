"""Scores of EFCB: each task over each repository, the unweighted mean over repositories, and the EFCB score (Liang 2025, section 2.2).

An answer that cannot be read is not right, and is counted apart; a score that a judge did not give is left out of the mean, and counted.
An answer that the provider failed to give is no answer: it is left out, and counted as failed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from types import MappingProxyType

from corpora.efcb.questions import CHOICE_TASKS, TASKS, TaskName
from replay.numbers.intervals import FigureDocument, figure, share, student_quantile, wilson

_Z = 1.959963984540054
SCALES: Mapping[TaskName, float] = MappingProxyType(
    {
        "gmcq-easy": 1.0,
        "gmcq-hard": 1.0,
        "mpr-gen": 10.0,
        "reverse-qa": 10.0,
        "reverse-qa-hallu": 1.0,
        "gmcq-hard-2": 1.0,
    }
)
"""What the best (of Reverse-QA-Hallu: the worst) score of a task is."""


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """What a question came to: 0 or 1 for a choice, the judge's score for a text. None where there is no score."""

    task: TaskName
    repository: str
    pull_request: str
    score: float | None


def task_figures(scored: Sequence[QuestionScore]) -> dict[str, FigureDocument]:
    """Repository → its score in one task with a 95 % interval, and `mean`: the unweighted mean over repositories."""
    values = _by_repository(scored)
    if not values:
        return {}
    task = scored[0].task
    return repository_figures(values, SCALES[task], shares=task in CHOICE_TASKS or task == "reverse-qa-hallu")


def repository_figures(
    values: Mapping[str, Sequence[float]], scale: float, *, shares: bool
) -> dict[str, FigureDocument]:
    """Repository → the figure of its values (a share with Wilson's interval, or a mean with Student's), and `mean`: the unweighted mean over them."""
    found = {
        name: share(round(fsum(own)), len(own)) if shares else unweighted_mean([own], scale, shares=False)
        for name, own in sorted(values.items())
    }
    return {**found, "mean": unweighted_mean(list(values.values()), scale, shares=shares)} if found else {}


def _by_repository(scored: Iterable[QuestionScore]) -> dict[str, list[float]]:
    values: dict[str, list[float]] = defaultdict(list)
    for one in scored:
        if one.score is not None:
            values[one.repository].append(one.score)
    return dict(values)


def unweighted_mean(strata: Sequence[Sequence[float]], scale: float = 1.0, *, shares: bool) -> FigureDocument:
    """The mean of the means of some repositories, each counted alike, with a 95 % interval for questions drawn anew in each of them.

    The variance of the mean of K means is the sum of s² / (K² n) over them (stratified sampling, Cochran 1977, section 5.4), and n in the figure is
    the number of questions. `shares` (each value is 0 or 1) have Wilson's interval for as many questions as tell as much: p (1 - p) by that variance, or K² by
    the sum of 1 / n where it is 0. Other means have Student's, with the degrees of freedom of Welch and Satterthwaite, cut at 0 and `scale`, and none
    where the variance is 0. A repository whose values are all alike adds nothing to the variance: with few questions there, the interval is too narrow.
    Example: the shares 0.9 of 10 and 0.5 of 100 have the mean 0.7.
    """
    means = [fsum(own) / len(own) for own in strata]
    count, number = len(strata), sum(map(len, strata))
    value = fsum(means) / count
    if any(len(own) < 2 for own in strata):
        return figure(value, None, number, number, None)
    parts = [
        fsum((one - mean) ** 2 for one in own) / (len(own) - 1) / len(own) / count**2
        for own, mean in zip(strata, means, strict=True)
    ]
    variance = fsum(parts)
    if shares:
        alike = count**2 / fsum(1 / len(own) for own in strata)
        effective = value * (1 - value) / variance if variance and 0 < value < 1 else alike
        return figure(value, wilson(value, effective, _Z), number, number, number / effective)
    if not variance:
        return figure(value, None, number, number, None)
    degrees = variance**2 / fsum(part**2 / (len(own) - 1) for part, own in zip(parts, strata, strict=True))
    half = student_quantile(0.975, degrees) * sqrt(variance)
    return figure(value, (max(0.0, value - half), min(scale, value + half)), number, number, None)


def efcb_score(scored: Sequence[QuestionScore]) -> FigureDocument | None:
    """The EFCB score: (accuracies of the two GMCQ + scores of MPR-Gen and Reverse-QA by 10 + 1 - rate of hallucinations) / 5, of the unweighted means.

    None where a task has no score. `n` is the number of questions with a score in the five tasks, `clusters` that of their pull requests. The 95 % interval
    takes all questions about one pull request as one draw: the score is linear in its questions, so the variance is the sum over the pull requests of a repository of (z - mean of z)², with n / (n - 1), where z is what the questions of a pull request add
    (linearisation; Särndal, Swensson and Wretman 1992, section 5.5).
    Example: 0.803, 0.476, 7.23, 3.74 and 0.965 have (0.803 + 0.476 + 0.723 + 0.374 + 0.035) / 5 = 0.482, as published.
    """
    strata: dict[tuple[TaskName, str], list[QuestionScore]] = defaultdict(list)
    for one in scored:
        if one.score is not None and one.task in TASKS:
            strata[one.task, one.repository].append(one)
    if {task for task, _ in strata} != set(TASKS):
        return None
    repositories = {task: sum(other == task for other, _ in strata) for task in TASKS}
    value, added = 0.0, defaultdict[str, dict[str, float]](lambda: defaultdict(float))
    for (task, repository), own in strata.items():
        weight = 1 / (len(TASKS) * repositories[task] * len(own))
        gains = [_gain(task, one.score or 0.0) for one in own]
        mean = fsum(gains) / len(gains)
        value += weight * fsum(gains)
        for one, gain in zip(own, gains, strict=True):
            added[repository][one.pull_request] += weight * (gain - mean)
    return figure(value, _around(value, added), sum(map(len, strata.values())), sum(map(len, added.values())), None)


def _gain(task: TaskName, score: float) -> float:
    """What a score adds to the EFCB score, in [0, 1]."""
    return 1 - score if task == "reverse-qa-hallu" else score / SCALES[task]


def _around(value: float, added: Mapping[str, Mapping[str, float]]) -> tuple[float, float] | None:
    if any(len(own) < 2 for own in added.values()):
        return None
    variance = 0.0
    for own in added.values():
        mean = fsum(own.values()) / len(own)
        variance += fsum((one - mean) ** 2 for one in own.values()) * len(own) / (len(own) - 1)
    half = _Z * sqrt(variance)
    return (max(0.0, value - half), min(1.0, value + half)) if half else None
