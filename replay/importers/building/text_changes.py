"""Two texts → the changes between them, as a person could have made them.

Lines are compared first (difflib), so that lines that moved down are not retyped; then characters inside changed lines
(Levenshtein). Neighbouring changes in one line become one.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from Levenshtein import opcodes

from syntax.text import Change, common_prefix, common_suffix, is_narrow, length

_CELLS = 4_000_000
"""Characters are compared up to this product of characters before and characters after."""
_LINES = 4_000
"""Lines are compared up to this sum of lines before and lines after."""
_JOINED = 3
"""Changes become one if at most so many unchanged characters of one line are between them."""

SpanPair = tuple[int, int, int, int]
"""(start, end) in the old text and (start, end) in the new one, in characters."""


def changes_between(before: str, after: str) -> tuple[Change, ...]:
    """The smallest sensible changes that turn one text into the other, in order, all against the text before.

    Offsets are UTF-16 code units. Equal texts have no changes.
    """
    spans = _joined(before, _spans(before, after))
    return tuple(_change(before, after, span) for span in spans)


def _change(before: str, after: str, span: SpanPair) -> Change:
    start, end, new_start, new_end = span
    new = after[new_start:new_end]
    if is_narrow(before):
        return start, end, new
    offset = length(before[:start])
    return offset, offset + length(before[start:end]), new


def _spans(before: str, after: str) -> Iterator[SpanPair]:
    head = common_prefix(before, after)
    tail = common_suffix(before[head:], after[head:])
    start, end, new_end = head, len(before) - tail, len(after) - tail
    if start == end == new_end:
        return
    if start in {end, new_end}:
        yield start, end, start, new_end
    else:
        yield from _by_lines(before, after, (start, end, start, new_end))


def _by_lines(before: str, after: str, span: SpanPair) -> Iterator[SpanPair]:
    start, end, new_start, new_end = span
    old, new = before[start:end].splitlines(keepends=True), after[new_start:new_end].splitlines(keepends=True)
    if len(old) == 1 or len(new) == 1 or len(old) + len(new) > _LINES:
        yield from _by_characters(before, after, span)
        return
    starts, new_starts = _starts(old, start), _starts(new, new_start)
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from _by_characters(before, after, (starts[i], starts[j], new_starts[k], new_starts[m]))


def _starts(lines: list[str], at: int) -> list[int]:
    starts = [at]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _by_characters(before: str, after: str, span: SpanPair) -> Iterator[SpanPair]:
    start, end, new_start, new_end = span
    if (end - start) * (new_end - new_start) > _CELLS:
        yield span
        return
    for tag, i, j, k, m in opcodes(before[start:end], after[new_start:new_end]):
        if tag != "equal":
            yield start + i, start + j, new_start + k, new_start + m


def _joined(before: str, spans: Iterator[SpanPair]) -> list[SpanPair]:
    joined: list[SpanPair] = []
    for span in spans:
        if joined and _near(before, joined[-1][1], span[0]):
            joined[-1] = (joined[-1][0], span[1], joined[-1][2], span[3])
        else:
            joined.append(span)
    return joined


def _near(before: str, end: int, start: int) -> bool:
    return start == end or (start - end <= _JOINED and "\n" not in before[end:start])
