"""How many moments it takes to tell two runs apart, from what two runs show so far.

A difference of d is found with probability `POWER`, at the level 1 - `CONFIDENCE`, by so many pairs that d is z(0.975) + z(0.8) = 2.80 standard errors
(Miller 2024, "Adding error bars to evals", arXiv:2411.00640, section 5; for two proportions of pairs Connor 1987, Biometrics 43, 207-211). The
standard error is the clustered one that these pairs show, and further moments are taken to be as the ones there are: in clusters of the same size that
are as much alike. Then it falls with the square root of their number.
"""

from __future__ import annotations

from math import ceil, floor, log10, sqrt
from statistics import NormalDist

from replay.numbers.intervals import CONFIDENCE

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
