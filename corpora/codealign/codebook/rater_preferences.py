"""What raters prefer and say: in which order they see the pairs, and the file of what they said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from corpora.codealign.codebook.json_lines import read_lines
from corpora.codealign.codebook.pairs import SolutionPair

PreferenceChoice: TypeAlias = Literal["first", "second", "none"]
"""Which of a pair is preferred, in the pair's own order; `none`: neither."""
REPEATS = 5
"""How many pairs a rater sees twice (CodeAlignBench, section 2.1)."""


class Preference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rater said of a pair. A later line of a file about the same rater, pair and showing takes the place of an earlier one."""

    pair: str
    rater: str
    repeated: bool = False
    """Whether it was seen for the second time."""
    swapped: bool = False
    """Whether the pair's second solution stood on the left."""
    choice: PreferenceChoice
    asks: tuple[str, ...] = ()
    """What the rater would tell the author of the other one."""
    unsure: bool = False
    """Whether the rater cannot say why."""


@dataclass(frozen=True, slots=True)
class Showing:
    """A pair as a rater sees it."""

    pair: SolutionPair
    swapped: bool
    repeated: bool = False

    @property
    def sides(self) -> tuple[str, str]:
        """What stands on the left and on the right."""
        first, second = self.pair.first, self.pair.second
        return (second, first) if self.swapped else (first, second)

    def choice_of(self, side: Literal["left", "right"]) -> PreferenceChoice:
        """What it means to prefer a side."""
        return "first" if (side == "left") != self.swapped else "second"


def showings(pairs: Sequence[SolutionPair], rater: str, seed: int, repeats: int = REPEATS) -> list[Showing]:
    """What a rater sees, in order: each pair once, and some of them once more, with their sides changed over.

    Order and sides are drawn by the seed and the rater's name: so raters see other orders, and one who comes back sees the same. A repeat comes at the end, never
    right behind its first showing where there is another pair to stand between.
    """
    draw = random.Random(f"{seed}\0{rater}")  # noqa: S311 - an order, not a secret
    once = [Showing(pair, draw.random() < 0.5) for pair in draw.sample(list(pairs), len(pairs))]
    again = draw.sample(once[:-1] or once, min(repeats, len(once[:-1] or once)))
    return [*once, *(Showing(one.pair, not one.swapped, repeated=True) for one in again)]


def read_preferences(file: Path) -> list[Preference]:
    """What raters said, the last word of each about a showing.

    Raises:
        DataError: the file cannot be read, or a line is no preference.

    """
    found = {
        (one.rater, one.pair, one.repeated): one
        for _, one in read_lines(file, Preference, "preference (`ghosttape instructions prefer` collects them)")
    }
    return list(found.values())


def write_preference(file: Path, one: Preference) -> None:
    """Add what a rater said, as a whole line.

    Raises:
        OSError: it cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = file.read_bytes() if file.exists() else b""
    whole, _, last = kept.rpartition(b"\n")
    if last:  # without its end: written by hand, or by a process that died while it wrote
        whole = kept if _is_preference(last) else whole
        file.write_bytes(whole + b"\n" if whole else b"")
    with file.open("ab") as lines:
        lines.write(msgspec.json.encode(one) + b"\n")


def _is_preference(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=Preference)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return False
    return True
