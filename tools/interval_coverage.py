"""How often the intervals of clustered moments hold the truth: the tables of docs/numbers.md.

`python -m tools.interval_coverage PAGE` draws runs whose moments stand in clusters of the demo's own sizes (`cluster_sizes.toml`), with a
known share that passes and a known intra-cluster correlation, and counts how often each interval holds that share. A cluster's chance
to pass is beta-distributed, and its moments are independent given it, so that two moments of a cluster have that correlation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from replay.numbers.differences import paired_difference
from replay.numbers.intervals import clustered_share, quantile_interval, share, sum_interval

Interval: TypeAlias = tuple[float | None, float | None]
Method: TypeAlias = Callable[[np.ndarray, np.ndarray, np.random.Generator], Interval]
"""Sizes of clusters, passed in each, and where to draw from → the interval of the share."""
CORRELATIONS = (0.2, 0.4, 0.6)
SHARES = (0.1, 0.3, 0.5, 0.8)
"""True shares. Each is simulated, and the tables give the mean over them with the least and the most."""
RUNS = 1000
RESAMPLES = 300
"""Of each bootstrap."""
BEGIN, END = "<!-- tables: make coverage -->", "<!-- end of tables -->"


def sizes() -> dict[str, dict[str, list[int]]]:
    """Policy → kind of cluster → moments in each cluster of the demo."""
    found: dict[str, dict[str, list[int]]] = msgspec.toml.decode(
        (Path(__file__).parent / "cluster_sizes.toml").read_bytes()
    )
    return found


def ours(size: np.ndarray, passed: np.ndarray, _: np.random.Generator) -> Interval:
    """The interval that ghosttape gives."""
    members = ((str(at), 1.0) for at, own in enumerate(passed) for _ in range(own))
    rest = ((str(at), 0.0) for at, own in enumerate(size - passed) for _ in range(own))
    found = clustered_share([*members, *rest])
    return found["low"], found["high"]


def wilson(size: np.ndarray, passed: np.ndarray, _: np.random.Generator) -> Interval:
    """Wilson's interval, as if all moments were independent."""
    found = share(int(passed.sum()), int(size.sum()))
    return found["low"], found["high"]


def percentile(size: np.ndarray, passed: np.ndarray, draw: np.random.Generator) -> Interval:
    """The percentile bootstrap of clusters (Efron 1979)."""
    low, high = np.quantile(_resampled(size, passed, draw), [0.025, 0.975])
    return float(low), float(high)


def bca(size: np.ndarray, passed: np.ndarray, draw: np.random.Generator) -> Interval:
    """The bias-corrected and accelerated bootstrap of clusters (Efron 1987, Journal of the American Statistical Association 82, 171-185)."""
    from scipy.special import ndtr, ndtri

    value, drawn = passed.sum() / size.sum(), _resampled(size, passed, draw)
    bias = ndtri(np.clip(((drawn < value).mean() + (drawn <= value).mean()) / 2, 1e-3, 1 - 1e-3))
    without = (passed.sum() - passed) / (size.sum() - size)
    off = without.mean() - without
    scale = 6 * (off**2).sum() ** 1.5
    bend = (off**3).sum() / scale if scale else 0.0
    points = bias + np.array([-1.959964, 1.959964])
    low, high = np.quantile(drawn, ndtr(bias + points / (1 - bend * points)))
    return float(low), float(high)


def _resampled(size: np.ndarray, passed: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """The share of each of many samples of as many clusters, with replacement."""
    counts = draw.multinomial(len(size), np.full(len(size), 1 / len(size)), RESAMPLES)
    return np.asarray((counts @ passed) / (counts @ size))


METHODS: dict[str, Method] = {
    "ghosttape's": ours,
    "percentile bootstrap": percentile,
    "BCa bootstrap": bca,
    "Wilson's": wilson,
}


@dataclass(frozen=True, slots=True)
class IntervalCoverage:
    """How often (in percent) an interval held the truth, for each true share."""

    held: Sequence[float]

    def __str__(self) -> str:
        mean = sum(self.held) / len(self.held)
        return f"{mean:.1f} ({min(self.held):.1f}\N{EN DASH}{max(self.held):.1f})"


def coverage(
    method: Method, size: Sequence[int], correlation: float, truth: float, runs: int, *, seed: int = 0
) -> float:
    """How often (in percent) the interval of a method holds the true share in simulated runs."""
    draw = np.random.default_rng(seed)
    whole, held = np.array(size), 0
    for _ in range(runs):
        low, high = method(whole, draw.binomial(whole, chances(truth, correlation, len(whole), draw)), draw)
        held += low is not None and high is not None and low <= truth <= high
    return 100 * held / runs


def chances(truth: float, correlation: float, clusters: int, draw: np.random.Generator) -> np.ndarray:
    """The chance to pass of each cluster: beta-distributed around the true share."""
    strength = (1 - correlation) / correlation
    return draw.beta(truth * strength, (1 - truth) * strength, clusters)


def difference_coverage(size: Sequence[int], correlation: float, truth: float, runs: int, *, seed: int = 0) -> float:
    """As `coverage`, of the difference between two providers on the same moments.

    In half of the clusters the second has a chance of its own, around 0.5, and else that of the first: so the true difference is half
    of that between 0.5 and the true share of the first.
    """
    draw = np.random.default_rng(seed)
    whole, held = np.array(size), 0
    for _ in range(runs):
        first = chances(truth, correlation, len(whole), draw)
        other = draw.random(len(whole)) < 0.5
        second = np.where(other, chances(0.5, correlation, len(whole), draw), first)
        net = paired_difference(_pairs(whole, first, second, draw))["net"]
        held += net["low"] is not None and net["low"] <= (truth - 0.5) / 2 <= net["high"]
    return 100 * held / runs


def _pairs(
    size: np.ndarray, first: np.ndarray, second: np.ndarray, draw: np.random.Generator
) -> Iterator[tuple[str, bool, bool]]:
    for at, own in enumerate(size):
        luck = draw.random(own)  # a moment that is easy for one is easy for the other
        yield from ((str(at), bool(one < first[at]), bool(one < second[at])) for one in luck)


def quantile_coverage(size: Sequence[int], correlation: float, quantile: float, runs: int, *, seed: int = 0) -> float:
    """As `coverage`, of a quantile of values whose logarithms have that intra-cluster correlation. No limit holds everything."""
    from scipy.special import ndtri

    draw = np.random.default_rng(seed)
    truth, held = float(np.exp(ndtri(quantile))), 0
    for _ in range(runs):
        shared = draw.normal(0, correlation**0.5, len(size))
        own = (draw.normal(shift, (1 - correlation) ** 0.5, n) for shift, n in zip(shared, size, strict=True))
        members = [(str(at), float(value)) for at, values in enumerate(own) for value in np.exp(values)]
        low, high = quantile_interval(members, quantile)
        held += (low is None or low <= truth) and (high is None or truth <= high)
    return 100 * held / runs


def keys_coverage(clusters: int, saving: float, spread: float, runs: int, *, seed: int = 0) -> float:
    """As `coverage`, of the keys that all clusters save, where a part of them (`saving`) saves any, and how many is log-normal."""
    draw = np.random.default_rng(seed)
    truth, held = clusters * saving * float(np.exp(2.5 + spread**2 / 2)), 0
    for _ in range(runs):
        parts = np.where(draw.random(clusters) < saving, np.exp(draw.normal(2.5, spread, clusters)), 0.0)
        low, high = sum_interval(parts.tolist())
        held += low is None or high is None or low <= truth <= high
    return 100 * held / runs


def tables(runs: int = RUNS) -> str:
    """The tables of all simulations, as Markdown."""
    found = sizes()
    return "\n\n".join([_shares(found, runs), _others(found, runs), _keys(runs)])


def _shares(found: Mapping[str, Mapping[str, Sequence[int]]], runs: int) -> str:
    rows = ["| policy, cluster | moments in clusters | correlation | " + " | ".join(METHODS) + " |"]
    rows.append("| --- | --- | --- |" + " --- |" * len(METHODS))
    for policy, kinds in found.items():
        for kind, size in kinds.items():
            for correlation in CORRELATIONS:
                cells = [
                    str(IntervalCoverage([coverage(method, size, correlation, truth, runs) for truth in SHARES]))
                    for method in METHODS.values()
                ]
                name = f"`{policy}`, {kind} | {sum(size):,} in {len(size)}"
                rows.append(f"| {name} | {correlation} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _others(found: Mapping[str, Mapping[str, Sequence[int]]], runs: int) -> str:
    rows = [
        "| policy, cluster | correlation | difference of two runs | median | p95 |",
        "| --- | --- | --- | --- | --- |",
    ]
    for policy, kinds in found.items():
        size = kinds["hole"]
        for correlation in CORRELATIONS:
            difference = IntervalCoverage([difference_coverage(size, correlation, truth, runs) for truth in SHARES])
            points = [f"{quantile_coverage(size, correlation, point, runs):.1f}" for point in (0.5, 0.95)]
            rows.append(f"| `{policy}`, hole | {correlation} | {difference} | {' | '.join(points)} |")
    return "\n".join(rows)


def _keys(runs: int) -> str:
    rows = ["| clusters | of them save any keys | sigma 0.7 | sigma 1.0 |", "| --- | --- | --- | --- |"]
    for clusters in (32, 47, 86):
        for saving in (0.1, 0.3, 0.6):
            cells = [f"{keys_coverage(clusters, saving, spread, runs):.1f}" for spread in (0.7, 1.0)]
            rows.append(f"| {clusters} | {saving:.0%} | {' | '.join(cells)} |")
    return "\n".join(rows)


def put(page: str, text: str) -> str:
    """A Markdown page with its tables replaced."""
    head, rest = page.split(BEGIN)
    return f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"


def main(arguments: Sequence[str]) -> Any:
    """Write the tables into a page."""
    page = Path(arguments[0])
    page.write_text(put(page.read_text(encoding="utf-8"), tables()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
