"""All audits of the tasks of a corpus, in one document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log
from statistics import fmean
from typing import Any

import msgspec
import numpy as np

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


# How various the tasks of a group are: the mean cosine of the TF-IDF vectors of all pairs of their finished
# documents.

_WORD = re.compile(r"\b\w\w+\b")


def mean_cosine(texts: Sequence[str]) -> float | None:
    """The mean cosine of all pairs of texts, in [0, 1]; None for fewer than two texts.

    Words have two characters or more; upper and lower case are alike. A word that stands in d of n texts has the weight its count times
    1 + ln((1 + n) / (1 + d)), and each vector has the length 1: scikit-learn's `TfidfVectorizer` with its defaults. DevBench's paper has
    such a mean (Appendix A.4), and does not say of which part of an instance, nor over which vocabulary.
    Example: `aa bb` and `aa cc` have 0.336.
    """
    n = len(texts)
    if n < 2:
        return None
    vectors = _vectors([Counter(_WORD.findall(text.lower())) for text in texts])
    total = float(np.square(vectors.sum(axis=0)).sum())  # of all pairs, each with itself too
    return (total - float(np.square(vectors).sum())) / (n * (n - 1))


def _vectors(counts: Sequence[Counter[str]]) -> np.ndarray:
    """The TF-IDF vectors of some texts, one a row, each of the length 1 (0 without a word)."""
    columns = {word: column for column, word in enumerate(dict.fromkeys(word for own in counts for word in own))}
    table = np.zeros((len(counts), len(columns)))
    for row, own in enumerate(counts):
        for word, count in own.items():
            table[row, columns[word]] = count
    table *= [1 + log((1 + len(counts)) / (1 + texts)) for texts in np.count_nonzero(table, axis=0)]
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0))
