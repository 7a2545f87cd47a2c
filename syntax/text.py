"""Text as editors count it: offsets in UTF-16 code units, lines that end in LF, CRLF or CR (LSP 3.17, "Text Documents").

Everything here is a pure function of `str`. For text without characters outside the BMP an offset is an index, and
nothing is converted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias

from syntax.errors import OffsetError

Change: TypeAlias = tuple[int, int, str]
"""(start, end, text): UTF-16 offsets into the text before the event, and what takes their place."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_HALF = re.compile("[\ud800-\udfff]")


def is_narrow(text: str) -> bool:
    """Whether every character is one UTF-16 code unit and no half of a pair, so that offsets are indices."""
    if text.isascii():
        return True
    try:  # by far the fastest way to look at each character, and asked for with every key
        return len(text.encode("utf-16-le")) == 2 * len(text)
    except UnicodeEncodeError:
        return False


def encode(text: str) -> bytes:
    """Two bytes a code unit; lone surrogates pass through."""
    return text.encode("utf-16-le", "surrogatepass")


def decode(units: bytes) -> str:
    """The inverse of `encode`; halves of a pair that meet become one character again."""
    return units.decode("utf-16-le", "surrogatepass")


def length(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if is_narrow(text) else len(encode(text)) // 2


def index_of(text: str, offset: int) -> int:
    """The index in `text` of a UTF-16 offset; inside a surrogate pair, the index of its character."""
    if is_narrow(text):
        return offset
    return len(text) - len(decode(encode(text)[2 * offset :]))


def offset_of(text: str, index: int) -> int:
    """The UTF-16 offset of an index into `text`."""
    return index if is_narrow(text) else length(text[:index])


def cut(text: str, start: int, end: int) -> str:
    """The part of `text` between two UTF-16 offsets."""
    if is_narrow(text):
        return text[start:end]
    return decode(encode(text)[2 * start : 2 * end])


def splice(text: str, changes: Sequence[Change]) -> str:
    """Apply changes that are all against `text` as it stands.

    Raises:
        OffsetError: a range lies outside the text, runs backwards, or overlaps another.

    """
    ordered = sorted(changes, key=lambda change: (change[0], change[1]))
    _check(ordered, length(text))
    if is_narrow(text) and not any(_HALF.search(new) for _, _, new in ordered):
        return _join(text, ordered)
    return decode(_join_units(encode(text), ordered))


def _check(ordered: Sequence[Change], size: int) -> None:
    reached = 0
    for start, end, _ in ordered:
        if not 0 <= start <= end <= size:
            raise OffsetError(f"edit [{start}, {end}] lies outside its document of {size} UTF-16 code units")
        if start < reached:
            raise OffsetError(f"edit [{start}, {end}] overlaps another edit of the same event, which ends at {reached}")
        reached = end


def _join(text: str, ordered: Sequence[Change]) -> str:
    parts, at = [], 0
    for start, end, new in ordered:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _join_units(units: bytes, ordered: Sequence[Change]) -> bytes:
    parts, at = [], 0
    for start, end, new in ordered:
        parts += [units[2 * at : 2 * start], encode(new)]
        at = end
    return b"".join([*parts, units[2 * at :]])


def line_starts(text: str) -> list[int]:
    """Indices (not offsets) at which the lines of `text` begin; the first is 0."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def position_at(text: str, offset: int) -> tuple[int, int]:
    """The LSP position (line, UTF-16 character) of an offset."""
    index = index_of(text, offset)
    if "\r" not in text:  # quicker by far than a list of all lines, and asked for with every key
        start = text.rfind("\n", 0, index) + 1
        return text.count("\n", 0, index), offset - offset_of(text, start)
    starts = line_starts(text)
    line = bisect_right(starts, index) - 1
    return line, offset - offset_of(text, starts[line])


def offset_at(text: str, line: int, character: int) -> int:
    """The UTF-16 offset of an LSP position; a character past the line's end means its end (LSP 3.17, "Position").

    Raises:
        OffsetError: there is no such line.

    """
    starts = line_starts(text)
    if not 0 <= line < len(starts):
        raise OffsetError(f"line {line} is outside a document of {len(starts)} lines")
    end = starts[line + 1] if line + 1 < len(starts) else len(text)
    content = text[starts[line] : end].rstrip("\r\n")
    return offset_of(text, starts[line]) + min(character, length(content))


def end_offset_at(text: str, line: int, character: int) -> int:
    """The UTF-16 offset of a range's end: below the last line it is the end of the text.

    A range that takes in the end of the last line names the beginning of a line that is not there. The reference implementation
    (`TextDocument.offsetAt` of vscode-languageserver-node) reads it so, and editors send it.
    """
    return length(text) if line >= len(line_starts(text)) else offset_at(text, line, character)


def carry_left(mark: int, changes: Sequence[Change]) -> int:
    """Where a mark goes that stays before what is inserted at it."""
    return mark + sum(_shift_left(mark, change) for change in changes)


def carry_right(mark: int, changes: Sequence[Change]) -> int:
    """Where a mark goes that stays behind what is inserted at it."""
    return mark + sum(_shift_right(mark, change) for change in changes)


def _shift_left(mark: int, change: Change) -> int:
    start, end, new = change
    if start >= mark:
        return 0
    return start - mark if end >= mark else length(new) - (end - start)


def _shift_right(mark: int, change: Change) -> int:
    start, end, new = change
    if start > mark:
        return 0
    return start + length(new) - mark if end >= mark else length(new) - (end - start)


def minimal(text: str, change: Change) -> Change:
    """The same change without the characters that it puts back as they were, at its start and then at its end."""
    start, end, new = change
    old = cut(text, start, end)
    head = common_prefix(old, new)
    tail = common_suffix(old[head:], new[head:])
    kept = new[head : len(new) - tail]
    return start + length(old[:head]), end - length(old[len(old) - tail :]), kept


def common_prefix(left: str, right: str) -> int:
    """The number of characters that two texts begin with in common; found by comparing slices, as both may be long."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def common_suffix(left: str, right: str) -> int:
    """The number of characters that two texts end with in common."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        same = left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return low
