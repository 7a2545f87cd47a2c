"""What two runs are compared by beside the tests: each measure is a number at a moment, or none, and moments are compared pair by pair.

With several samples the number at a moment is the mean over its answers that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import fsum, inf
from typing import Any

from replay.numbers.clusters import cluster_of
from replay.numbers.differences import holm, paired_difference, paired_mean
from replay.numbers.figures import FIGURES, AnswerValues, Unit
from replay.numbers.paired.paired_moments import SharedMoment
from replay.options import ClusterBy
from replay.records import Record

LEVEL = 0.05
"""The probability of a difference by chance below which it counts."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number at each answer of a run: of its records in their order, None where one says nothing of it."""

    name: str
    unit: Unit
    """`share`: in [0, 1], so that a difference lies in [-1, 1]. `keys`: keys saved at a moment. `ms`: at a moment."""
    is_gain: bool
    """Whether more of it is better."""
    values: Callable[[Sequence[Record]], Sequence[float | None]]
    is_yes_or_no: bool = False


def measured_differences(
    pairs: Sequence[SharedMoment], by: ClusterBy, measures: Iterable[Measure]
) -> list[dict[str, Any]]:
    """Return the difference of each measure, second run less first, over the moments at which both have it; measures of no moment are left out.

    Each has `metric`, `unit` and `is_gain` (`Measure`), `n` moments in `clusters`, the means `first` and `second`, `net` with value, low and high
    in the unit, `p`, and `p_adjusted` by Holm over all measures. `says`: `better`, `worse` (the second run is: the interval does not hold 0, and the adjusted p is
    below 0.05), or `not told apart`.
    """
    found = [one for measure in measures if (one := _difference(measure, pairs, by))]
    adjusted = holm([one["p"] for one in found])
    return [one | {"p_adjusted": p, "says": _says(one, p)} for one, p in zip(found, adjusted, strict=True)]


def _difference(measure: Measure, pairs: Sequence[SharedMoment], by: ClusterBy) -> dict[str, Any] | None:
    sides = (_of_side(measure, pairs, side) for side in (0, 1))
    known = [
        (cluster_of(pair.moment, by), one, other)
        for pair, one, other in zip(pairs, *sides, strict=True)
        if one is not None and other is not None
    ]
    if not known or not any(one or other for _, one, other in known):
        return None
    first, second = (fsum(values) / len(known) for values in zip(*(each[1:] for each in known), strict=True))
    told = {"metric": measure.name, "unit": measure.unit, "is_gain": measure.is_gain, "first": first, "second": second}
    if measure.is_yes_or_no:
        return told | paired_difference((cluster, other, one) for cluster, one, other in known)
    most = 1.0 if measure.unit == "share" else inf
    return told | paired_mean(((cluster, float(other - one)) for cluster, one, other in known), most)


def _of_side(measure: Measure, pairs: Sequence[SharedMoment], side: int) -> list[Fraction | None]:
    """The mean at each moment; of several runs that are taken together each by itself, for keys are saved in one session."""
    parts = (list(own) for _, own in groupby(pairs, lambda pair: pair.part))
    return [value for own in parts for value in _at_moments(measure, [pair.sides[side] for pair in own])]


def _at_moments(measure: Measure, moments: Sequence[Sequence[Record]]) -> list[Fraction | None]:
    """The mean at each moment over its answers that have a number; exact, as the test of shares wants it."""
    values = iter(measure.values([record for own in moments for record in own]))
    known = ([Fraction(value) for _ in own if (value := next(values)) is not None] for own in moments)
    return [sum(own, Fraction()) / len(own) if own else None for own in known]


def _says(found: dict[str, Any], p: float | None) -> str:
    low, high = found["net"]["low"], found["net"]["high"]
    if low is None or high is None or p is None or p >= LEVEL or low <= 0 <= high:
        return "not told apart"
    return "better" if (low > 0) == found["is_gain"] else "worse"


def run_measures(*, with_latency: bool) -> Sequence[Measure]:
    """The measures that every run has: those of the declared figures."""
    found = (measure_of(kind.name, kind.at_answers, is_gain=kind.is_gain) for kind in FIGURES if kind.at_answers)
    return [measure for measure in found if with_latency or measure.unit != "ms"]


def measure_of(name: str, values: AnswerValues, *, is_gain: bool = True) -> Measure:
    """A measure by the values that a figure has at each answer."""
    return Measure(name, values.unit, is_gain, values.values, values.is_yes_or_no)
