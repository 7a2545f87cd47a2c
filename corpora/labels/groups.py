"""Tasks in groups by their labels: by construct, and by how far away the nearest comment and the farthest reference stand.

The classes of distances are those of the SimCopilot paper (Jiang et al. 2025, §4): a comment is `short` or `long` away by the median, a reference `short`,
`medium` or `long` by terciles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from corpora.labels.labels import CONSTRUCTS, Labels

LabelName: TypeAlias = Literal["constructs", "comment", "reference"]
"""What tasks are grouped by: their constructs, their distance to a comment, their distance to the farthest reference."""
NONE = "none"
"""The group of tasks without a comment above, or without a reference."""
GROUPS: Mapping[LabelName, tuple[str, ...]] = MappingProxyType(
    {"constructs": CONSTRUCTS, "comment": ("short", "long", NONE), "reference": ("short", "medium", "long", NONE)}
)
PUBLISHED_BORDERS: Mapping[str, tuple[float, float]] = MappingProxyType({"python": (10, 30), "java": (30, 100)})
"""Language → the last short and the last medium distance to the farthest reference (the paper's Table 3)."""


@dataclass(frozen=True, slots=True)
class LabelledTask:
    """A task's place in its corpus, and its labels."""

    language: str
    category: str
    labels: Labels


@dataclass(frozen=True, slots=True)
class Borders:
    """The distances that part the groups, each the last one of its group, by what they go by."""

    comment: Mapping[tuple[str, str], tuple[float, ...]]
    """(language, category) → the median of its tasks; nothing where none has a comment above."""
    reference: Mapping[str, tuple[float, ...]]
    """Language → two terciles: the paper's, or those of its tasks."""

    @classmethod
    def of(cls, tasks: Iterable[LabelledTask]) -> Borders:
        """The borders of some tasks."""
        tasks = list(tasks)
        comments = _distances(tasks, lambda task: (task.language, task.category), lambda labels: labels.comment)
        references = _distances(tasks, lambda task: task.language, lambda labels: labels.reference)
        terciles = {language: PUBLISHED_BORDERS.get(language, _terciles(own)) for language, own in references.items()}
        return cls({cell: (float(median(own)),) for cell, own in comments.items()}, terciles)

    def groups(self, task: LabelledTask, name: LabelName) -> Sequence[str]:
        """The groups that a task is in: several constructs, or none; one class of a distance."""
        if name == "constructs":
            return [construct for construct in CONSTRUCTS if construct in task.labels.constructs]
        if name == "comment":
            return [_class(name, task.labels.comment, self.comment.get((task.language, task.category), ()))]
        return [_class(name, task.labels.reference, self.reference.get(task.language, ()))]

    def told(self, name: LabelName) -> list[dict[str, Any]]:
        """The borders as they stand in a summary; of constructs there are none."""
        if name == "comment":
            found = self.comment.items()
            return [{"language": one, "category": other, "up_to": list(up_to)} for (one, other), up_to in found]
        borders = self.reference.items() if name == "reference" else ()
        return [
            {
                "language": language,
                "up_to": list(up_to),
                "from": "paper" if language in PUBLISHED_BORDERS else "tasks",
            }
            for language, up_to in borders
        ]


def _distances(
    tasks: Iterable[LabelledTask], place: Callable[[LabelledTask], Any], distance: Callable[[Labels], int | None]
) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = defaultdict(list)
    for task in tasks:
        lines = distance(task.labels)
        if lines is not None:
            found[place(task)].append(lines)
    return found


def _terciles(values: Sequence[int]) -> tuple[float, ...]:
    """The two terciles of some values, with linear interpolation (Hyndman & Fan type 7), as numpy's `quantile`.

    Example: of 1, 2, 3, 4 they are 2 and 3, so that 1 and 2 are short, 3 is medium and 4 long.
    """
    return tuple(quantiles(values, n=3, method="inclusive")) if len(values) > 1 else (float(values[0]),) * 2


def _class(name: LabelName, lines: int | None, up_to: Sequence[float]) -> str:
    """The class of a distance: the first whose last distance is not exceeded."""
    if lines is None:
        return NONE
    *nearer, farthest = GROUPS[name][:-1]
    return next((group for group, last in zip(nearer, up_to, strict=True) if lines <= last), farthest)
