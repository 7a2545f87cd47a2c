"""The figures of an evaluation: shares of tasks passed by language and category, with intervals; and every failure."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, TypeAlias

from corpora.audits.noticing import BY_FILLER, counts_of_tests
from corpora.causes import kind_of
from corpora.corpus import own_figures
from corpora.evaluation_options import EvaluateOptions
from corpora.labels.groups import GROUPS, Borders, LabelledTask, LabelName
from corpora.labels.labels import Labels, labels_of
from corpora.outcomes import TaskOutcome, cluster_of_task, passing, published_passing, share_testable
from corpora.run.error_classes import error_classes
from corpora.tasks import Task
from replay.numbers.adherence import adherence_summary
from replay.numbers.intervals import FigureDocument
from replay.numbers.metrics import UNJUDGED, counted, latency_ms, pass_by_hole, pass_by_length, shares, unmeasured
from replay.numbers.similarity import similarity
from replay.options import ClusterBy
from replay.records import Record, Verdict
from syntax.languages import language_of

_OF_PUBLISHED = "not measured: the answers are published ones"
NO_ERRORS: Mapping[str, str] = MappingProxyType({})


def summary(
    options: EvaluateOptions, tasks: Sequence[Task], records: Sequence[Record], errors: Mapping[str, str] = NO_ERRORS
) -> dict[str, Any]:
    """All figures of an evaluation, as one JSON document. `errors` are texts that were published instead of answers, by task.

    Records of other tasks do not count: those of a run that was begun with other ones.
    """
    own = {task.moment(sample).id for task in tasks for sample in range(options.samples)}
    # verdicts come in any order, and sums depend on it in the last digit
    records = sorted((each for each in records if each.moment.id in own), key=lambda record: record.moment.id)
    outcomes = _outcomes(tasks, records, options.samples, errors)
    verdicts, by = [record.verdict for record in records if record.verdict], options.cluster_by
    return {
        "corpus": options.corpus,
        "provider": options.provider,
        "samples": options.samples,
        "tests": options.tests,
        "programs": options.program_form,
        **({} if options.scoring == "answer" else {"scoring": options.scoring}),
        "repairs": options.settings.repairs,
        "moments": len(records),
        "endings": counted(record.ending.name for record in records),
        "reasons": counted(str(record.ending) for record in records if record.ending.reason),
        "verdicts": counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        **_figures(outcomes, options),
        **own_figures(tasks, records, outcomes, options),
        **({"instructions": adherence_summary(records, options.instructions, by)} if options.instructions else {}),
        "cluster_by": by,
        "shares": shares(records, by),
        "metrics": {
            "pass_at_1": _pass_at_1(outcomes, by),
            "pass_by_hole": pass_by_hole(records, by),
            "pass_by_length": pass_by_length(records, by),
            "latency_ms": _latency(options, records),
        },
        "languages": _by(outcomes, options, lambda task: {"language": task.language}),
        "categories": _by(outcomes, options, lambda task: {"category": task.category}),
        "cells": _by(outcomes, options, lambda task: {"language": task.language, "category": task.category}),
        "labels": _by_labels(outcomes, options),
        "causes": _causes(outcomes),
        "error_classes": error_classes(
            (outcome.task.language, verdict.name) for outcome in outcomes for _, verdict in outcome.samples
        ),
        "failures": list(_listed(outcomes, lambda verdict: verdict.name not in {"passed", *UNJUDGED})),
        "infrastructure": list(_listed(outcomes, lambda verdict: verdict.name == "infrastructure")),
        "untested": list(_listed(outcomes, lambda verdict: verdict.name == "untestable")),
        "unanswered": [
            outcome.task.name for outcome in outcomes if not (outcome.verdicts if options.tests else outcome.answers)
        ],
    }


def cells_excluded(excluded: Iterable[tuple[Task, str]]) -> list[dict[str, Any]]:
    """The tasks that cannot run here, as numbers by language and category, each with why: they have no part in any figure."""
    numbers = Counter((task.language, task.repository, task.category, reason) for task, reason in excluded)
    return [
        {"language": language, "category": category, "tasks": number, "reason": reason}
        | ({"repository": repository} if repository else {})
        for (language, repository, category, reason), number in numbers.items()
    ]


def _outcomes(
    tasks: Sequence[Task], records: Sequence[Record], samples: int, errors: Mapping[str, str]
) -> list[TaskOutcome]:
    known, found = {record.moment.id: record for record in records}, []
    for task in tasks:
        ids = (task.moment(sample).id for sample in range(samples))
        own = [(sample, known[id_]) for sample, id_ in enumerate(ids) if id_ in known]
        verdicts = tuple((sample, record.verdict) for sample, record in own if record.verdict)
        answers = tuple(_offered(record) for _, record in own if record.ending.name != "failed")
        found.append(TaskOutcome(task, verdicts, answers, errors.get(task.name, "")))
    return found


def _offered(record: Record) -> str:
    return record.suggestion.text if record.suggestion else ""


def _figures(outcomes: Sequence[TaskOutcome], options: EvaluateOptions) -> dict[str, Any]:
    """Figures of some tasks: how many, what their tests notice (`counts_of_tests`), and the shares.

    `passed` counts the testable tasks of which a sample passed. `as_published` has the shares over all tasks, where they were wanted.
    `self_contained` is the share among tasks that need nothing that is missing here. Only the oracle's failures show what a task needs, so
    the share is given for the oracle alone.
    """
    by = options.cluster_by
    figures = _passes(outcomes, options, range(1, options.samples + 1)) | {
        "similarity": similarity((cluster_of_task(one, by), one.likeness) for one in outcomes if one.likeness),
        "why_untestable": counted(_reason(outcome) for outcome in outcomes if _reason(outcome)),
    }
    figures |= counts_of_tests(figures)
    if options.is_oracle:
        counting = [outcome for outcome in outcomes if outcome.is_testable and not outcome.lacks]
        figures["self_contained"] = passing(counting, 1, by)
    return figures


def _passes(outcomes: Sequence[TaskOutcome], options: EvaluateOptions, ks: Sequence[int]) -> dict[str, Any]:
    """How many of some tasks there are, are testable and passed, and the shares that pass, with pass@k of these k."""
    counting, by = [outcome for outcome in outcomes if outcome.is_testable], options.cluster_by
    figures: dict[str, Any] = {
        "tasks": len(outcomes),
        "testable": len(counting),
        "passed": sum(outcome.counts[1] > 0 for outcome in counting),
        "share": _pass_at_1(outcomes, by),
        "pass_at_k": {str(k): passing(counting, k, by) for k in ks},
    }
    if options.tests_all_tasks:
        by_k = {str(k): published_passing(outcomes, k, by) for k in ks}
        figures["as_published"] = {"share": by_k["1"], "pass_at_k": by_k}
    return figures


def _latency(options: EvaluateOptions, records: Sequence[Record]) -> dict[str, Any]:
    found = latency_ms(records, options.cluster_by)
    return unmeasured(found) | {"note": _OF_PUBLISHED} if options.published else found


def _pass_at_1(outcomes: Sequence[TaskOutcome], by: ClusterBy) -> FigureDocument:
    return passing(outcomes, 1, by) | {"testable": share_testable(outcomes, by)}


def _reason(outcome: TaskOutcome) -> str:
    """Why a task is untestable, with the cause where there is one; empty where it is testable or was not judged."""
    verdict = next((verdict for verdict in outcome.verdicts if verdict.name == "untestable"), None)
    if verdict is None or outcome.is_testable:
        return ""
    return BY_FILLER if is_by_filler(outcome.task, verdict) else _worded(verdict)


def is_by_filler(task: Task, verdict: Verdict) -> bool:
    """Whether the tests of a task pass with a statement that does nothing in the gap."""
    return verdict.reason == "undetected" and bool(task.filler)


def _worded(verdict: Verdict) -> str:
    return f"{verdict.reason}: {kind_of(verdict.cause).kind}" if verdict.cause else verdict.reason


def _by(
    outcomes: Sequence[TaskOutcome], options: EvaluateOptions, place: Callable[[Task], dict[str, str]]
) -> list[dict[str, Any]]:
    groups: dict[tuple[tuple[str, str], ...], list[TaskOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[tuple(place(outcome.task).items())].append(outcome)
    return [dict(place) | _figures(own, options) for place, own in groups.items()]


def _by_labels(outcomes: Sequence[TaskOutcome], options: EvaluateOptions) -> Mapping[LabelName, dict[str, Any]]:
    """The shares that pass by labels; nothing where no program runs, as then none of them has a value."""
    ks = sorted({1, options.samples})
    return breakdowns(outcomes, lambda own: _passes(own, options, ks)) if options.tests else {}


def _causes(outcomes: Sequence[TaskOutcome]) -> dict[str, int]:
    """Cause → number of tasks that fail because of it."""
    first = (next((verdict.cause for verdict in outcome.verdicts if verdict.cause), "") for outcome in outcomes)
    return counted(cause for cause in first if cause)


def _listed(outcomes: Iterable[TaskOutcome], wanted: Callable[[Verdict], bool]) -> Iterable[dict[str, Any]]:
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
        "reason": BY_FILLER if is_by_filler(task, verdict) else verdict.reason,
        "cause": verdict.cause,
        "message": verdict.message,
    }


# The figures of an evaluation by the labels of its tasks (`corpora.labels`).

FiguresOf: TypeAlias = Callable[[Sequence[TaskOutcome]], dict[str, Any]]
_LEVELS = {"all": (), "languages": ("language",), "cells": ("language", "category")}
"""Which groups stand together: of all tasks, of those of a language, of a language and a category."""


def labels_of_task(task: Task) -> Labels | None:
    """The labels of a task in its whole file; None in a language without a syntax tree here."""
    language = language_of(task.language)
    if language is None:
        return None
    return labels_of(language, task.before, task.truth, task.rest, _own_packages(task))


def _own_packages(task: Task) -> frozenset[str]:
    """The packages of Python that a file lies in, by its path: what it imports from them is the project's."""
    parts = PurePosixPath(task.path).parts[:-1] if task.language == "python" else ()
    return frozenset(parts) - sys.stdlib_module_names


def breakdowns(outcomes: Sequence[TaskOutcome], figures: FiguresOf) -> dict[LabelName, dict[str, Any]]:
    """Name of a label → the figures of each group of tasks: under `all`, `languages` and `cells` a row for each group that has tasks.

    Each task is labelled once. Constructs overlap: a task counts in each of its own. `borders` says which distances part the groups.
    """
    labelled = [
        (LabelledTask(outcome.task.language, outcome.task.category, labels), outcome)
        for outcome in outcomes
        if (labels := labels_of_task(outcome.task)) is not None
    ]
    borders = Borders.of(task for task, _ in labelled)
    return {
        name: {level: _rows(name, places, labelled, borders, figures) for level, places in _LEVELS.items()}
        | {"borders": borders.told(name)}
        for name in GROUPS
    }


def _rows(
    name: LabelName,
    places: Sequence[str],
    labelled: Sequence[tuple[LabelledTask, TaskOutcome]],
    borders: Borders,
    figures: FiguresOf,
) -> list[dict[str, Any]]:
    """The figures of the groups at each place that has tasks; places as they come, groups in their own order."""
    found: dict[tuple[str, ...], dict[str, list[TaskOutcome]]] = defaultdict(lambda: defaultdict(list))
    for task, outcome in labelled:
        place = found[tuple(getattr(task, one) for one in places)]
        for group in borders.groups(task, name):
            place[group].append(outcome)
    return [
        dict(zip(places, place, strict=True)) | {"group": group} | figures(own[group])
        for place, own in found.items()
        for group in GROUPS[name]
        if group in own
    ]
