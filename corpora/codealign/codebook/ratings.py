"""What raters' preferences come to: whose count, who is preferred how often, how far raters agree, and what they ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from corpora.codealign.codebook.pairs import SolutionPair
from corpora.codealign.codebook.rater_preferences import REPEATS, Preference
from replay.numbers.agreement import cohens_kappa
from replay.numbers.intervals import clustered_share


@dataclass(frozen=True, slots=True)
class RatedBy:
    """One rater: how many pairs are rated, how many of the repeated ones are, and on how many of these the two choices differ."""

    done: int
    repeated: int
    differ: int
    left_out: str
    """Why this rater counts nowhere; "" if he counts."""


def raters(
    preferences: Sequence[Preference], pairs: Sequence[SolutionPair], *, repeats: int = REPEATS, may_differ: int = 0
) -> dict[str, RatedBy]:
    """Each rater by name. A rater is left out who disagrees with himself on more than `may_differ` of the repeated pairs (CodeAlignBench, section 2.1), or has not seen all of them again."""
    wanted, known = min(repeats, max(1, len(pairs) - 1)), {pair.name for pair in pairs}
    found = {}
    for rater in sorted({one.rater for one in preferences}):
        own = [one for one in preferences if one.rater == rater and one.pair in known]
        first = {one.pair: one.choice for one in own if not one.repeated}
        again = {one.pair: one.choice for one in own if one.repeated and one.pair in first}
        differ = sum(first[pair] != choice for pair, choice in again.items())
        why = f"{len(again)} of {wanted} repeated pairs seen" if len(again) < wanted else ""
        why = f"disagrees with himself on {differ} of {len(again)} repeated pairs" if differ > may_differ else why
        found[rater] = RatedBy(len(first), len(again), differ, why)
    return found


def counted_preferences(preferences: Sequence[Preference], by: Mapping[str, RatedBy]) -> list[Preference]:
    """What raters who count said of pairs that they saw for the first time."""
    kept = {name for name, rater in by.items() if not rater.left_out}
    return [one for one in preferences if one.rater in kept and not one.repeated]


def ratings(
    preferences: Sequence[Preference], pairs: Sequence[SolutionPair], *, repeats: int = REPEATS, may_differ: int = 0
) -> dict[str, Any]:
    """All that is said of some pairs, as one JSON document.

    `raters` by name; `preferred`: of each source the share of its showings at which it was preferred, no preference counting a half, clustered by pair; `left`: the share of
    choices between the two that fell on the left side, which should be about a half; `agreement`: Cohen's kappa of each two raters that count, over the pairs that both
    rated; `asks`: what they said, as `pair`, `rater`, `text`.
    """
    by = raters(preferences, pairs, repeats=repeats, may_differ=may_differ)
    counted = [one for one in counted_preferences(preferences, by) if one.pair in {pair.name for pair in pairs}]
    return {
        "pairs": len(pairs),
        "raters": {
            name: {"done": one.done, "repeated": one.repeated, "differ": one.differ, "left_out": one.left_out}
            for name, one in by.items()
        },
        "preferred": _preferred(counted, pairs),
        "left": clustered_share(
            (one.pair, float((one.choice == "first") != one.swapped)) for one in counted if one.choice != "none"
        ),
        "none": sum(one.choice == "none" for one in counted),
        "unsure": sum(one.unsure for one in counted),
        "agreement": list(_agreement(counted)),
        "asks": [{"pair": one.pair, "rater": one.rater, "text": text} for one in counted for text in one.asks],
    }


def _preferred(counted: Sequence[Preference], pairs: Sequence[SolutionPair]) -> dict[str, Any]:
    shown: dict[str, list[tuple[str, float]]] = defaultdict(list)
    by_name = {pair.name: pair for pair in pairs}
    worth = {"first": (1.0, 0.0), "second": (0.0, 1.0), "none": (0.5, 0.5)}
    for one in counted:
        for source, value in zip(by_name[one.pair].sources, worth[one.choice], strict=True):
            shown[source].append((one.pair, value))
    return {source: clustered_share(values) for source, values in sorted(shown.items())}


def _agreement(counted: Sequence[Preference]) -> Iterator[dict[str, Any]]:
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for one in counted:
        said[one.rater][one.pair] = one.choice
    for first, second in combinations(sorted(said), 2):
        both = [(said[first][pair], said[second][pair]) for pair in sorted(said[first].keys() & said[second].keys())]
        alike = sum(choice == other for choice, other in both)
        yield {"raters": [first, second], "kappa": cohens_kappa(both), "alike": alike}
