"""Which runs are worth choosing: those of which no other is better in one thing and no worse in the other (the Pareto front)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def pareto_front(points: Sequence[tuple[float, float] | None]) -> list[int]:
    """Return the places of the points of which no other has at least as much quality for at most the price, and more of one or less of the other.

    A point is quality and price (latency, cost); None is a run without one of them, which has no part. Of two equal points both are on the front.
    Example: (0.5, 100), (0.4, 200), (0.6, 300) have the front 0, 2.
    """
    known = [(at, point) for at, point in enumerate(points) if point is not None]
    return [at for at, point in known if not any(_dominates(other, point) for _, other in known)]


def _dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] >= other[0] and one[1] <= other[1]


def fronts(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the names of the runs on the front of what they pass (`quality_of`) against `latency_p50`, and against `cost`; a front of fewer than two points, or of prices that are all 0, is left out."""
    found = {}
    for price in ("latency_p50", "cost"):
        points = [_point(run, price) for run in runs]
        if sum(point is not None for point in points) > 1 and any(point[1] for point in points if point):
            found[price] = [runs[at]["name"] for at in pareto_front(points)]
    return found


def quality_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a run passes of the moments that all runs share (`pass_of_shared`), or of its own where they share none."""
    found: Mapping[str, Any] = run.get("pass_of_shared") or run["pass_at_1"]
    return found


def _point(run: Mapping[str, Any], price: str) -> tuple[float, float] | None:
    quality, paid = quality_of(run).get("value"), run.get(price)
    return None if quality is None or paid is None else (quality, paid)
