"""The differences of two texts, as spans to type: as a person would change one text into the other.

Similar lines are changed in place, word by word; other lines are deleted, written, or both. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import Levenshtein

from syntax.text import common_prefix

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_END = re.compile(r"\r?\n\Z")
_INDENTATION = re.compile(r"\n[ \t]+\Z")
_FIRST = re.compile(r"\s*(\w+)")
_SAME_START = 0.2
_ALIKE = 0.6
"""Two lines with at least this Levenshtein ratio are versions of one line."""
_FEW = 8
"""The most lines that one line is broken into."""
_PAIRS = 4_000
"""A hunk with more pairs of lines than this is deleted and written as a whole."""
_LINES = 10_000_000
"""Texts with more pairs of lines than this are compared with difflib's shortcut, which ignores frequent lines."""
_WORDS = 4_000
"""A line with more words than this is replaced as a whole between its common ends."""


@dataclass(frozen=True, slots=True)
class ReplacedSpan:
    """Replace the old text from `start` to `end` (indices) by `new`. `pasted` are the parts of `new` that are pasted."""

    start: int
    end: int
    new: str
    pasted: tuple[tuple[int, int], ...] = ()


def hunks(old: str, new: str) -> list[list[ReplacedSpan]]:
    """The spans that turn `old` into `new`, by hunk, in rising order; they do not touch each other."""
    before, after = _lines(old), _lines(new)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    found: list[list[ReplacedSpan]] = []
    reached = 0
    junk = len(before) * len(after) > _LINES
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=junk).get_opcodes():
        if tag != "equal":
            found.append(list(_raised(_hunk(before, starts, (i1, i2), after[j1:j2]), old, reached)))
            reached = found[-1][-1].end
    return found


def same_line_ends(old: str, new: str) -> str:
    """The old text with the line ends of the new one, if each text has only one kind; else the old text itself."""
    ends = [_only_end(text) for text in (old, new)]
    if not all(ends) or ends[0] == ends[1]:
        return old
    return old.replace(ends[0], ends[1])


def _only_end(text: str) -> str:
    crlf, lf = text.count("\r\n"), text.count("\n")
    if not lf or text.count("\r") != crlf:
        return ""
    return "\n" if not crlf else "\r\n" if crlf == lf else ""


def _lines(text: str) -> list[str]:
    return text.split("\n") if "\n" not in text else re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _hunk(
    before: Sequence[str], starts: Sequence[int], where: tuple[int, int], after: Sequence[str]
) -> Iterator[ReplacedSpan]:
    """The spans of one hunk: changes in similar lines, and the other lines between them."""
    low, high = where
    i = j = 0
    if _is_one(before[low:high], after):
        yield from _within(starts[low], "".join(before[low:high]), "".join(after))
        return
    for k, m in [*_alike(before[low:high], after), (high - low, len(after))]:
        if k > i or m > j:
            yield _between(starts[low + i], before[low + i : low + k], "".join(after[j:m]))
        if k < high - low:
            yield from _within(starts[low + k], before[low + k], after[m])
        i, j = k + 1, m + 1


def _is_one(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether one line was broken into a few, or a few lines were joined."""
    if min(len(before), len(after)) != 1 or not 1 < max(len(before), len(after)) <= _FEW:
        return False
    one, other = ("".join("".join(lines).split()) for lines in (before, after))
    return bool(one) and Levenshtein.ratio(one, other) >= _ALIKE


def _alike(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of lines that are versions of one line: the chain of pairs with the highest sum of similarity."""
    if not before or not after or len(before) * len(after) > _PAIRS:
        return []
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in range(len(before) - 1, -1, -1):
        for j in range(len(after) - 1, -1, -1):
            paired = _similarity(before[i], after[j]) + best[i + 1][j + 1]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    return list(_chain(best, before, after))


def _chain(best: Sequence[Sequence[float]], before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    i = j = 0
    while i < len(before) and j < len(after):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield i, j
            i, j = i + 1, j + 1


def _similarity(one: str, other: str) -> float:
    """The similarity of two versions of one line, 0 for other lines: the Levenshtein ratio, and a bonus for the same first word.

    For example `x = one` and `x = two` have the ratio 0.71 and the bonus 0.2: together 0.91, more than `_ALIKE`.
    """
    words = _FIRST.match(one), _FIRST.match(other)
    bonus = _SAME_START if words[0] and words[1] and words[0][1] == words[1][1] else 0.0
    ratio = Levenshtein.ratio(one.strip(), other.strip())
    return ratio + bonus if ratio + bonus >= _ALIKE and one.strip() else 0.0


def _between(start: int, old: Sequence[str], new: str) -> ReplacedSpan:
    """Replace old lines by new ones; the common last line end and the common first indentation stay."""
    text = "".join(old)
    if not text or not new:
        return ReplacedSpan(start, start + len(text), new)
    tail = _common_tail(text, new)
    old = text[: len(text) - tail]
    head = min(common_prefix(old, new[: len(new) - tail]), len(old) - len(old.lstrip(" \t")))
    return ReplacedSpan(start + head, start + len(text) - tail, new[head : len(new) - tail])


def _common_tail(old: str, new: str) -> int:
    ends = _END.search(old), _END.search(new)
    return len(ends[0][0]) if ends[0] and ends[1] and ends[0][0] == ends[1][0] else 0


def _within(start: int, old: str, new: str) -> Iterator[ReplacedSpan]:
    """The changed words of a line; changes with fewer than two characters between them become one."""
    words, others = _WORD.findall(old), _WORD.findall(new)
    if max(len(words), len(others)) > _WORDS:
        words, others = [old], [new]
    at = 0
    open_: ReplacedSpan | None = None
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        text, put = "".join(words[i1:i2]), "".join(others[j1:j2])
        if tag != "equal":
            span = ReplacedSpan(start + at, start + at + len(text), put)
            open_ = ReplacedSpan(open_.start, span.end, open_.new + put) if open_ else span
        elif open_ and len(text) < 2 and at + len(text) < len(old):
            open_ = replace(open_, end=open_.end + len(text), new=open_.new + text)
        elif open_:
            yield _trimmed(old[open_.start - start : open_.end - start], open_)
            open_ = None
        at += len(text)
    if open_:
        yield _trimmed(old[open_.start - start : open_.end - start], open_)


def _trimmed(old: str, span: ReplacedSpan) -> ReplacedSpan:
    """The span without the common first and last characters; the indentation of a new line stays whole."""
    size = min(len(old), len(span.new))
    head = next((at for at in range(size) if old[at] != span.new[at]), size)
    room = 0 if _INDENTATION.search(span.new) else size - head
    tail = next((at for at in range(room) if old[-1 - at] != span.new[-1 - at]), room)
    return ReplacedSpan(span.start + head, span.end - tail, span.new[head : len(span.new) - tail])


def _raised(spans: Iterator[ReplacedSpan], old: str, reached: int) -> Iterator[ReplacedSpan]:
    """Spans that write new lines, begun with Enter at the end of the line above where the result is the same."""
    for span in spans:
        end = _END.search(span.new)
        up = span.start - len(end[0]) if end and span.start == span.end else -1
        above = old[up : span.start] if end and up >= reached else ""
        if end and above == end[0] and old[up - 1 : up] != "\r":
            yield ReplacedSpan(up, up, end[0] + span.new[: end.start()])
        else:
            yield span
        reached = span.end
