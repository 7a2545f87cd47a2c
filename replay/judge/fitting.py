"""The hole of a suggestion: as much of the finished text as the suggestion stands in for, and never more (DESIGN.md §5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from replay.judge.alignment import Written, reach
from replay.judge.grafts import Hole, extent_kind, graft, graft_start, language_at, taken, written_since
from replay.play.instructions import Spot
from replay.records import Suggestion
from replay.tapes.timeline import Timeline
from syntax.blocks import extent
from syntax.parse import parse
from syntax.text import index_of

_WORDS = re.compile(r"\w+|[^\w\s]")
_MARGIN = 2000
"""Characters of the finished text that are looked at, beyond four times those of the suggestion."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a suggestion stands in for. `hole` is the part that it replaces, `emptied` that part up to the end of a statement.

    `part` is the share of the characters of `emptied` that stand in `hole`, white space aside: 1 where the suggestion ends with a
    statement. `repeats`: the suggestion says again what stood right of the cursor.
    """

    hole: Hole
    emptied: Hole
    part: float = 1.0
    repeats: bool = False


def fit(timeline: Timeline, hole: Hole, spot: Spot, suggestion: Suggestion) -> Fit:
    """Find what a suggestion stands in for, beginning with the part `hole` that is wanted at its moment."""
    if not suggestion.text.strip():
        return Fit(hole, hole)
    window = hole.end + 4 * len(suggestion.text) + _MARGIN
    limit = written_since(timeline, spot.moment, hole.start, window, taken(hole, suggestion, spot.moment))
    start = graft_start(hole, suggestion, spot.before, spot.after)
    tree = parse(language_at(spot.moment), hole.final)
    found = reach(Written(tree, start, max(limit, hole.start), hole.end), suggestion.text)
    used = replace(hole, end=max(found.end, hole.start))
    whole = replace(hole, end=max(found.whole, used.end))
    right = spot.after[index_of(spot.after, max(0, suggestion.end - spot.moment.offset)) :]
    repeats = not found.agrees and _repeats(suggestion.text, right, hole.final[start:limit])
    return Fit(used, whole, _share(used.truth, whole.truth), repeats)


def _share(part: str, whole: str) -> float:
    said, of = ("".join(text.split()) for text in (part, whole))
    return len(said) / len(of) if of else 1.0


def _repeats(text: str, right: str, written: str) -> bool:
    """Whether a suggestion says again what stands right of it: whole lines, behind all that was written there or at its end."""
    said, fresh = _WORDS.findall(text), _WORDS.findall(written)
    ends = _line_ends(right, len(said))
    if said[: len(fresh)] == fresh and any(said[len(fresh) : len(fresh) + len(line)] == line for line in ends):
        return True
    return any(said[-len(line) :] == line for line in ends)


def _line_ends(right: str, most: int) -> Sequence[list[str]]:
    """The words up to the end of each line that stands right of a cursor, as far as there are so many; at least one is a name."""
    found: list[list[str]] = []
    words: list[str] = []
    for line in right.splitlines():
        words = words + _WORDS.findall(line)
        if len(words) > most:
            break
        if any(word[0].isalnum() for word in words) and (not found or found[-1] != words):
            found.append(words)
    return found


def clipped(hole: Hole, spot: Spot, suggestion: Suggestion) -> Suggestion:
    """The suggestion up to the end of what is wanted at its moment: what counts where every suggestion has the same hole."""
    text = graft(hole, suggestion, spot.moment, spot.before, spot.after)
    start = graft_start(hole, suggestion, spot.before, spot.after)
    kind = extent_kind(language_at(spot.moment), spot.moment, spot.before, spot.after)
    kept = suggestion.text[: max(0, extent(language_at(spot.moment), text, start, kind) - start)]
    return suggestion if kept == suggestion.text.rstrip() else structs.replace(suggestion, text=kept)
