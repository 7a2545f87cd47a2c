"""How long an answer took, as laid onto the virtual clock."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import TypeAlias

from replay.errors import ReplayError

Latency: TypeAlias = Callable[[float], float]
"""Measured wall time (ms) of one request in, latency on the virtual clock (ms) out."""


class LatencyError(ReplayError):
    """A latency model is none that is known."""


def latency_of(text: str, seed: int) -> Latency:
    """The model that a text names: `measured`, `fixed:MS` or `lognormal:MEDIAN,SIGMA`.

    Raises:
        LatencyError: the text is none of these.

    """
    kind, _, numbers = text.partition(":")
    try:
        values = [float(number) for number in numbers.split(",")] if numbers else []
    except ValueError:
        values = []
    if text == "measured":
        return lambda measured: measured
    if kind == "fixed" and len(values) == 1 and 0 <= values[0] < math.inf:
        return lambda measured: values[0]
    if kind == "lognormal" and len(values) == 2 and 0 < values[0] < math.inf and 0 <= values[1] < math.inf:
        return _lognormal(values[0], values[1], random.Random(seed))  # noqa: S311 - a simulation, not a secret
    raise LatencyError(
        f"{text!r} is no latency: say measured, fixed:MS (fixed:80) or lognormal:MEDIAN,SIGMA (lognormal:250,0.6)"
    )


def _lognormal(median: float, sigma: float, source: random.Random) -> Latency:
    return lambda measured: source.lognormvariate(math.log(median), sigma)
