"""The named distributions of synthesised sessions. `distributions.toml` has their parameters and sources."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias, get_args

import msgspec

GapContext: TypeAlias = Literal[
    "letter", "sign", "enter", "line", "delete", "deletes", "redo", "beside", "elsewhere", "document", "paste"
]
"""What follows a gap.

At the place of the last edit: `letter` is a letter after a letter, `sign` another character, `enter` Enter, `line` the first
character of a line, `delete` the first Backspace, `deletes` a further one, `redo` the first character after Backspace.
Elsewhere: `beside` is the first key at most `BESIDE` away (after a closer, for example), `elsewhere` the first key in another
place of the document, `document` the first key in another document, `paste` a paste."""
BESIDE = 3
"""The largest distance from the last edit that counts as beside it, in UTF-16 code units."""
CONTEXTS: tuple[GapContext, ...] = get_args(GapContext)
IN_PLACE: frozenset[GapContext] = frozenset({"letter", "sign", "enter", "line", "delete", "deletes", "redo"})
LEAST_MS = 10
"""The shortest gap between two edits (ms); persons make none shorter (see `FLUSHED_MS` in `tools/commit_distributions.py`)."""
PausePlace: TypeAlias = Literal["in_place", "elsewhere", "document"]


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    """Where the parameters come from."""
    n: int
    """Number of observations behind them; 0 if the parameters are chosen."""


class Lognormals(_Named, frozen=True):
    """A mixture of log-normal distributions.

    A draw is `shift + median · exp(sigma · z)`, where a part is chosen by weight and z is standard normal. For example the part
    (1.0, 184, 0.353) without shift gives 184 · exp(0.353 · 1) = 262 ms for z = 1.
    """

    parts: tuple[tuple[float, float, float], ...]
    """Each part is (weight, median in ms, sigma of the logarithm); the weights sum to 1."""
    shift: float = 0.0
    """Milliseconds that are added to each draw."""
    most: float = math.inf
    """Draws above this (ms) are repeated."""

    def draw(self, chance: random.Random) -> float:
        """A gap in ms."""
        while (drawn := self.shift + self._part(chance)) > self.most:
            pass
        return drawn

    def _part(self, chance: random.Random) -> float:
        [(_, median, sigma)] = chance.choices(self.parts, [weight for weight, _, _ in self.parts])
        return chance.lognormvariate(math.log(median), sigma)


class Share(_Named, frozen=True):
    """A yes or no: yes with probability `p`."""

    p: float

    def draw(self, chance: random.Random) -> bool:
        """Yes or no."""
        return chance.random() < self.p


class Geometric(_Named, frozen=True):
    """A count of at least 1: after each, another one follows with probability 1 - 1 / `mean`.

    For example the mean 2.0 gives 1 with probability 1/2, 2 with 1/4, and 3 with 1/8.
    """

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

    def draw(self, chance: random.Random, allowed: Collection[str] | None = None) -> str:
        """The name of one of them; with `allowed` only these can be drawn."""
        names = [name for name in self.weights if allowed is None or name in allowed]
        return chance.choices(names, [self.weights[name] for name in names])[0]


class Distributions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All distributions of a session."""

    burst: dict[GapContext, Lognormals]
    """Gaps (ms) inside a burst of keys."""
    pausing: dict[GapContext, Share]
    """Whether a gap is a pause, which ends the burst."""
    pause: dict[PausePlace, Lognormals]
    """Lengths (ms) of pauses."""
    typo: Share
    """Whether a typo begins at a letter."""
    typo_kind: Choice
    """What kind of typo it is."""
    noticed_after: Geometric
    """Wrong letters that are typed before the typo is noticed."""
    type_over: Share
    """Whether a closer that the editor added is typed over, rather than passed with the cursor."""
    selected: Share
    """Whether a few characters are selected and deleted at once, rather than with Backspace."""
    replaced_at_once: Share
    """Whether the next text replaces a selection directly, rather than after a deletion."""
    downwards: Share
    """Whether the next hunk of the document is the one below, rather than the one above."""
    leaving: Share
    """Whether the person goes to another document after a hunk."""
    next_file: Choice
    """Which kind of document comes next."""
    pasted: Share
    """Whether a block that can be pasted is pasted."""

    def __post_init__(self) -> None:
        """Refuse a file without one of the contexts or places."""
        tables: tuple[tuple[str, Iterable[str], tuple[str, ...]], ...] = (
            ("burst", self.burst, CONTEXTS),
            ("pausing", self.pausing, CONTEXTS),
            ("pause", self.pause, get_args(PausePlace)),
        )
        for name, known, wanted in tables:
            if lacking := set(wanted).difference(known):
                raise ValueError(f"{name} lacks {', '.join(sorted(lacking))}")

    def gap(self, chance: random.Random, context: GapContext) -> int:
        """The gap before an edit in whole ms: one inside a burst, or a pause that ends the burst."""
        paused = self.pausing[context].draw(chance)
        drawn = self.pause[place_of(context)] if paused else self.burst[context]
        return max(LEAST_MS, round(drawn.draw(chance)))


def place_of(context: GapContext) -> PausePlace:
    """The distribution of pauses for a context."""
    if context in IN_PLACE or context == "beside":
        return "in_place"
    return "document" if context == "document" else "elsewhere"


@cache
def named_distributions() -> Distributions:
    """The distributions that come with the project (`distributions.toml`)."""
    content = resources.files("corpora.history.session").joinpath("distributions.toml").read_bytes()
    return msgspec.toml.decode(content, type=Distributions)
