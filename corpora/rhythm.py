"""The rhythm of typing: gaps drawn from measured quantiles."""

from __future__ import annotations

import random
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

Pace: TypeAlias = Literal["key", "line", "jump"]


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Quantiles (share, ms) of the gap before a key, in rising order, and where they were measured."""

    source: str
    gaps: tuple[tuple[float, float], ...]


class Chosen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was not measured: parts of the distribution for slower keys, and how often a letter is wrong."""

    line_start: tuple[float, float]
    jump: tuple[float, float]
    typo: float
    noticed_after: int


class Rhythm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a person types."""

    measured: Measured
    chosen: Chosen

    def gap(self, share: float) -> float:
        """The gap in ms below which this share of all gaps lies: the inverse distribution function.

        Linear between the measured quantiles; beyond the outermost ones their own value.
        """
        points = self.measured.gaps
        if share <= points[0][0]:
            return points[0][1]
        for (low, below), (high, above) in pairwise(points):
            if share <= high:
                return below + (above - below) * (share - low) / (high - low)
        return points[-1][1]

    def draw(self, chance: random.Random, pace: Pace) -> int:
        """A gap in whole ms, by a source of chance that the caller has seeded."""
        low, high = {"key": (0.0, 1.0), "line": self.chosen.line_start, "jump": self.chosen.jump}[pace]
        return round(self.gap(chance.uniform(low, high)))


@cache
def measured_rhythm() -> Rhythm:
    """The rhythm that comes with the project (`rhythm.toml`)."""
    return msgspec.toml.decode(resources.files("corpora").joinpath("rhythm.toml").read_bytes(), type=Rhythm)
