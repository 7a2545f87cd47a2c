"""The rhythm of typing: gaps drawn from measured quantiles."""

from __future__ import annotations

import random
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

Pace: TypeAlias = Literal["key", "line", "jump"]


class MeasuredGaps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The measured gaps before a key."""

    source: str
    """The recording that they were measured on."""
    gaps: tuple[tuple[float, float], ...]
    """Quantiles: (share of gaps, the gap in ms below which they are), in rising order."""


class ChosenHabits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that are chosen, not measured."""

    line_start: tuple[float, float]
    """Part of the measured distribution (shares) for the gap before the first key of a line."""
    jump: tuple[float, float]
    """Part of the measured distribution (shares) for the gap before going elsewhere."""
    typo: float
    """Probability that a letter is wrong."""
    noticed_after: int
    """The most further letters before a typo is noticed."""


class Rhythm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a person types."""

    measured: MeasuredGaps
    chosen: ChosenHabits

    def gap(self, share: float) -> float:
        """The gap in ms below which this share of all gaps is: the inverse distribution function.

        Linear between the measured quantiles; constant below the first and above the last one. For example with the
        quantiles (0.50, 110) and (0.75, 180), the share 0.60 gives 110 + 70 · 0.10 / 0.25 = 138 ms.
        """
        points = self.measured.gaps
        if share <= points[0][0]:
            return points[0][1]
        for (low, below), (high, above) in pairwise(points):
            if share <= high:
                return below + (above - below) * (share - low) / (high - low)
        return points[-1][1]

    def draw(self, chance: random.Random, pace: Pace) -> int:
        """A gap in whole ms; the caller seeds the source of chance."""
        low, high = {"key": (0.0, 1.0), "line": self.chosen.line_start, "jump": self.chosen.jump}[pace]
        return round(self.gap(chance.uniform(low, high)))


@cache
def measured_rhythm() -> Rhythm:
    """The rhythm that comes with the project (`rhythm.toml`)."""
    return msgspec.toml.decode(resources.files("corpora.typing").joinpath("rhythm.toml").read_bytes(), type=Rhythm)
