"""What a difference of two shares says, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replay.numbers.clusters import NAMES
from replay.numbers.paired.power import needed_moments
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
    return sentence + (needed_words(found, asked) if says == "too few to tell" else "")


def needed_words(found: Mapping[str, Any], asked: float) -> str:
    """Return how many moments would tell: `; about 900 moments would be needed to see 5 points`; empty where these do not say."""
    needed = found.get("needed")
    if needed is None:
        return ""
    much = f"about {needed:,} moments" if needed > found["n"] else "more moments"
    return f"; {much} would be needed to see {100 * asked:g} points"


def needed_for(found: Mapping[str, Any], asked: float) -> int | None:
    """Return about how many moments a difference that is asked about needs, given what these show."""
    return needed_moments(found["n"], found["variance"] or 0.0, asked) if found["n"] else None


def over_words(found: Mapping[str, Any], by: ClusterBy) -> str:
    """Return what a difference is over, as `312 moments in 41 holes`."""
    moments = f"{found['n']:,} moment" + ("s" if found["n"] != 1 else "")
    return f"{moments} in {found['clusters']:,} {NAMES[by] if found['clusters'] != 1 else by}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"
