"""All audits of the tasks of a corpus, in one document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import msgspec

from corpora.audits.diversity import mean_cosine
from corpora.audits.duplicates import TOKENS, TREE, near_duplicates
from corpora.tasks import Task


def audit(tasks: Sequence[Task]) -> dict[str, Any]:
    """What some tasks are like: how many, near-duplicates with their similarities, and the mean cosine within each language and category.

    `diversity.mean` is the mean over those cells, as in DevBench's paper.
    """
    pairs = near_duplicates(tasks)
    cells: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        cells[task.language, task.category].append(task)
    found = [
        {"language": language, "category": category, "tasks": len(own), "cosine": mean_cosine(_texts(own))}
        for (language, category), own in cells.items()
    ]
    known = [cell["cosine"] for cell in found if isinstance(cell["cosine"], float)]
    return {
        "tasks": len(tasks),
        "near_duplicates": {
            "limits": {"tokens": TOKENS, "tree": TREE},
            "pairs": len(pairs),
            "by_tokens": sum(pair.tokens > TOKENS for pair in pairs),
            "by_tree": sum(pair.tree > TREE for pair in pairs),
            "tasks": len({name for pair in pairs for name in (pair.one, pair.other)}),
            "list": [msgspec.to_builtins(pair) for pair in pairs],
        },
        "diversity": {"mean": fmean(known) if known else None, "cells": found},
    }


def _texts(tasks: Sequence[Task]) -> list[str]:
    return [task.telling for task in tasks]
