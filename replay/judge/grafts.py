"""Grafts: the finished project with a suggestion in place of what the developer wrote there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, TypeAlias

from msgspec import structs

from replay.errors import ReplayError
from replay.judge.alignment import statement_ends
from replay.records import Moment, Rewriting, RewritingCause, Suggestion, Untestable
from replay.tapes.timeline import Piece, Timeline
from syntax.blocks import Span, closing, constructs, extent, line_end, statement_start, unfinished
from syntax.gaps import surplus, unclosed, without
from syntax.languages import Language, language_of
from syntax.parse import parse
from syntax.text import cut, index_of, length, offset_of
from syntax.wanted import Extent, wanted

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
    found = _searched(timeline, moment, before, after)
    return found[1] if isinstance(found, tuple) else found


def rewriting_of(timeline: Timeline, moment: Moment, before: str, after: str) -> Rewriting | None:
    """Why a moment has no hole because its place was rewritten; None if that is not the reason."""
    found = _searched(timeline, moment, before, after)
    if not isinstance(found, tuple):
        return None
    start, _ = wanted_part(timeline, moment, before, after)
    final = timeline.final[moment.path]
    return rewriting(language_at(moment), found[0], (before, after), (final[:start], final[start:]))


def _searched(
    timeline: Timeline, moment: Moment, before: str, after: str
) -> Hole | Untestable | tuple[RewritingCause, Literal["rewritten"]]:
    """The hole of a moment (`hole_of`); where the place was rewritten, also what shows it."""
    language = language_of(moment.language) or language_of(moment.path)
    if language is None:
        return "no-syntax"
    final = timeline.final[moment.path]
    start, whole = wanted_part(timeline, moment, before, after)
    if not _stands(language, before, final[:start]):
        return "before", "rewritten"
    if not _still_closed(timeline, moment, closing(language, before + after, len(before)), before + after):
        return "closer", "rewritten"
    fresh = written_since(timeline, moment, start, whole)
    if fresh < whole and [*unfinished(parse(language, final), start, fresh)]:
        return "tail", "rewritten"
    hole = Hole(moment.path, final, start, max(start, min(whole, fresh)), _left_of(timeline, moment, after))
    if surplus(language, final, start, hole.end) > unclosed(language, before + after):
        return "surplus", "rewritten"
    return hole if hole.truth.strip() else "empty"


def wanted_part(timeline: Timeline, moment: Moment, before: str, after: str) -> Span:
    """Where the part of the finished document begins and ends, as the syntax says, that is wanted at a moment."""
    language, final = language_at(moment), timeline.final[moment.path]
    left, _ = timeline.carried(moment.path, moment.event, moment.offset, moment.offset)
    start = index_of(final, left)
    return start, extent(language, final, start, extent_kind(language, moment, before, after))


def named(timeline: Timeline, moment: Moment, before: str, after: str) -> Moment:
    """The moment with the names of the part that is wanted there and of the outermost function around it.

    The part's name is its end as the syntax says, also where the hole ends earlier, before older text: all moments inside one statement have the same.
    """
    if language_of(moment.language) is None and language_of(moment.path) is None:
        return moment
    start, end = wanted_part(timeline, moment, before, after)
    final = timeline.final[moment.path]
    found = _functions(language_at(moment), final)
    line = next((line for first, last, line in found if first <= start < last), None)
    function = "" if line is None else f"{moment.path}:{line}"
    return structs.replace(moment, hole=f"{moment.path}:{offset_of(final, end)}", function=function)


def names_at(path: str, final: str, offset: int) -> dict[str, str]:
    """The names (`hole`, `function`) of the statement and the outermost function at a UTF-16 offset of a finished document."""
    language, at = language_of(path), index_of(final, offset)
    if language is None:
        return {"hole": f"{path}:{offset}"}
    end = next((end for end in statement_ends(parse(language, final)) if end >= at), len(final))
    line = next((line for first, last, line in _functions(language, final) if first <= at < last), None)
    return {"hole": f"{path}:{offset_of(final, end)}", "function": "" if line is None else f"{path}:{line}"}


@lru_cache(maxsize=64)
def _functions(language: Language, text: str) -> Sequence[tuple[int, int, int]]:
    """Header, end and line (from 1) of each function of a text, the outer ones before the inner ones."""
    found = [(block.header, block.end) for block in constructs(language, text) if block.kind == "function"]
    return tuple((first, last, text.count("\n", 0, first) + 1) for first, last in found)


def language_at(moment: Moment) -> Language:
    """The language of a moment that has a hole. Raises `ReplayError` if its syntax is not known."""
    language = language_of(moment.language) or language_of(moment.path)
    if language is None:
        raise ReplayError(f"{moment.path}: a hole was found in a language whose syntax is not known")
    return language


def _still_closed(timeline: Timeline, moment: Moment, closer: int | None, text: str) -> bool:
    """Whether the character at an index of the text at the moment, if any, is still there in the end."""
    return closer is None or timeline.outlasts(moment.path, moment.event, offset_of(text, closer))


def written_since(timeline: Timeline, moment: Moment, start: int, limit: int, passed: Sequence[Span] = ()) -> int:
    """How far the finished text from `start` on was written after the moment: up to older text, white space aside.

    Older text in the spans `passed` (UTF-16 offsets) does not count. The search ends once it has reached `limit`.
    """
    final, writers = timeline.final[moment.path], timeline.writers[moment.path]
    offset, fresh = offset_of(final, start), start
    for index, char in enumerate(islice(final, start, None), start):
        if fresh >= limit:
            break
        if not char.isspace():
            if writers[offset] < moment.event and not any(first <= offset < last for first, last in passed):
                break
            fresh = index + 1
        offset += 1 if char <= "\uffff" else 2
    return fresh


def _left_of(timeline: Timeline, moment: Moment, after: str) -> tuple[Piece, ...]:
    """What is left in the end of the closers and the line that stood right of the cursor."""
    right = _RIGHT.match(after)
    size = length(right[0]) if right else 0
    return timeline.outlasting(moment.path, moment.event, moment.offset, moment.offset + size)


def extent_kind(language: Language, moment: Moment, before: str, after: str) -> Extent:
    """What a suggestion stands in for: what the policy says, else what the text around the cursor asks for."""
    return wanted(language, before.replace("\r\n", "\n"), after.replace("\r\n", "\n"), moment.stop)


def _stands(language: Language, before: str, final: str) -> bool:
    """Whether the statement that a text ends with also ends another, white space folded away; in layout languages the indentation counts."""
    begins = statement_start(language, before)
    wanted = before[begins:]
    there = final[-(2 * len(wanted) + _TAIL) :]
    if not _squash(there).endswith(_squash(wanted)):
        return False
    if not language.layout:
        return True
    indents = _indents(before[before.rfind("\n", 0, begins) + 1 :])
    return _indents(there)[-len(indents) :] == indents


def _indents(text: str) -> list[str]:
    """The white space at the start of each line that is not blank, and of the last line."""
    lines = text.split("\n")
    kept = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    return [line[: len(line) - len(line.lstrip())].replace("\r", "") for line in kept]


def _squash(text: str) -> str:
    return "".join(text.split())


def emptied(hole: Hole, language: Language) -> str:
    """The finished document without the part, but with the least that grammar demands there (see `syntax.gaps`).

    So a part is noticed only by what it does: a test that fails just because a block is empty, or a brace is gone with the
    part that was opened before it, proves nothing.
    """
    return without(language, hole.final, hole.start, hole.end)


def graft(hole: Hole, suggestion: Suggestion, moment: Moment, before: str, after: str) -> str:
    """The finished document with the suggestion in it.

    What the suggestion's range takes away left of the cursor is what it says again; what it takes away right of the
    cursor (closers, or the rest of the line) is taken out of the finished text wherever it survives.
    """
    tail = _without(hole.final, hole.end, taken(hole, suggestion, moment))
    return hole.final[: graft_start(hole, suggestion, before, after)] + suggestion.text + tail


def graft_start(hole: Hole, suggestion: Suggestion, before: str, after: str) -> int:
    """Where the suggestion is put in: at the hole, or before it by what the suggestion says again."""
    return _stepped_back(hole.final[: hole.start], before[index_of(before + after, suggestion.start) :])


def taken(hole: Hole, suggestion: Suggestion, moment: Moment) -> list[Span]:
    """Where that stands in the finished text (UTF-16 offsets) which the suggestion's range takes away right of the cursor."""
    size = suggestion.end - moment.offset
    return [(at, at + min(long, size - far)) for far, at, long in hole.right if far < size]


def _stepped_back(final: str, said_again: str) -> int:
    """Where a text begins that ends with what is said again, white space folded away."""
    at = len(final)
    for _ in _squash(said_again):
        at = len(final[:at].rstrip()) - 1
    blank = said_again[: len(said_again) - len(said_again.lstrip())]
    if final[:at].endswith(blank):
        return max(0, at - len(blank))
    return max(0, len(final[:at].rstrip(" \t")))


def _without(final: str, start: int, spans: Sequence[Span]) -> str:
    """A text from an index on, without the given spans of it (UTF-16 offsets) and the white space that leads to the first."""
    parts: list[str] = []
    reached = offset_of(final, start)
    for first, last in sorted(spans):
        if last > reached:
            kept = cut(final, reached, max(reached, first))
            parts.append(kept if any(parts) or kept.strip() else "")
            reached = last
    return "".join([*parts, cut(final, reached, length(final))])


# Why a place was rewritten: what stood there at the moment, what stands there in the finished document, and
# why they do not meet.

TextAround: TypeAlias = tuple[str, str]
"""A document's text before a place, and behind it."""
_LONGEST = 400
"""Characters of each text that are kept."""


def rewriting(language: Language, cause: RewritingCause, at_moment: TextAround, finished: TextAround) -> Rewriting:
    """What a person reads about a moment whose place was rewritten; the document around the place then, and in the end."""
    (before, after), (left, right) = at_moment, finished
    if cause == "before":
        then = before[statement_start(language, before) :]
        now = _last_lines(left, then.strip().count("\n") + 1)
    else:
        then = _first_lines(after, _closer_end(language, before, after))
        now = _first_lines(right, len(then))
    return Rewriting(cause=cause, then=_kept(then), now=_kept(now))


def _closer_end(language: Language, before: str, after: str) -> int:
    """Where the bracket ends, in the text right of the cursor, that closes what is open at the cursor; 0 for none."""
    closer = closing(language, before + after, len(before))
    return 0 if closer is None else closer + 1 - len(before)


def _first_lines(text: str, least: int) -> str:
    """The whole lines at the beginning of a text that hold at least so many characters, and something to read."""
    blank = len(text) - len(text.lstrip())
    return text[: line_end(text, max(least, blank))]


def _last_lines(text: str, lines: int) -> str:
    """The last lines of a text, blank ones at its end aside, and these."""
    written = text.rstrip()
    return "\n".join(written.rsplit("\n", lines)[-lines:]) + text[len(written) :]


def _kept(text: str) -> str:
    """A text without its middle if it is long."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"
