"""How far two raters agree beyond chance, and how far two measures go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import atanh, fsum, sqrt, tanh

from replay.numbers.intervals import FigureDocument, figure

_NOTHING = 1e-6
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
_FEWEST = 4
"""Pairs of which a correlation has an interval."""


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> FigureDocument:
    """Cohen's kappa of two raters, from their labels of the same items (Cohen 1960, Educational and Psychological Measurement 20, 37-46).

    1 less the share on which they differ by the share on which they would differ by chance, with the large-sample 95 % interval of Fleiss, Cohen and
    Everitt (1969, Psychological Bulletin 72, 323-327). There is no value where both only ever give one label. Where they agree on
    all items (or on none, alike) the formula's error is 0, which says nothing of how sure that is: then there is no interval.
    Example: of 10 items, four (yes, yes), four (no, no), one (yes, no) and one (no, yes) have 0.6.
    """
    n = len(pairs)
    rows, columns = (Counter(pair[rater] for pair in pairs) for rater in (0, 1))
    chance = sum(rows[label] * columns[label] for label in rows) / n**2 if n else 1.0
    if chance == 1.0:
        return figure(None, None, n, n, None)
    agreed = sum(one == other for one, other in pairs) / n
    kappa = (agreed - chance) / (1 - chance)
    error = sqrt(max(0.0, _variance(pairs, kappa, agreed, chance)))
    interval = (max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)) if error > _NOTHING else None
    return figure(kappa, interval, n, n, None)


def _variance(pairs: Sequence[tuple[str, str]], kappa: float, agreed: float, chance: float) -> float:
    n = len(pairs)
    rows, columns = (Counter(pair[rater] for pair in pairs) for rater in (0, 1))
    same = other = 0.0
    for (one, two), count in Counter(pairs).items():
        if one == two:
            same += count / n * (1 - (rows[one] + columns[one]) / n * (1 - kappa)) ** 2
        else:
            other += count / n * ((columns[one] + rows[two]) / n) ** 2
    rest = (kappa - chance * (1 - kappa)) ** 2
    return (same + (1 - kappa) ** 2 * other - rest) / (n * (1 - chance) ** 2)


def spearman(one: Sequence[float], other: Sequence[float]) -> FigureDocument:
    """Spearman's rank correlation (ties have their mean rank), with the 95 % interval of Bonett and Wright (2000, Psychometrika 65, 23-28).

    On Fisher's scale its standard error is sqrt((1 + r² / 2) / (n - 3)). There is no value where all of one side are alike, and no interval for fewer than
    four pairs or a correlation of 1 or -1.
    Example: the ranks 1, 2, 3, 4, 5 and 2, 1, 3, 4, 5 have 0.9.
    """
    n = len(one)
    value = _correlation(_ranks(one), _ranks(other)) if n > 1 else None
    if value is None:
        return figure(None, None, n, n, None)
    if n < _FEWEST or abs(value) >= 1:
        return figure(value, None, n, n, None)
    return figure(value, _around(value, sqrt((1 + value**2 / 2) / (n - 3))), n, n, None)


def pearson(one: Sequence[float], other: Sequence[float]) -> FigureDocument:
    """Pearson's correlation (equation 1 of Codev-Bench's Appendix C), with Fisher's 95 % interval: on his scale its standard error is 1 / sqrt(n - 3).

    There is no value where all of one side are alike, and no interval for fewer than four pairs or a correlation of 1 or -1.
    Example: 1, 2, 3 and 1, 2, 4 have 0.982.
    """
    n = len(one)
    value = _correlation(one, other) if n > 1 else None
    if value is None or n < _FEWEST or abs(value) >= 1:
        return figure(value, None, n, n, None)
    return figure(value, _around(value, 1 / sqrt(n - 3)), n, n, None)


def _around(value: float, error: float) -> tuple[float, float]:
    """The 95 % interval of a correlation with a standard error on Fisher's scale."""
    return tanh(atanh(value) - _Z * error), tanh(atanh(value) + _Z * error)


def _ranks(values: Sequence[float]) -> list[float]:
    below = {value: sum(other < value for other in values) for value in set(values)}
    return [below[value] + (values.count(value) + 1) / 2 for value in values]


def _correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's correlation; None where one side does not vary."""
    means = fsum(one) / len(one), fsum(other) / len(other)
    products = fsum((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True))
    squares = fsum((a - means[0]) ** 2 for a in one) * fsum((b - means[1]) ** 2 for b in other)
    return max(-1.0, min(1.0, products / sqrt(squares))) if squares else None
