"""Grafts: the finished project with a suggestion in place of what the developer wrote there (DESIGN.md §5)."""

from __future__ import annotations

from dataclasses import dataclass

from replay.records import Moment, Stop, Suggestion, Untestable
from replay.timeline import Timeline
from server.repair.draft import Draft
from server.repair.stop import resolve
from syntax.blocks import Extent, closing, extent, statement_start
from syntax.languages import Language, language_of
from syntax.parse import parse
from syntax.text import carry_left, carry_right, index_of, offset_of

_TAIL = 4000


@dataclass(frozen=True, slots=True)
class Hole:
    """The part of a finished document that a suggestion stands in for. Indices into `str`.

    `right` is where the text begins (white space aside) that stood right of the cursor at the moment already.
    """

    path: str
    final: str
    start: int
    end: int
    right: int

    @property
    def truth(self) -> str:
        """What the developer wrote there."""
        return self.final[self.start : self.end]


def hole_of(timeline: Timeline, moment: Moment, before: str, after: str) -> Hole | Untestable:
    """The part of the finished document that a moment is about, or why there is none.

    `before` and `after` are the whole document's text around the cursor at the moment. The extent ends where the syntax
    says, and at the latest before text that stood right of the cursor already: that is no part of the answer. Where such
    text has become the tail of something that begins in the part, or the bracket is gone that closed what was open at the
    cursor, the place was rewritten later.
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
    fresh, old = _written_since(timeline, moment, start)
    whole = extent(language, final, start, _kind(language, moment.stop, before, after))
    if fresh < whole and _cut_through(language, final, start, fresh):
        return "rewritten"
    hole = Hole(moment.path, final, start, max(start, min(whole, fresh)), old)
    return hole if hole.truth.strip() else "empty"


def _still_closed(timeline: Timeline, moment: Moment, closer: int | None, text: str) -> bool:
    """Whether the character at an index of the text at the moment, if any, is still there in the end."""
    if closer is None:
        return True
    first = offset_of(text, closer)
    left, right = first, first + 1
    for _, changes in timeline.since(moment.path, moment.event):
        left, right = carry_right(left, changes), carry_left(right, changes)
        if left >= right:
            return False
    return True


def _written_since(timeline: Timeline, moment: Moment, start: int) -> tuple[int, int]:
    """How far the finished text from `start` on was written after the moment, and where older text begins."""
    final, writers = timeline.final[moment.path], timeline.writers[moment.path]
    offset, fresh = offset_of(final, start), start
    for index, char in enumerate(final[start:], start):
        if not char.isspace():
            if writers[offset] < moment.event:
                return fresh, index
            fresh = index + 1
        offset += 1 if char <= "\uffff" else 2
    return fresh, len(final)


def _cut_through(language: Language, final: str, start: int, end: int) -> bool:
    """Whether something that begins in the part goes on behind its end."""
    tree = parse(language, final)
    spans = (tree.span(node) for node in tree.nodes())
    return any(start <= first < end < last for first, last in spans)


def _kind(language: Language, stop: Stop, before: str, after: str) -> Extent:
    """What a suggestion stands in for: what the policy says, else what the server takes it for."""
    return resolve(Draft(language, before.replace("\r\n", "\n"), after.replace("\r\n", "\n"), "", stop))


def _stands(wanted: str, before: str) -> bool:
    """Whether a text ends with another, white space folded away."""
    return _squash(before[-(2 * len(wanted) + _TAIL) :]).endswith(_squash(wanted))


def _squash(text: str) -> str:
    return "".join(text.split())


def emptied(hole: Hole, language: Language) -> str:
    """The finished document without the part; where a statement began, the language's empty statement stands instead.

    So a part is noticed only by what it does: a test that fails just because a block is empty proves nothing.
    """
    head, tail = hole.final[: hole.start], hole.final[hole.end :]
    line = head[head.rfind("\n") + 1 :].strip()
    filler = language.filler if not line or line.endswith(":") else ""
    return head + (_lead(hole.truth) + filler if filler else "") + tail


def _lead(truth: str) -> str:
    return truth[: len(truth) - len(truth.lstrip())]


def graft(hole: Hole, suggestion: Suggestion, moment: Moment, before: str, after: str) -> str:
    """The finished document with the suggestion in it.

    What the suggestion's range takes away left of the cursor is what it says again; what it takes away right of the
    cursor (closers) is taken out of the finished text where it survives.
    """
    repeated = len(before) - index_of(before + after, suggestion.start)
    taken = after[: index_of(before + after, suggestion.end) - len(before)] if suggestion.end > moment.offset else ""
    start = max(0, hole.start - repeated)
    tail = hole.final[hole.end :]
    between = hole.right - hole.end
    if taken and tail[between:].startswith(taken):
        tail = tail[:between] + tail[between + len(taken) :]
    return hole.final[:start] + suggestion.text + tail
