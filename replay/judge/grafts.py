"""Grafts: the finished project with a suggestion in place of what the developer wrote there (DESIGN.md §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replay.records import Moment, Suggestion, Untestable
from replay.tapes.carrying import Piece
from replay.tapes.timeline import Timeline
from syntax.blocks import closing, code_span, extent, statement_start
from syntax.gaps import patch, surplus, unclosed
from syntax.languages import Language, language_of
from syntax.parse import parse
from syntax.text import cut, index_of, length, offset_of
from syntax.wanted import Extent, Stop, wanted

_TAIL = 4000
_RIGHT = re.compile(r"[\s)\]}>\"'`;:,]*[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Hole:
    """The part of a finished document that a suggestion stands in for. Indices into `str`.

    `right` are the pieces that are left of what stood right of the cursor at the moment: closers, and the rest of the line.
    """

    path: str
    final: str
    start: int
    end: int
    right: tuple[Piece, ...] = ()

    @property
    def truth(self) -> str:
        """What the developer wrote there."""
        return self.final[self.start : self.end]


def hole_of(timeline: Timeline, moment: Moment, before: str, after: str) -> Hole | Untestable:
    """The part of the finished document that a moment is about, or why there is none.

    `before` and `after` are the whole document's text around the cursor at the moment. The extent ends where the syntax
    says, and at the latest before text that stood right of the cursor already: that is no part of the answer. Where such
    text has become the tail of something that begins in the part, or the bracket that closed what was open at the cursor is
    gone or closes something else now (the part closes more than was left open), the place was rewritten later.
    """
    language = language_of(moment.language) or language_of(moment.path)
    if language is None:
        return "no-syntax"
    final = timeline.final[moment.path]
    left, _ = timeline.carried(moment.path, moment.event, moment.offset, moment.offset)
    start = index_of(final, left)
    if not _stands(before[statement_start(language, before) :], final[:start]):
        return "rewritten"
    if not _still_closed(timeline, moment, closing(language, before + after, len(before)), before + after):
        return "rewritten"
    whole = extent(language, final, start, _kind(language, moment.stop, before, after))
    fresh = _written_since(timeline, moment, start, whole)
    if fresh < whole and _cut_through(language, final, start, fresh):
        return "rewritten"
    hole = Hole(moment.path, final, start, max(start, min(whole, fresh)), _left_of(timeline, moment, after))
    if surplus(language, final, start, hole.end) > unclosed(language, before + after):
        return "rewritten"
    return hole if hole.truth.strip() else "empty"


def _still_closed(timeline: Timeline, moment: Moment, closer: int | None, text: str) -> bool:
    """Whether the character at an index of the text at the moment, if any, is still there in the end."""
    return closer is None or timeline.outlasts(moment.path, moment.event, offset_of(text, closer))


def _written_since(timeline: Timeline, moment: Moment, start: int, limit: int) -> int:
    """How far the finished text from `start` on was written after the moment: up to older text, white space aside.

    The search ends once it has reached `limit`.
    """
    final, writers = timeline.final[moment.path], timeline.writers[moment.path]
    offset, fresh = offset_of(final, start), start
    for index, char in enumerate(final[start:], start):
        if fresh >= limit:
            break
        if not char.isspace():
            if writers[offset] < moment.event:
                break
            fresh = index + 1
        offset += 1 if char <= "\uffff" else 2
    return fresh


def _left_of(timeline: Timeline, moment: Moment, after: str) -> tuple[Piece, ...]:
    """What is left in the end of the closers and the line that stood right of the cursor."""
    right = _RIGHT.match(after)
    size = length(right[0]) if right else 0
    return timeline.outlasting(moment.path, moment.event, moment.offset, moment.offset + size)


def _cut_through(language: Language, final: str, start: int, end: int) -> bool:
    """Whether something that begins in the part goes on behind its end."""
    tree = parse(language, final)
    return any(start <= first < end < last for first, last in (code_span(tree, node) for node in tree.nodes_over(end)))


def _kind(language: Language, stop: Stop, before: str, after: str) -> Extent:
    """What a suggestion stands in for: what the policy says, else what the text around the cursor asks for."""
    return wanted(language, before.replace("\r\n", "\n"), after.replace("\r\n", "\n"), stop)


def _stands(wanted: str, before: str) -> bool:
    """Whether a text ends with another, white space folded away."""
    return _squash(before[-(2 * len(wanted) + _TAIL) :]).endswith(_squash(wanted))


def _squash(text: str) -> str:
    return "".join(text.split())


def emptied(hole: Hole, language: Language) -> str:
    """The finished document without the part, but with the least that grammar demands there (see `syntax.gaps`).

    So a part is noticed only by what it does: a test that fails just because a block is empty, or a brace is gone with the
    part that was opened before it, proves nothing.
    """
    return hole.final[: hole.start] + patch(language, hole.final, hole.start, hole.end) + hole.final[hole.end :]


def graft(hole: Hole, suggestion: Suggestion, moment: Moment, before: str, after: str) -> str:
    """The finished document with the suggestion in it.

    What the suggestion's range takes away left of the cursor is what it says again; what it takes away right of the
    cursor (closers, or the rest of the line) is taken out of the finished text wherever it survives.
    """
    said_again = before[index_of(before + after, suggestion.start) :]
    start = _stepped_back(hole.final[: hole.start], said_again)
    tail = _without(hole.final, hole.end, _taken(hole.right, suggestion.end - moment.offset))
    return hole.final[:start] + suggestion.text + tail


def _stepped_back(final: str, said_again: str) -> int:
    """Where a text begins that ends with what is said again, white space folded away."""
    at = len(final)
    for _ in _squash(said_again):
        at = len(final[:at].rstrip()) - 1
    blank = said_again[: len(said_again) - len(said_again.lstrip())]
    if final[:at].endswith(blank):
        return max(0, at - len(blank))
    return max(0, len(final[:at].rstrip(" \t")))


def _taken(pieces: Sequence[Piece], size: int) -> Iterator[tuple[int, int]]:
    """Where those of the first `size` code units right of the cursor stand that are left."""
    for far, at, long in pieces:
        if far < size:
            yield at, at + min(long, size - far)


def _without(final: str, start: int, spans: Iterator[tuple[int, int]]) -> str:
    """A text from an index on, without the given spans of it (UTF-16 offsets) and the white space that leads to the first."""
    parts: list[str] = []
    reached = offset_of(final, start)
    for first, last in sorted(spans):
        if last > reached:
            kept = cut(final, reached, max(reached, first))
            parts.append(kept if any(parts) or kept.strip() else "")
            reached = last
    return "".join([*parts, cut(final, reached, length(final))])
