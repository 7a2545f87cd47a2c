"""What two runs are compared by beside the tests: each measure is a number at a moment, or none, and moments are compared pair by pair.

With several samples the number at a moment is the mean over its answers that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import fsum, inf
from typing import Any, Literal, TypeAlias

from replay.numbers.clusters import cluster_of
from replay.numbers.differences import holm, paired_difference, paired_mean
from replay.numbers.metrics import UNJUDGED, keys_saved
from replay.numbers.paired.moments import SharedMoment
from replay.numbers.similarity import edit_similarity
from replay.options import ClusterBy
from replay.records import ANSWERED, GIVEN_UP, SHOWN, Record

LEVEL = 0.05
"""The probability of a difference by chance below which it counts."""
Unit: TypeAlias = Literal["share", "keys", "ms"]


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


def _passed_in_time(record: Record) -> float | None:
    """As `replay.numbers.metrics.passed_in_time`: what came too late, or was given up, did not pass in time."""
    if record.ending.name in {"gated", "debounced"}:
        return None
    verdict = record.verdict or (record.missed and record.missed.verdict)
    name = (verdict.fixed or verdict.name) if verdict else ""
    if name in {"", *UNJUDGED}:
        return None
    return float(name == "passed" and record.ending.name not in GIVEN_UP | {"late"})


def _offered(record: Record) -> str | None:
    """The text of an answer; empty where nothing was offered, None where nobody answered or no ground truth is known."""
    if record.ending.name not in ANSWERED or not record.moment.truth:
        return None
    return record.suggestion.text if record.suggestion else ""


def _exact(record: Record) -> float | None:
    text = _offered(record)
    return None if text is None else float(text.strip() == record.moment.truth.strip())


def _similarity(record: Record) -> float | None:
    text = _offered(record)
    return None if text is None else edit_similarity(text, record.moment.truth)


def _accepted(record: Record) -> float | None:
    return float(record.ending.name in {"accepted", "part"}) if record.ending.name in SHOWN else None


def _latency(record: Record) -> float | None:
    return record.suggestion.latency if record.suggestion and record.ending.name != "failed" else None


def _keys(records: Sequence[Record]) -> Sequence[float | None]:
    """Of each sample by itself: a person sees one answer at a moment."""
    in_order = sorted(records, key=_sample)
    saved = {id_: keys for _, own in groupby(in_order, _sample) for id_, keys in keys_saved(list(own)).items()}
    return [float(saved.get(record.moment.id, 0)) for record in records]


def _sample(record: Record) -> int:
    return record.moment.sample


def _each(value: Callable[[Record], float | None]) -> Callable[[Sequence[Record]], Sequence[float | None]]:
    return lambda records: [value(record) for record in records]


def run_measures(*, with_latency: bool) -> Sequence[Measure]:
    """The measures that every run has."""
    return [measure for measure in MEASURES if with_latency or measure.unit != "ms"]


MEASURES = (
    Measure("passed_in_time", "share", True, _each(_passed_in_time), is_yes_or_no=True),
    Measure("exact", "share", True, _each(_exact), is_yes_or_no=True),
    Measure("edit_similarity", "share", True, _each(_similarity)),
    Measure("acceptance", "share", True, _each(_accepted), is_yes_or_no=True),
    Measure("keystrokes_saved", "keys", True, _keys),
    Measure("latency", "ms", False, _each(_latency)),
)
