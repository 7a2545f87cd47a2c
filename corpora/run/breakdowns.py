"""The figures of an evaluation by the labels of its tasks (`corpora.labels`)."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from corpora.labels.groups import GROUPS, Borders, LabelledTask, LabelName
from corpora.labels.labels import Labels, labels_of
from corpora.run.outcomes import TaskOutcome
from corpora.tasks import Task
from syntax.languages import language_of

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
