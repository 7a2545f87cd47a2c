"""The named distributions that a synthesised session is drawn from. Their parameters and sources: `distributions.toml`."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias, get_args

import msgspec

Context: TypeAlias = Literal[
    "letter", "sign", "enter", "line", "delete", "deletes", "redo", "beside", "elsewhere", "document", "paste"
]
"""What a gap stands before. At the place of the last edit: a letter after a letter; another character; Enter; the first
character of a line; a first and a further Backspace; a character after it. Elsewhere: the first key at most `BESIDE` from
there (past a closer, say), the first in another place of the document, the first in another document, and a paste."""
BESIDE = 3
"""How many UTF-16 code units away is still beside the last edit."""
CONTEXTS: tuple[Context, ...] = get_args(Context)
IN_PLACE: frozenset[Context] = frozenset({"letter", "sign", "enter", "line", "delete", "deletes", "redo"})
LEAST_MS = 10
"""No two edits are closer than this (ms), for none that a person made were (see `measure.FLUSHED_MS`)."""
Place: TypeAlias = Literal["in_place", "elsewhere", "document"]


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`source` says where the parameters come from; `n` on how many observations they rest, 0 where they are chosen."""

    source: str
    n: int


class Lognormals(_Named, frozen=True):
    """A mixture of log-normal distributions, moved by `shift` (ms); draws beyond `most` (ms) are drawn again.

    `parts` are (weight, median in ms, sigma of the logarithm); the weights sum to 1.
    """

    parts: tuple[tuple[float, float, float], ...]
    shift: float = 0.0
    most: float = math.inf

    def draw(self, chance: random.Random) -> float:
        """A gap in ms."""
        while (drawn := self.shift + self._part(chance)) > self.most:
            pass
        return drawn

    def _part(self, chance: random.Random) -> float:
        [(_, median, sigma)] = chance.choices(self.parts, [weight for weight, _, _ in self.parts])
        return chance.lognormvariate(math.log(median), sigma)


class Share(_Named, frozen=True):
    """How often something is so: one draw with probability `p`."""

    p: float

    def draw(self, chance: random.Random) -> bool:
        """Whether it is so this time."""
        return chance.random() < self.p


class Geometric(_Named, frozen=True):
    """A count of at least 1: after each one it goes on with probability 1 - `p`; `mean` is 1 / `p`."""

    mean: float

    def draw(self, chance: random.Random) -> int:
        """A count."""
        count = 1
        while chance.random() > 1 / self.mean:
            count += 1
        return count


class Choice(_Named, frozen=True):
    """One of several, by weights that need not sum to 1."""

    weights: dict[str, float]

    def draw(self, chance: random.Random, among: Collection[str] | None = None) -> str:
        """The name of one of them, or of one of those `among` them that can be had."""
        names = [name for name in self.weights if among is None or name in among]
        return chance.choices(names, [self.weights[name] for name in names])[0]


class Distributions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them. `burst` and `pausing` are by the context of a gap; for the others see the comments in the file."""

    burst: dict[Context, Lognormals]
    pausing: dict[Context, Share]
    pause: dict[Place, Lognormals]
    typo: Share
    typo_kind: Choice
    noticed_after: Geometric
    type_over: Share
    selected: Share
    replaced_at_once: Share
    downwards: Share
    leaving: Share
    next_file: Choice
    pasted: Share

    def __post_init__(self) -> None:
        """Refuse a file that leaves a context or a place out."""
        tables: tuple[tuple[str, Iterable[str], tuple[str, ...]], ...] = (
            ("burst", self.burst, CONTEXTS),
            ("pausing", self.pausing, CONTEXTS),
            ("pause", self.pause, get_args(Place)),
        )
        for name, known, wanted in tables:
            if lacking := set(wanted).difference(known):
                raise ValueError(f"{name} says nothing of {', '.join(sorted(lacking))}")

    def gap(self, chance: random.Random, context: Context) -> int:
        """The gap in whole ms before an edit: one of a burst, or a pause that ends the burst."""
        paused = self.pausing[context].draw(chance)
        drawn = self.pause[place_of(context)] if paused else self.burst[context]
        return max(LEAST_MS, round(drawn.draw(chance)))


def place_of(context: Context) -> Place:
    """Which distribution of pauses belongs to a context."""
    if context in IN_PLACE or context == "beside":
        return "in_place"
    return "document" if context == "document" else "elsewhere"


@cache
def named_distributions() -> Distributions:
    """Read the distributions that come with the project."""
    content = resources.files("corpora.history").joinpath("distributions.toml").read_bytes()
    return msgspec.toml.decode(content, type=Distributions)
