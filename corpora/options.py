"""What can be chosen for an evaluation, and which tasks that means."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, islice, zip_longest
from typing import Any, Literal

import msgspec

from replay.tasks import Task

LENGTH = 256
"""Tokens that an answer may have unless the settings say otherwise: an editor's 64 end in the middle of most tasks."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of an evaluation. `settings` are the language server's initialization options.

    `published` names a model whose published answers are judged; `packages` says whether programs get the packages that
    the corpus knows of; `limit` is the most tasks in all.
    """

    corpus: str
    data: str
    settings: dict[str, Any] = {}
    languages: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1
    seed: int = 0
    sandbox: str = "auto"
    workers: Literal["cold", "warm"] = "cold"
    tests: bool = True
    packages: bool = True
    published: str = ""


def drawn(tasks: Sequence[Task], limit: int | None, seed: int) -> list[Task]:
    """At most `limit` tasks, evenly of all languages and categories, those of each drawn by the seed; in their own order.

    A larger limit keeps what a smaller one took.
    """
    if limit is None or limit >= len(tasks):
        return list(tasks)
    cells: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: _lot(task, seed)):
        cells[task.category, task.language].append(task)
    rounds = zip_longest(*(cells[cell] for cell in sorted(cells)))
    taken = {task.name for task in islice((task for task in chain.from_iterable(rounds) if task), limit)}
    return [task for task in tasks if task.name in taken]


def _lot(task: Task, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{task.name}".encode()).hexdigest()
