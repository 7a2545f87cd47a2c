"""Where the places of a document go while the tape goes on.

A place seldom has an edit beside it. So edits are composed: two, four, eight … neighbouring ones become one `_Block`, which knows
the stretches of text that none of its edits touches and how far each moves. A question passes over the largest blocks that do
not touch its place and looks at single edits only where one does: it costs about the logarithm of the number of edits.

Offsets are UTF-16 code units. `at` counts the edits of the document: a place stands in the text just before edit `at`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from syntax.text import Change, carry_left, carry_right, length

Piece: TypeAlias = tuple[int, int, int]
"""A stretch of text that outlasts all edits: how far behind the first offset asked for it began, where it stands in the end, its length."""
_BEFORE = -1
"""The code unit before the first, as the end of the text is one behind the last: an edit there separates it from the text."""


class _Block(NamedTuple):
    """Stretches of code units that some edits leave untouched side by side, in ascending order. The last one has no end.

    Stretch *i* goes from `starts[i]` to before `ends[i]`, in the text before the edits, and moves by `shifts[i]`.
    """

    starts: list[int]
    ends: list[float]
    shifts: list[int]


class Carrying:
    """The edits of one document, for questions about where its places go."""

    def __init__(self, edits: Sequence[Sequence[Change]]) -> None:
        self._edits = edits
        self._blocks: dict[tuple[int, int], _Block] = {}

    def left(self, mark: int, at: int) -> int:
        """Where a mark ends up that stays before what is inserted at it."""
        while True:
            at, mark = self._untouched(mark - 1, mark, at, mark)
            if at == len(self._edits):
                return mark
            mark, at = carry_left(mark, self._edits[at]), at + 1

    def right(self, mark: int, at: int) -> int:
        """Where a mark ends up that stays behind what is inserted at it."""
        while True:
            at, mark = self._untouched(mark, mark + 1, at, mark)
            if at == len(self._edits):
                return mark
            mark, at = carry_right(mark, self._edits[at]), at + 1

    def next_touch(self, left: int, right: int, at: int) -> tuple[int, int]:
        """The next edit that touches the text between two marks or its ends, and where the left mark is then.

        The number of edits stands for none.
        """
        return self._untouched(left - 1, right + 1, at, left)

    def outlasts(self, unit: int, at: int) -> bool:
        """Whether one code unit is never taken away."""
        return self._untouched(unit, unit + 1, at, unit)[0] == len(self._edits)

    def outlasting(self, start: int, end: int, at: int) -> tuple[Piece, ...]:
        """What is left of a stretch in the end, in pieces that were parted by edits between them."""
        pieces = [(0, start, end - start)] if start < end else []
        while at < len(self._edits) and pieces:
            level = self._highest(at)
            block = self._block(level, at >> level)
            pieces = [left for piece in pieces for left in _outlasting(piece, block)]
            at += 1 << level
        return tuple(pieces)

    def _untouched(self, start: int, end: int, at: int, mark: int) -> tuple[int, int]:
        """Pass over all edits that leave the units from `start` to before `end` side by side; move a mark with them."""
        edits = len(self._edits)
        while at < edits:
            level = self._highest(at)
            while (shift := _shift(self._block(level, at >> level), start, end)) is None:
                if not level:
                    return at, mark
                level -= 1
            at += 1 << level
            start, end, mark = start + shift, end + shift, mark + shift
        return at, mark

    def _highest(self, at: int) -> int:
        """The level of the largest block that begins with an edit: 2 to its power edits are in it."""
        fits = (len(self._edits) - at).bit_length() - 1
        return min(fits, (at & -at).bit_length() - 1) if at else fits

    def _block(self, level: int, number: int) -> _Block:
        found = self._blocks.get((level, number))
        if found is None:
            found = self._blocks[level, number] = self._composed(level, number)
        return found

    def _composed(self, level: int, number: int) -> _Block:
        if not level:
            return _single(self._edits[number])
        return _one_after_another(self._block(level - 1, 2 * number), self._block(level - 1, 2 * number + 1))


def _shift(block: _Block, start: int, end: int) -> int | None:
    """How far some neighbouring units move together; None where an edit touches one of them or comes between two."""
    found = bisect_right(block.starts, start) - 1
    return block.shifts[found] if found >= 0 and end <= block.ends[found] else None


def _single(changes: Sequence[Change]) -> _Block:
    block, reached, shift = _Block([], [], []), _BEFORE, 0
    for start, end, new in sorted(changes):
        _add(block, reached, start, shift)
        reached, shift = end, shift + length(new) - (end - start)
    _add(block, reached, math.inf, shift)
    return block


def _add(block: _Block, start: int, end: float, shift: int) -> None:
    if start < end:
        block.starts.append(start)
        block.ends.append(end)
        block.shifts.append(shift)


def _one_after_another(first: _Block, then: _Block) -> _Block:
    """Two neighbouring blocks as one: the stretches of the first, cut where the second touches them."""
    whole, at = _Block([], [], []), 0
    for start, end, shift in zip(*first, strict=True):
        while then.ends[at] <= start + shift:
            at += 1
        for other in range(at, len(then.starts)):
            low, high = then.starts[other], then.ends[other]
            if low >= end + shift:
                break
            _add(whole, max(start, low - shift), min(end, high - shift), shift + then.shifts[other])
    return whole


def _outlasting(piece: Piece, block: _Block) -> Iterator[Piece]:
    """What the edits of a block leave of a piece."""
    behind, start, size = piece
    first = max(0, bisect_right(block.starts, start) - 1)
    for at in range(first, len(block.starts)):
        low, end = max(start, block.starts[at]), min(start + size, block.ends[at])
        if low >= start + size:
            return
        if low < end:
            yield behind + low - start, low + block.shifts[at], int(end) - low
