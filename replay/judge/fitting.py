"""The hole of a suggestion: as much of the finished text as the suggestion stands in for, and never more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from replay.judge.alignment import Brackets, WrittenCode, brackets_of, reach, said_so_far, words_between
from replay.judge.grafts import Hole, extent_kind, graft, graft_start, language_at, taken, written_since
from replay.play.player_instructions import Spot
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

    `part`: the share of the characters, white space aside, of the construct that it leaves unfinished; 1 where the suggestion ends with a
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
    written = _written(timeline, hole, spot, suggestion)
    found = reach(written, suggestion.text)
    used = replace(hole, end=max(found.end, hole.start))
    whole = replace(hole, end=max(found.whole, used.end))
    begun = max(found.begun, hole.start)
    part = _share(hole.final[begun : used.end], hole.final[begun : whole.end])
    return Fit(used, whole, part, _repeats(written, _right(spot, suggestion), suggestion.text))


def fit_fixed(timeline: Timeline, hole: Hole, spot: Spot, suggestion: Suggestion) -> Fit:
    """The part that is wanted at a moment as what a suggestion stands in for, however long it is."""
    written = _written(timeline, hole, spot, suggestion)
    return Fit(hole, hole, repeats=_repeats(written, _right(spot, suggestion), suggestion.text))


def _written(timeline: Timeline, hole: Hole, spot: Spot, suggestion: Suggestion) -> WrittenCode:
    """What the developer wrote where a suggestion is put in."""
    window = hole.end + 4 * len(suggestion.text) + _MARGIN
    limit = written_since(timeline, spot.moment, hole.start, window, taken(hole, suggestion, spot.moment))
    start = graft_start(hole, suggestion, spot.before, spot.after)
    return WrittenCode(parse(language_at(spot.moment), hole.final), start, max(limit, hole.start), hole.end)


def _right(spot: Spot, suggestion: Suggestion) -> str:
    """What stands right of a suggestion at its moment."""
    return spot.after[index_of(spot.after, max(0, suggestion.end - spot.moment.offset)) :]


def _share(part: str, whole: str) -> float:
    said, of = ("".join(text.split()) for text in (part, whole))
    return len(said) / len(of) if of else 1.0


def _repeats(written: WrittenCode, right: str, text: str) -> bool:
    """Whether a suggestion says again what stands right of it: whole lines, behind all that was written there or at its end.

    At its end only lines count that stand as deep: not a `return x` inside a block of its own. What the developer wrote twice may be said twice.
    """
    if said_so_far(written, text) is not None:
        return False
    said, fresh = _WORDS.findall(text), _WORDS.findall(written.tree.text[written.start : written.limit])
    lines = _line_ends(right, len(said), written.tree.language.closer)
    if said[: len(fresh)] == fresh and any(said[len(fresh) : len(fresh) + len(line)] == line for line in lines):
        return True
    ends = [line for line in lines if fresh[-len(line) :] != line]
    return any(said[-len(line) :] == line and _stands_as_deep(written, right, text, line) for line in ends)


def _stands_as_deep(written: WrittenCode, right: str, text: str, line: Sequence[str]) -> bool:
    """Whether the end of a suggestion that says a line again begins a line, as deep as the place where the suggestion begins."""
    at = [match.start() for match in _WORDS.finditer(text)][-len(line)]
    language, final = written.tree.language, written.tree.text
    lead = final[final.rfind("\n", 0, written.start) + 1 : written.start] + text[:at]
    indent = lead[lead.rfind("\n") + 1 :]
    if indent.strip():
        return False
    if language.layout or language.closer:
        below = right[: len(right) - len(right.lstrip())]
        return indent == below[below.rfind("\n") + 1 :]
    offered = parse(language, final[: written.start] + text)
    return brackets_of(words_between(offered, written.start, written.start + at)) == Brackets()


def _line_ends(right: str, most: int, closer: str) -> Sequence[list[str]]:
    """The words up to the end of each line that stands right of a cursor, as far as there are so many; at least one is a name."""
    found: list[list[str]] = []
    words: list[str] = []
    for line in right.splitlines():
        words = words + _WORDS.findall(line)
        if len(words) > most:
            break
        if any(word[0].isalnum() and word != closer for word in words) and (not found or found[-1] != words):
            found.append(words)
    return found


def clipped(hole: Hole, spot: Spot, suggestion: Suggestion) -> Suggestion:
    """The suggestion up to the end of what is wanted at its moment: what counts where every suggestion has the same hole."""
    text = graft(hole, suggestion, spot.moment, spot.before, spot.after)
    start = graft_start(hole, suggestion, spot.before, spot.after)
    kind = extent_kind(language_at(spot.moment), spot.moment, spot.before, spot.after)
    kept = suggestion.text[: max(0, extent(language_at(spot.moment), text, start, kind) - start)]
    return suggestion if kept == suggestion.text.rstrip() else structs.replace(suggestion, text=kept)
