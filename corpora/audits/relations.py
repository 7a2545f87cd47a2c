"""How the categories of a corpus go together: whether who is good at one is good at another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from replay.numbers.agreement import pearson, spearman
from replay.numbers.intervals import FigureDocument

_FEWEST = 3
"""Pairs: two points always lie on a line."""


class Relation(msgspec.Struct, frozen=True):
    """Spearman's rank correlation between the shares that pass of two categories, with its two-sided p-value.

    Both are None where a category is constant; of two pairs there is no p-value.
    """

    one: str
    other: str
    correlation: float | None
    p_value: float | None
    n: int
    """Pairs of a model and a language."""


def relations(summaries: Iterable[Mapping[str, Any]]) -> list[Relation]:
    """The relation of each pair of categories over all pairs of a model and a language that have both, from the summaries of evaluations.

    DevBench's paper has it (section 3, Table 9). A category's share is pass@1 over its testable tasks; cells without one are left out.
    """
    shares: dict[str, dict[tuple[str, str], float]] = {}
    for summary in summaries:
        for cell in summary["cells"]:
            if cell["share"]["value"] is not None:
                shares.setdefault(cell["category"], {})[summary["provider"], cell["language"]] = cell["share"]["value"]
    return [_relation(one, other, shares[one], shares[other]) for one, other in combinations(sorted(shares), 2)]


def _relation(
    one: str, other: str, first: Mapping[tuple[str, str], float], second: Mapping[tuple[str, str], float]
) -> Relation:
    both = [key for key in first if key in second]
    correlation, p_value = _spearman([first[key] for key in both], [second[key] for key in both])
    return Relation(one, other, correlation, p_value, len(both))


def _spearman(first: Sequence[float], second: Sequence[float]) -> tuple[float | None, float | None]:
    if len(first) < _FEWEST or min(len(set(first)), len(set(second))) < 2:
        return None, None
    from scipy.stats import spearmanr  # takes longer to load than a short command takes

    found = spearmanr(first, second)
    return float(found.statistic), float(found.pvalue)


class SimilarityRelation(msgspec.Struct, frozen=True):
    """How far pass@1 and the mean edit similarity of models go together over the tasks of one category: Pearson's and Spearman's correlation, each with its 95 % interval."""

    category: str
    """Empty: over all tasks."""
    pearson: FigureDocument
    spearman: FigureDocument
    models: int


def similarity_relations(summaries: Sequence[Mapping[str, Any]]) -> list[SimilarityRelation]:
    """The relation of pass@1 and edit similarity over models, for all tasks and for each category, from the summaries of evaluations of one model each.

    Codev-Bench has it by scenario (Appendix C). Models without one of the two are left out; both are of the same category, and each model is one pair.
    """
    pairs: dict[str, list[tuple[float, float]]] = {}
    for summary in summaries:
        for row in ({**summary, "category": ""}, *summary.get("categories", ())):
            passed = row.get("share", {}).get("value")
            similar = row.get("similarity", {}).get("edit_similarity", {}).get("value")
            if passed is not None and similar is not None:
                pairs.setdefault(row["category"], []).append((passed, similar))
    return [_similarity_relation(category, found) for category, found in sorted(pairs.items())]


def _similarity_relation(category: str, found: Sequence[tuple[float, float]]) -> SimilarityRelation:
    passed, similar = ([pair[side] for pair in found] for side in (0, 1))
    return SimilarityRelation(category, pearson(passed, similar), spearman(passed, similar), len(found))
