"""Two texts → the changes between them, as a person could have made them.

Lines are set against each other first (difflib), so that what moved down is not retyped; inside lines that changed,
characters (Levenshtein). Neighbouring changes of one line become one.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from Levenshtein import opcodes

from syntax.text import Change, is_narrow, length

_CELLS = 4_000_000
"""Characters before times characters after, up to which single characters are compared."""
_LINES = 4_000
"""Lines before + lines after, up to which lines are compared."""
_JOINED = 3
"""Changes with no more unchanged characters of one line between them are one change."""

Span = tuple[int, int, int, int]
"""(start, end) in the old text and (start, end) in the new one, in characters."""


def changes_between(before: str, after: str) -> tuple[Change, ...]:
    """Give the smallest sensible changes that turn one text into the other, in order, all against the text before.

    Offsets are UTF-16 code units. Equal texts give none.
    """
    spans = _joined(before, _spans(before, after))
    return tuple(_change(before, after, span) for span in spans)


def _change(before: str, after: str, span: Span) -> Change:
    start, end, new_start, new_end = span
    new = after[new_start:new_end]
    if is_narrow(before):
        return start, end, new
    offset = length(before[:start])
    return offset, offset + length(before[start:end]), new


def _spans(before: str, after: str) -> Iterator[Span]:
    head = _common_head(before, after)
    tail = _common_tail(before, after, head)
    start, end, new_end = head, len(before) - tail, len(after) - tail
    if start == end == new_end:
        return
    if start in {end, new_end}:
        yield start, end, start, new_end
    else:
        yield from _by_lines(before, after, (start, end, start, new_end))


def _common_head(one: str, other: str) -> int:
    """How many characters two texts begin with in common, found by comparing slices."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _common_tail(one: str, other: str, head: int) -> int:
    """How many characters two texts end with in common, beyond their common head."""
    low, high = 0, min(len(one), len(other)) - head
    while low < high:
        middle = (low + high + 1) // 2
        same = one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def _by_lines(before: str, after: str, span: Span) -> Iterator[Span]:
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


def _by_characters(before: str, after: str, span: Span) -> Iterator[Span]:
    start, end, new_start, new_end = span
    if (end - start) * (new_end - new_start) > _CELLS:
        yield span
        return
    for tag, i, j, k, m in opcodes(before[start:end], after[new_start:new_end]):
        if tag != "equal":
            yield start + i, start + j, new_start + k, new_start + m


def _joined(before: str, spans: Iterator[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and _near(before, joined[-1][1], span[0]):
            joined[-1] = (joined[-1][0], span[1], joined[-1][2], span[3])
        else:
            joined.append(span)
    return joined


def _near(before: str, end: int, start: int) -> bool:
    return start == end or (start - end <= _JOINED and "\n" not in before[end:start])
