"""95 % intervals of shares and quantiles, for moments that are independent of each other and for moments that are not.

**Single moments.** Where each cluster has one moment, a share has Wilson's score interval (Wilson 1927).

**Clusters.** A share is a ratio of sums over clusters, passed by asked. Its variance is the linearised one, with the bias-reduced
weights CR2 (Bell and McCaffrey 2002, Survey Methodology 28(2), 169-181): the sum over clusters c of (y_c - p n_c)² / (1 - n_c/n), by n². The design
effect is that variance by the variance of as many single moments (Kish 1965); where it comes out below 1, 1 counts. n by the
design effect is the effective number of moments, and the interval is Wilson's for that number, with the quantile of Student's t in the
place of the normal one (Korn and Graubard 1998, Survey Methodology 24(2), 193-201; Wilson's form: Franco et al. 2019, Journal of Survey Statistics
and Methodology 7(3), 334-364). The degrees of freedom are Satterthwaite's under a random effect of the clusters, with the intra-cluster
correlation estimated, so that a few large clusters count as few (Imbens and Kolesár 2016, Review of Economics and Statistics 98(4),
701-712). They count for the part of the variance that the clusters add. The rest, which independent moments would have too, is told by the share and has
n - 1; how large that rest is, is believed as far as there are clusters to tell it (`Spread.share_t`). Without that, intervals of some thirty moments
hold the truth in 98 to 99 of 100 runs. Where all moments end alike the data show no variance: the effective number is then that of clusters, n² by the sum of n_c².

Why not the percentile bootstrap of clusters: with the cluster sizes of the demo it holds the truth too seldom. `docs/numbers.md` has
the table of both, made by `tools.interval_coverage`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, floor, fsum, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

from replay.numbers.clusters import by_cluster

CONFIDENCE = 0.95
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for `CONFIDENCE`."""
_ROUNDING = 1e-12
"""Values that are closer to each other than this share of the largest are alike."""
FigureDocument: TypeAlias = dict[str, Any]
"""`value`, `low` and `high`, `n` moments, `clusters` and `design_effect`; None where the moments do not tell it."""


def share(successes: int, n: int) -> FigureDocument:
    """A share of single moments with its Wilson interval: value, low, high in [0, 1], n, as many clusters, and the design effect 1.

    With n = 0 there is no value: value, low and high are None. The interval equals that of scipy's `binomtest`, to the last
    bit; scipy is not used because loading it takes longer than many runs. Example: 8 of 10 is 0.8, from 0.490 to 0.943.
    """
    if n == 0:
        return figure(None, None, 0, 0, None)
    value = successes / n
    return figure(value, wilson(value, n, _Z), n, n, 1.0)


def clustered_share(members: Iterable[tuple[str, float]]) -> FigureDocument:
    """The mean of values in [0, 1] with its clustered interval, from pairs of cluster and value.

    A single cluster has no interval, nor have values that are all alike (rounding aside) and neither 0 nor 1.
    Example: clusters of 4, 4 and 2 moments of which 4, 0 and 1 passed have the share 0.5, and the design effect 4.8.
    """
    clusters = list(by_cluster(members).values())
    values = [value for own in clusters for value in own]
    n, count = len(values), len(clusters)
    if count == n and all(value in {0, 1} for value in values):  # also where there is none
        return share(int(sum(values)), n)
    spread = spread_of(clusters)
    mean = _mean(values)
    if spread is None or (spread.single == 0 and 0 < mean < 1):
        return figure(mean, None, n, count, None)
    return figure(mean, wilson(mean, spread.effective(mean), spread.share_t), n, count, spread.design_effect)


def clustered_mean(members: Iterable[tuple[str, float]]) -> FigureDocument:
    """The mean of any values with its clustered interval, from pairs of cluster and value: Student's t with the variance and the degrees of `Spread`.

    A single cluster has no interval, nor have values that are all alike. Where each cluster has one value, that is the usual interval of a mean, with
    n - 1 degrees. Example: 1, 2, 3, 4 in four clusters have the mean 2.5, from 0.446 to 4.554.
    """
    clusters = list(by_cluster(members).values())
    values = [value for own in clusters for value in own]
    if not values:
        return figure(None, None, 0, 0, None)
    spread, mean = spread_of(clusters), _mean(values)
    if spread is None or spread.single == 0:
        return figure(mean, None, len(values), len(clusters), None)
    reach = spread.t * sqrt(spread.variance)
    return figure(mean, (mean - reach, mean + reach), len(values), len(clusters), spread.design_effect)


@dataclass(frozen=True, slots=True)
class Spread:
    """How sure the mean of clustered values is."""

    n: int
    """Values."""
    variance: float
    """Of the mean: linearised, CR2, and at least `single`."""
    single: float
    """What the variance would be if the moments were independent."""
    degrees: float
    """Of freedom, of the variance between clusters."""
    alike: float
    """The effective number of clusters: how many of equal size are worth as much."""

    @property
    def t(self) -> float:
        """The 97.5 % quantile of Student's t."""
        return student_quantile((1 + CONFIDENCE) / 2, self.degrees)

    @property
    def share_t(self) -> float:
        """As `t`, where the mean is a share: of the part of the variance that independent moments would have, there are n - 1 degrees of freedom.

        That part is one by the design effect. Few clusters hardly tell it, so of `degrees` one is taken off for it: with one degree it is 0.
        Example: 20 moments of the design effect 2, in clusters of 4 degrees, have the part 1/2 · 3/4 and 1 / (0.375 / 19 + 0.625 / 4) = 5.7 degrees.
        """
        known = (1 - 1 / self.degrees) * self.single / self.variance if self.single else 0.0
        degrees = 1 / (known / (self.n - 1) + (1 - known) / self.degrees)
        return student_quantile((1 + CONFIDENCE) / 2, degrees)

    @property
    def design_effect(self) -> float | None:
        """How many times as large the variance is as that of independent moments; None where all are alike."""
        return self.variance / self.single if self.single else None

    def effective(self, share: float) -> float:
        """How many independent moments tell as much of a share."""
        return share * (1 - share) / self.variance if self.single else self.alike


def spread_of(clusters: Sequence[Sequence[float]]) -> Spread | None:
    """How sure the mean of all values of some clusters is; None for fewer than two clusters."""
    if len(clusters) < 2:
        return None
    values, sizes = [value for own in clusters for value in own], [len(own) for own in clusters]
    n = len(values)
    single = _squares(values) / (n - 1) / n
    variance = _linearised([fsum(own) for own in clusters], sizes) if single else 0.0
    weights = [size / n for size in sizes]
    correlation = intra_cluster_correlation(clusters)
    scales = [correlation + (1 - correlation) / size for size in sizes]
    alike = 1 / sum(weight**2 for weight in weights)
    return Spread(n, max(variance, single), single, _degrees(weights, scales), alike)


def _mean(values: Sequence[float]) -> float:
    """The mean of some values: it does not depend on their order, and is never outside of them by rounding."""
    return min(max(fsum(values) / len(values), min(values)), max(values))


def _squares(values: Sequence[float]) -> float:
    """The sum of the squared distances from the mean; 0 where all are alike, whatever rounding says."""
    mean = _mean(values)
    return 0.0 if _alike(values) else fsum((value - mean) ** 2 for value in values)


def _alike(values: Sequence[float]) -> bool:
    """Whether values differ at most by what rounding leaves: shares of the same worth may be computed in different ways."""
    return max(values) - min(values) <= _ROUNDING * max(map(abs, values))


def ratio_spread(parts: Sequence[float], wholes: Sequence[float]) -> Spread | None:
    """How sure the ratio of two sums over clusters is, where each cluster is one draw; None for fewer than two clusters.

    No whole is 0. Example: parts 4, 0, 1 of wholes 4, 4, 2 are 0.5, with the variance 0.133 and 1.55 degrees of freedom.
    """
    if len(parts) < 2:
        return None
    whole = fsum(wholes)
    weights = [own / whole for own in wholes]
    ratios = [part / own for part, own in zip(parts, wholes, strict=True)]
    variance = 0.0 if _alike(ratios) else _linearised(parts, wholes)
    degrees = _degrees(weights, [1.0] * len(weights))
    return Spread(len(parts), variance, variance, degrees, 1 / sum(weight**2 for weight in weights))


def _linearised(parts: Sequence[float], wholes: Sequence[float]) -> float:
    """The CR2 variance of a ratio of sums over clusters."""
    whole = fsum(wholes)
    value = fsum(parts) / whole
    pairs = zip(parts, wholes, strict=True)
    return fsum(((part - value * own) / whole) ** 2 / (1 - own / whole) for part, own in pairs)


def intra_cluster_correlation(clusters: Sequence[Sequence[float]]) -> float:
    """The analysis-of-variance estimate of the intra-cluster correlation, in [0, 1] (Donner 1986, International Statistical Review 54, 67-82).

    1 where nothing varies inside the clusters, or each has one value. Example: (1, 1), (0, 0), (1, 0) give 0.5.
    """
    n, count = sum(map(len, clusters)), len(clusters)
    mean = _mean([value for own in clusters for value in own])
    means = [_mean(own) for own in clusters]
    within = fsum(map(_squares, clusters))
    if within == 0:
        return 1.0
    inside = within / (n - count)
    between = fsum(len(own) * (one - mean) ** 2 for own, one in zip(clusters, means, strict=True)) / (count - 1)
    size = (n - sum(len(own) ** 2 for own in clusters) / n) / (count - 1)
    return min(1.0, max(0.0, (between - inside) / (between + (size - 1) * inside)))


def _degrees(weights: Sequence[float], scales: Sequence[float]) -> float:
    """Satterthwaite's degrees of freedom of the CR2 variance: tr(AV)² / tr(AVAV) of its quadratic form A in the clusters' means.

    A = (I - 1w')' D (I - 1w') has the clusters' weights w, and d = w² / (1 - w) on the diagonal of D; V has the variances of the clusters'
    means (`scales`, of any unit) on its diagonal. With T, the sum of d, A has w²(1 - w) + w²(T - d) on its diagonal, and elsewhere
    the product of both weights and T - e - e', where e = w + d. The largest cluster stands apart, because T is nearly its d where it has
    nearly all. Example: with G equal clusters there are G - 1.
    """
    largest = max(range(len(weights)), key=weights.__getitem__)
    rest = [at for at in range(len(weights)) if at != largest]
    shares = [weight**2 / (1 - weight) for weight in weights]
    others = fsum(shares[at] for at in rest)
    total = others + shares[largest]
    without = [others if at == largest else total - share for at, share in enumerate(shares)]
    own = [scale * w**2 * (1 - w + more) for w, scale, more in zip(weights, scales, without, strict=True)]
    size = [scale * weight**2 for weight, scale in zip(weights, scales, strict=True)]
    reach = [weight + share for weight, share in zip(weights, shares, strict=True)]
    none, once, twice = (fsum(size[at] * reach[at] ** power for at in rest) for power in range(3))
    pairs = (total * none) ** 2 - 4 * total * none * once + 2 * none * twice + 2 * once**2
    pairs -= fsum((size[at] * (total - 2 * reach[at])) ** 2 for at in rest)
    far = 2 * size[largest] * fsum(size[at] * (others - weights[largest] - reach[at]) ** 2 for at in rest)
    return max(1.0, fsum(own) ** 2 / (fsum(part**2 for part in own) + pairs + far))


def wilson(value: float, n: float, quantile: float = _Z) -> tuple[float, float]:
    """Wilson's score interval of a share of so many independent moments, which need not be a whole number."""
    whole = 2 * (n + quantile**2)
    center = (2 * n * value + quantile**2) / whole
    half = quantile / whole * sqrt(4 * n * value * (1 - value) + quantile**2)
    return (center - half if value > 0 else 0.0), (center + half if value < 1 else 1.0)


def quantile_interval(members: Sequence[tuple[str, float]], quantile: float) -> tuple[float | None, float | None]:
    """The interval of a quantile of values, from pairs of cluster and value: two of the values, or None where there is no limit.

    How many of n independent values lie below a quantile is binomial, which gives the interval of order statistics, as in scipy's
    `quantile_test`. In clusters the effective number of values takes the place of n (Woodruff 1952, Journal of the American
    Statistical Association 47, 635-646; the number as Korn and Graubard 1998).
    Example: of ten single values the median lies between the second and the ninth.
    """
    values = sorted(value for _, value in members)
    n, alone = len(values), _effective_values(members, values, quantile)
    below, above = (_binomial_point(alone, quantile, tail) for tail in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    low, high = (floor(below * n / alone), ceil(above * n / alone) + 1) if alone else (0, n + 1)
    return (values[low - 1] if low >= 1 else None), (values[high - 1] if high <= n else None)


def _effective_values(members: Sequence[tuple[str, float]], values: Sequence[float], quantile: float) -> int:
    """How many independent values tell as much of a quantile as these."""
    n, clusters = len(values), by_cluster(members)
    if len(clusters) == n:
        return n
    cut = values[min(n - 1, floor(quantile * n))]
    marks = [[float(value < cut) for value in own] for own in clusters.values()]
    spread = spread_of(marks)
    below = sum(map(sum, marks)) / n
    return 0 if spread is None else floor(min(n, spread.effective(below)) * (_Z / spread.t) ** 2)


def _binomial_point(n: int, chance: float, tail: float) -> int:
    """The least number of successes that so many trials do not exceed with the probability `tail`. Example: 2 for 10, 0.5, 0.025."""
    total, successes = 0.0, -1
    while total < tail and successes < n:
        successes += 1
        ways = lgamma(n + 1) - lgamma(successes + 1) - lgamma(n - successes + 1)
        total += exp(ways + successes * log(chance) + (n - successes) * log1p(-chance))
    return successes


def sum_interval(parts: Sequence[float]) -> tuple[float | None, float | None]:
    """The interval of the sum of one number of each cluster, where many are 0 and few are large; None unless the sum is above 0 and varies.

    The logarithm of the sum has Student's t, with the variance of the sum by its square (the delta method), and one degree of freedom less than
    the effective number of clusters that add to it: the square of the sum by the sum of squares. On the sum itself the interval would hold the
    truth far too seldom (docs/numbers.md). Example: 3, 0, 6, 1 have the sum 10, from 0.08 to 1,181: two clusters say next to nothing.
    """
    count, total = len(parts), sum(parts)
    mean = total / count if count else 0.0
    squares = sum((part - mean) ** 2 for part in parts)
    if total <= 0 or squares == 0:
        return None, None
    degrees = max(1.0, total**2 / sum(part**2 for part in parts) - 1)
    error = sqrt(squares * count / (count - 1)) / total
    reach = exp(min(student_quantile((1 + CONFIDENCE) / 2, degrees) * error, 50.0))
    return total / reach, total * reach


def figure(
    value: float | None, interval: tuple[float, float] | None, n: int, clusters: int, effect: float | None
) -> FigureDocument:
    """A figure as it stands in a summary."""
    low, high = interval or (None, None)
    return {"value": value, "low": low, "high": high, "n": n, "clusters": clusters, "design_effect": effect}


# The quantile of Student's t that intervals need.
#
# It equals that of scipy's `stdtrit` to eight digits. scipy is not used because loading it takes 0.4 s of processor time: a fifth of what the live
# screen of a short run takes in all, and more than a short command does.

_STEPS = 100
"""Seven are enough for one degree of freedom, three for more than ten."""
_TERMS = 10_000
"""Of the continued fraction: 2,000 are enough for ten million degrees."""
_CLOSE = 1e-12
_TINY = 1e-300


@lru_cache(maxsize=4096)
def student_quantile(probability: float, degrees: float) -> float:
    """The number that Student's t with one to ten million degrees of freedom does not exceed with a probability of 0.9 or more.

    Newton's method on the logarithm of the tail, from the normal quantile up.
    Example: 0.975 and 10 degrees give 2.228.
    """
    at, tail = NormalDist().inv_cdf(probability), 1 - probability
    for _ in range(_STEPS):
        beyond = _tail(at, degrees)
        step = beyond / _density(at, degrees) * log(beyond / tail)
        at += step
        if abs(step) <= _CLOSE * at:
            break
    return at


def _density(at: float, degrees: float) -> float:
    logarithm = lgamma((degrees + 1) / 2) - lgamma(degrees / 2) - log(degrees * pi) / 2
    return exp(logarithm - (degrees + 1) / 2 * log1p(at * at / degrees))


def _tail(at: float, degrees: float) -> float:
    """The probability of more: half of the regularised incomplete beta function (Abramowitz and Stegun 1964, 26.5.27 and 26.5.8)."""
    a, x = degrees / 2, degrees / (degrees + at * at)
    # x^a (1-x)^(1/2) / (a B(a, 1/2)) is the density, but for a factor
    return _density(at, degrees) * at / degrees * _fraction(a, 0.5, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method as of Thompson and Barnett (1986)."""
    value = upper = 1.0
    lower = 0.0
    for number in range(1, _TERMS):
        half, odd = divmod(number, 2)
        if odd:
            part = -(a + half) * (a + b + half) * x / ((a + number - 1) * (a + number))
        else:
            part = half * (b - half) * x / ((a + number - 1) * (a + number))
        lower = 1 / (1 + part * lower or _TINY)
        upper = 1 + part / upper or _TINY
        value *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return 1 / value
