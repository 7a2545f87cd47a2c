"""How sure a difference of two shares is, where both are of the same moments.

Where each cluster has one moment and each moment one answer, the interval is Newcombe's for paired shares and the test McNemar's exact one. Else the interval is that of the
mean difference by moment, with the clustered variance and degrees of freedom of `replay.numbers.intervals`, and the test turns the signs of whole
clusters: if the two do not differ, each cluster's sum of differences could as well have the other sign (Canay, Romano and
Shaikh 2017, Econometrica 85(3), 1013-1030). The share of all choices of signs with a sum at least as far from 0 is p, and it is exact. With
clusters of one moment and one answer that is McNemar's exact test again. Where a moment has several answers, its difference is that of two means: a fraction,
and the sums are whole numbers once they are multiplied by the common denominator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any, TypeAlias

from replay.numbers.clusters import by_cluster
from replay.numbers.intervals import CONFIDENCE, Spread, spread_of, student_quantile, wilson

ExactShare: TypeAlias = bool | int | Fraction
"""The share of a moment's answers that pass: of one answer 0 or 1."""
_MOST_STEPS = 2e8
"""The sign test counts all choices of signs as long as that takes no more additions (a fifth of a second); beyond, p is that of Student's t."""


def paired_difference(
    pairs: Iterable[tuple[str, ExactShare, ExactShare]], confidence: float = CONFIDENCE
) -> dict[str, Any]:
    """The first share less the second, from triples of cluster, first share, second share, one a moment: the figures of `paired`, clustered.

    `n` pairs in `clusters` clusters; of `gained` the first share is larger, of `broken` the second; `net` has value, low and high in [-1, 1]; `p`
    is the probability of at least such a difference if there is none; `variance` is the clustered one of the difference. A single cluster has no p, and an interval only if it
    is a single moment. Example: moments of which 3 of 5 and 2 of 5 answers pass differ by 1/5.
    """
    found = list(pairs)
    gained = sum(first > second for _, first, second in found)
    broken = sum(second > first for _, first, second in found)
    clusters = by_cluster((cluster, first - second) for cluster, first, second in found)
    counts: dict[str, Any] = {"n": len(found), "clusters": len(clusters), "gained": gained, "broken": broken}
    counts["variance"] = difference_variance([[float(one) for one in own] for own in clusters.values()])
    with_all = sum(first for _, first, _ in found)
    if len(clusters) == len(found) and all(share in {0, 1} for _, *both in found for share in both):
        told = paired(gained, broken, int(with_all), len(found), confidence)
        return counts | {"design_effect": 1.0 if found else None} | (told if len(found) > 1 else told | {"p": None})
    return counts | _clustered(list(clusters.values()), float(with_all / len(found)), confidence)


def _clustered(clusters: Sequence[Sequence[ExactShare]], share_with: float, confidence: float) -> dict[str, Any]:
    """The difference by moment; where all moments differ alike (-1, 0 or 1), its interval is Newcombe's for as many pairs as effective clusters.

    Moments that all differ by the same share between show no variance, and have no interval.
    """
    sums, n = [sum(own) for own in clusters], sum(map(len, clusters))
    value, spread = float(sum(sums) / n), spread_of([[float(one) for one in own] for own in clusters])
    unknown = {"value": value, "low": None, "high": None}
    if spread is None:
        return {"design_effect": None, "net": unknown, "p": None}
    p = _chance(sums, value, spread)
    if not spread.single:
        pairs = round(spread.alike)
        gained, broken = (pairs if value == sign else 0 for sign in (1, -1))
        alike = paired(gained, broken, round(share_with * pairs), pairs, confidence)["net"]
        return {"design_effect": None, "net": alike if value in {-1, 0, 1} else unknown, "p": p}
    half = student_quantile((1 + confidence) / 2, spread.degrees) * math.sqrt(spread.variance)
    net = {"value": value, "low": max(-1.0, value - half), "high": min(1.0, value + half)}
    return {"design_effect": spread.design_effect, "net": net, "p": p}


def _chance(sums: Sequence[ExactShare], value: float, spread: Spread) -> float:
    """The p of clusters' sums: exact, or Student's where there are too many sums to count."""
    sizes = _whole(sums)
    if not spread.single or sum(map(abs, sizes)) * len(sizes) / 2 <= _MOST_STEPS:
        return sign_test(sizes)
    from scipy import stats

    return float(2 * stats.t.sf(abs(value) / math.sqrt(spread.variance), spread.degrees))


def _whole(sums: Sequence[ExactShare]) -> list[int]:
    """Numbers as whole ones without a common divisor, in the same ratios. Example: 1/2, 0 and -1/3 are 3, 0 and -2."""
    denominator = math.lcm(*(Fraction(one).denominator for one in sums))
    found = [int(one * denominator) for one in sums]
    divisor = math.gcd(*found) or 1
    return [one // divisor for one in found]


def difference_variance(clusters: Sequence[Sequence[float]]) -> float | None:
    """The clustered variance of the mean of differences, from the differences of each cluster; None for fewer than two clusters."""
    spread = spread_of(clusters)
    return spread.variance if spread else None


def paired_mean(differences: Iterable[tuple[str, float]], most: float = math.inf) -> dict[str, Any]:
    """The mean of differences that may be any numbers, from pairs of cluster and difference: `n`, `clusters`, `net`, `p`, `design_effect`, `variance`.

    `most` is how far from 0 a difference can lie (1 for shares): the interval ends there.

    Interval and p are Student's t with the clustered variance and degrees of freedom of `replay.numbers.intervals`; with clusters of one
    moment that is the t-test of pairs. Fewer than two clusters have neither; nor have differences that are all alike, but that p is 1 where all are 0.
    """
    from scipy import stats

    clusters = list(by_cluster(differences).values())
    values = [one for own in clusters for one in own]
    found: dict[str, Any] = {"n": len(values), "clusters": len(clusters), "design_effect": None}
    value, spread = math.fsum(values) / len(values) if values else None, spread_of(clusters)
    found["variance"] = spread.variance if spread else None
    if value is None or spread is None or not spread.single:
        p = 1.0 if spread and value == 0 else None
        return found | {"net": {"value": value, "low": None, "high": None}, "p": p}
    error = math.sqrt(spread.variance)
    net = {"value": value, "low": max(-most, value - spread.t * error), "high": min(most, value + spread.t * error)}
    p = float(2 * stats.t.sf(abs(value) / error, spread.degrees))
    return found | {"design_effect": spread.design_effect, "net": net, "p": p}


def sign_test(sums: Sequence[int]) -> float:
    """The share of all choices of signs of some numbers whose sum is at least as far from 0 as the sum of the numbers themselves.

    Example: 3, 1, 1 have the sum 5; of the 8 choices, +++ and --- are as far from 0, so p is 0.25.
    """
    import numpy as np

    sizes = sorted(abs(one) for one in sums if one)
    reach = 0
    chances = np.ones(1)  # of the sum of those that are chosen to be above 0, which is between 0 and their reach
    for size in sizes:
        wider = np.zeros(reach + size + 1)
        wider[: reach + 1] = chances
        wider[size:] += chances
        chances, reach = wider / 2, reach + size
    far = np.abs(2 * np.arange(reach + 1) - reach) >= abs(sum(sums))
    return min(1.0, float(chances[far].sum()))


def paired(gained: int, broken: int, with_all: int, n: int, confidence: float = CONFIDENCE) -> dict[str, Any]:
    """The difference of two paired shares: `net` with value, low and high in [-1, 1], and the `p` of no difference.

    The interval is Newcombe's square-and-add one (Statistics in Medicine 17, 1998, 2635-2650, method 10) on the Wilson intervals of
    `replay.numbers.intervals`; `p` is McNemar's exact test, two-sided, which is scipy's binomial test of the pairs that differ. `with_all` of the `n` pairs pass with all steps.
    """
    from scipy import stats  # takes over a second to load: not before a run has something to sum up

    if n == 0:
        return {"net": {"value": None, "low": None, "high": None}, "p": None}
    both = with_all - gained
    neither = n - both - gained - broken
    low, high = _newcombe(both, gained, broken, neither, NormalDist().inv_cdf((1 + confidence) / 2))
    p = stats.binomtest(gained, gained + broken).pvalue if gained + broken else 1.0
    return {"net": {"value": (gained - broken) / n, "low": low, "high": high}, "p": float(p)}


def _newcombe(both: int, gained: int, broken: int, neither: int, quantile: float) -> tuple[float, float]:
    n = both + gained + broken + neither
    below1, above1 = _arms_of((both + gained) / n, n, quantile)
    below2, above2 = _arms_of((both + broken) / n, n, quantile)
    margins = (both + gained) * (broken + neither) * (both + broken) * (gained + neither)
    lead = both * neither - gained * broken
    corrected = max(lead - n / 2, 0.0) if lead > 0 else float(lead)
    phi = corrected / math.sqrt(margins) if margins else 0.0
    difference = (gained - broken) / n
    low = difference - math.sqrt(below1**2 - 2 * phi * below1 * above2 + above2**2)
    high = difference + math.sqrt(above1**2 - 2 * phi * above1 * below2 + below2**2)
    return max(-1.0, low), min(1.0, high)


def _arms_of(share: float, n: int, quantile: float) -> tuple[float, float]:
    """How far the interval of a share of single moments reaches below its value, and above."""
    low, high = wilson(share, n, quantile)
    return share - low, high - share


def holm(chances: Sequence[float | None]) -> list[float | None]:
    """The p-values of several tests, adjusted for their number (Holm 1979, Scandinavian Journal of Statistics 6, 65-70); None stays None.

    Example: 0.01, 0.04, 0.03 become 0.03, 0.06, 0.06.
    """
    order = sorted((p, at) for at, p in enumerate(chances) if p is not None)
    adjusted: list[float | None] = [None] * len(chances)
    least = 0.0
    for rank, (p, at) in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p))
        adjusted[at] = least
    return adjusted
