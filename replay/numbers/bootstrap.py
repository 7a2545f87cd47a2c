"""The percentile bootstrap of a mean, as DevBench reports its judge's scores."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from replay.numbers.intervals import FigureDocument, figure

RESAMPLES = 10_000
"""As many as DevBench takes (section 3.3 and Appendix B.4)."""
_AT_ONCE = 500
"""Resamples that are in memory at once."""


def bootstrapped_mean(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> FigureDocument:
    """The mean of values with the 2.5 and 97.5 percentiles of the means of as many values drawn with repetition (Efron 1979, Annals of Statistics 7, 1-26).

    `value` is None without values; `low` and `high` are None for fewer than two, or where all are alike: such data show no spread.
    Example: 0, 10 and 5 have the mean 5, from 0 to 10.
    """
    n = len(values)
    if not n:
        return figure(None, None, 0, 0, None)
    mean = fsum(values) / n
    if n < 2 or max(values) == min(values):
        return figure(mean, None, n, n, None)
    draw, known = np.random.default_rng(seed), np.array(values, dtype=float)
    sizes = [min(_AT_ONCE, resamples - at) for at in range(0, resamples, _AT_ONCE)]
    means = np.concatenate([known[draw.integers(0, n, (size, n))].mean(axis=1) for size in sizes])
    low, high = np.percentile(means, (2.5, 97.5))
    return figure(mean, (float(low), float(high)), n, n, None)
