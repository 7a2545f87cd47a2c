"""What a difference of two shares says, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, log10, sqrt
from statistics import NormalDist
from typing import Any

from replay.numbers.clusters import NAMES
from replay.numbers.intervals import CONFIDENCE
from replay.numbers.paired.fronts import quality_of
from replay.options import ClusterBy

_SAID = {
    "more": "{other} passes {points} points more, 95 % {ends}, over {over}",
    "fewer": "{other} passes {points} points fewer, 95 % {ends}, over {over}",
    "as many": "{other} passes as many, to within {asked} points ({signed}, 95 % {ends}), over {over}",
    "too few to tell": "too few to tell whether {other} passes more: {signed} points, 95 % {ends}, over {over}",
}


def difference_says(found: Mapping[str, Any], by: ClusterBy, asked: float, names: tuple[str, str] = ("A", "B")) -> str:
    """Return what a difference (`replay.numbers.comparison.compare`: `difference`) says; `asked` is the least one that matters, as a share.

    Example: `B passes 4.1 points more, 95 % 1.2 to 7.0, over 312 moments in 41 holes`.
    """
    net, says = found["net"], found["says"]
    if net["value"] is None:
        return "too few to tell: no moment could be tested in both runs"
    over = over_words(found, by)
    if net["low"] is None or net["high"] is None:
        return f"too few to tell: {100 * net['value']:+.1f} points, and no interval, over {over}"
    turned = says == "fewer"
    ends = sorted((-net["low"], -net["high"])) if turned else (net["low"], net["high"])
    sentence = _SAID[says].format(
        other=names[1],
        points=f"{abs(100 * net['value']):.1f}",
        signed=f"{100 * net['value']:+.1f}",
        ends=f"{_points(ends[0])} to {_points(ends[1])}",
        asked=f"{100 * asked:g}",
        over=over,
    )
    return sentence + (needed_words(found, by, asked) if says == "too few to tell" else "")


def needed_words(found: Mapping[str, Any], by: ClusterBy, asked: float) -> str:
    """Return how many moments, in how many clusters, would tell; empty where these do not say.

    More moments in the same clusters tell less: the number is of moments that come in clusters of the size that these have.
    Example: 312 moments in 41 holes, of 900 that are needed: `; about 900 moments in 120 holes would be needed to see 5 points`.
    """
    needed = found.get("needed")
    if needed is None:
        return ""
    if needed <= found["n"]:
        return f"; more moments in more {NAMES[by]} would be needed to see {100 * asked:g} points"
    clusters = rounded_up(found["clusters"] * needed / found["n"])
    return f"; about {needed:,} moments in {clusters:,} {NAMES[by]} would be needed to see {100 * asked:g} points"


def needed_for(found: Mapping[str, Any], asked: float) -> int | None:
    """Return about how many moments a difference that is asked about needs, given what these show."""
    return needed_moments(found["n"], found["variance"] or 0.0, asked) if found["n"] else None


def over_words(found: Mapping[str, Any], by: ClusterBy) -> str:
    """Return what a difference is over, as `312 moments in 41 holes`."""
    moments = f"{found['n']:,} moment" + ("s" if found["n"] != 1 else "")
    return f"{moments} in {found['clusters']:,} {NAMES[by] if found['clusters'] != 1 else by}"


def front_sentences(found: Mapping[str, Any]) -> list[str]:
    """Return which runs are on the fronts of a comparison (`replay.numbers.comparison.compare_sides`: `runs`, `fronts`), by their labels, with what each passes and its interval.

    The shares are of the moments that all runs could be tested at; where there are none, of each run's own.
    Example: `No other run passes more for less cost than A (31.2 %, 95 % 28.0 to 34.6), C (40.1 %, 95 % 36.0 to 44.3).`
    """
    runs = {run["name"]: run for run in found["runs"]}
    said = {"latency_p50": "latency (p50)", "cost": "cost"}
    return [
        f"No other run passes more for less {said[price]} than {', '.join(_passes(runs[name]) for name in names)}."
        for price, names in found["fronts"].items()
    ]


def _passes(run: Mapping[str, Any]) -> str:
    share = quality_of(run)
    if share.get("low") is None or share.get("high") is None:
        return f"{run['label']} ({_points(share['value'])} %)"
    return f"{run['label']} ({_points(share['value'])} %, 95 % {_points(share['low'])} to {_points(share['high'])})"


def side_names(found: Mapping[str, Any]) -> list[str]:
    """Return what the sides of a comparison are called: a run by its name, several by their labels, as `A1 to A3`."""
    runs, sides = found["runs"], 1 + len(found["comparisons"])
    size = len(runs) // sides
    own = [runs[at : at + size] for at in range(0, len(runs), size)]
    return [one[0]["name"] if size == 1 else f"{one[0]['label']} to {one[-1]['label']}" for one in own]


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


# How many moments it takes to tell two runs apart, from what two runs show so far.
#
# A difference of d is found with probability `POWER`, at the level 1 - `CONFIDENCE`, by so many pairs that d is z(0.975) + z(0.8) = 2.80 standard errors
# (Miller 2024, "Adding error bars to evals", arXiv:2411.00640, section 5; for two proportions of pairs Connor 1987, Biometrics 43, 207-211). The
# standard error is the clustered one that these pairs show, and further moments are taken to be as the ones there are: in clusters of the same size that
# are as much alike. Then it falls with the square root of their number.

POWER = 0.8
"""The probability to find a difference that is there (Cohen 1988, Statistical Power Analysis, section 2.4)."""
_NORMAL = NormalDist()
_LEVEL_Z = _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
_POWER_Z = _NORMAL.inv_cdf(POWER)


def needed_moments(n: int, variance: float, difference: float) -> int | None:
    """Return about how many moments would tell a difference, given the variance of the mean difference of `n` pairs.

    Two digits are said, rounded up; None where the pairs do not tell: nothing varies, or the difference is 0.
    Example: 312 pairs with the standard error 0.03 and a difference of 0.05: 312 · (2.80 · 0.03 / 0.05)² = 882, so 890.
    """
    if not variance or not difference:
        return None
    exact = n * variance * ((_LEVEL_Z + _POWER_Z) / difference) ** 2
    return rounded_up(exact)


def rounded_up(exact: float) -> int:
    """Return a number above 0 rounded up to two digits: 882 becomes 890."""
    unit = 10 ** max(0, floor(log10(exact)) - 1) if exact >= 1 else 1
    return ceil(exact / unit) * unit


def least_difference(variance: float) -> float | None:
    """Return the least difference that pairs with this variance of their mean difference find with probability `POWER`."""
    return (_LEVEL_Z + _POWER_Z) * sqrt(variance) if variance else None


def power_of(difference: float, variance: float) -> float:
    """Return the probability to find a difference, by the normal approximation. Example: one of 2.80 standard errors is found with 0.8."""
    ratio = abs(difference) / sqrt(variance)
    return _NORMAL.cdf(ratio - _LEVEL_Z) + _NORMAL.cdf(-ratio - _LEVEL_Z)
