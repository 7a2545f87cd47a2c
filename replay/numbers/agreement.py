"""How far two raters agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt

from replay.numbers.intervals import Figure, figure

_NOTHING = 1e-6
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> Figure:
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
