"""The moments of two runs side by side, without widgets: what changed at each, and which of them are shown in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Literal, TypeAlias

from replay.numbers.paired.paired_moments import could_be_tested, fixed_verdict, passes
from replay.records import Record
from replay.run.listing.moment_rows import searched_text
from tui.glossary import block_label, location

PairChange: TypeAlias = Literal["lost", "gained", "same", "untested"]
CHANGES: dict[PairChange, tuple[str, str]] = {
    "lost": ("-", "A passes, B does not"),
    "gained": ("+", "B passes, A does not"),
    "same": ("=", "both pass, or neither does"),
    "untested": ("u", "at least one of the two could not be tested"),
}
"""The sign of each change, which is also its key, and its meaning; in the order of the list."""


@dataclass(frozen=True, slots=True)
class MomentPair:
    """A moment that two runs share: the record of each, and what changed from the first to the second."""

    first: Record
    second: Record
    change: PairChange


@dataclass(frozen=True, slots=True)
class PairSelection:
    """Which pairs are shown (`change`; None: all), and in which order (`sort` of `SORTS`)."""

    change: PairChange | None = None
    sort: str = "change"
    descending: bool = False
    text: str = ""
    """Only pairs in which this text stands; empty: all."""

    def sorted_by(self, sort: str) -> PairSelection:
        """Sort by something else; the same again turns the order round."""
        return replace(self, sort=sort, descending=sort == self.sort and not self.descending)


_Key: TypeAlias = Callable[[MomentPair], Any]
_RANKS = {change: rank for rank, change in enumerate(CHANGES)}
SORTS: dict[str, _Key] = {
    "change": lambda pair: _RANKS[pair.change],
    "moment": lambda pair: (pair.first.moment.path, pair.first.moment.line, pair.first.moment.character),
    "block": lambda pair: block_label(pair.first),
    "A": lambda pair: fixed_verdict(pair.first),
    "B": lambda pair: fixed_verdict(pair.second),
}
"""What the list can be sorted by: the titles of its columns. What is equal stays in the order of tapes and events."""


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs: the figures of `replay.numbers.comparison.compare`, and the moments that they share.

    Of each run, too: the configuration that it was made with, and where its tapes were then, by their names.
    """

    found: Mapping[str, Any]
    pairs: Sequence[MomentPair]
    configs: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    origins: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})
    _texts: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> tuple[str, str]:
        """The shortest ends of the folders' paths that differ."""
        first, second = (PurePath(name).parts for name in self.found["runs"])
        length = 1
        while first[-length:] == second[-length:] and length < max(len(first), len(second)):
            length += 1
        return str(PurePath(*first[-length:])), str(PurePath(*second[-length:]))

    def counts(self) -> Counter[PairChange]:
        """How many pairs there are of each change."""
        return Counter(pair.change for pair in self.pairs)

    def select(self, wanted: PairSelection) -> list[MomentPair]:
        """The pairs that are wanted, in the wanted order."""
        chosen = [pair for pair in self.pairs if wanted.change in {None, pair.change} and self.holds(pair, wanted.text)]
        return sorted(chosen, key=SORTS[wanted.sort], reverse=wanted.descending)

    def holds(self, pair: MomentPair, text: str) -> bool:
        """Whether a text stands in the record of one of the two runs; upper and lower case are the same."""
        moment = pair.first.moment.id
        if text and moment not in self._texts:
            self._texts[moment] = f"{searched_text(pair.first)}\n{searched_text(pair.second)}"
        return not text or text.casefold() in self._texts[moment]

    def next_match(self, shown: Sequence[MomentPair], text: str, start: int, step: int) -> tuple[int | None, int]:
        """The next place of a list from `start` on in which a text stands (None: nowhere), and how many there are.

        `step` is 1 or -1; after the last place comes the first.
        """
        matching = [index for index, pair in enumerate(shown) if self.holds(pair, text)]
        nearest = min(matching, key=lambda index: (step * (index - start)) % len(shown), default=None)
        return nearest, len(matching)


def pairs_of(first: Iterable[Record], second: Iterable[Record]) -> list[MomentPair]:
    """The moments that two runs share, in the order of the first; with several samples each answer with the one of the same sample."""
    known = {record.moment.id: record for record in second}
    both = ((record, known[record.moment.id]) for record in first if record.moment.id in known)
    return [MomentPair(one, other, change_of(one, other)) for one, other in both]


def change_of(first: Record, second: Record) -> PairChange:
    """What changed, by the verdicts in the hole that is the same for both."""
    if not (could_be_tested(first) and could_be_tested(second)):
        return "untested"
    before, after = passes(first), passes(second)
    if before == after:
        return "same"
    return "gained" if after else "lost"


def place_of(pair: MomentPair) -> str:
    """Where a pair is, as `path:line:column`."""
    return location(pair.first)
