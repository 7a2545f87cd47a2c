"""Many edits of a document as the one that has their effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from syntax.text import Change, cut, length

_Kept: TypeAlias = tuple[float, float]
"""A stretch of the first text that is still there: its start and end in that text (UTF-16 offsets). The last one has no end."""
_Piece: TypeAlias = _Kept | str
"""What is still there, or a text that was not there at first."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Edits, one after another, as changes against the text before the first.

    Example: `(4, 4, "ab")` and then `(5, 6, "")` are `(4, 4, "a")`.
    """

    _pieces: tuple[_Piece, ...] = field(default=((0.0, math.inf),))

    def then(self, changes: Sequence[Change]) -> Composition:
        """The edits with one more behind them: changes that are all against the text as it is then."""
        pieces, ordered = self._pieces, sorted(changes, key=lambda change: change[:2])
        for start, end, new in reversed(ordered):  # the first of two at one place stays first
            pieces = (*_between(pieces, 0, start), new, *_between(pieces, end, math.inf))
        return Composition(pieces)

    def changes(self) -> tuple[Change, ...]:
        """The changes against the first text, in its order. What was written and taken away again is none."""
        found: list[Change] = []
        reached, text = 0.0, ""
        for piece in self._pieces:
            if isinstance(piece, str):
                text += piece
                continue
            start, end = piece
            if text or start > reached:
                found.append((int(reached), int(start), text))
            reached, text = end, ""
        return tuple(found)


def _between(pieces: Sequence[_Piece], start: float, end: float) -> Iterator[_Piece]:
    """The pieces of a text between two offsets."""
    at = 0.0
    for piece in pieces:
        size = length(piece) if isinstance(piece, str) else piece[1] - piece[0]
        low, high = max(start, at) - at, min(end, at + size) - at
        if low < high:
            yield cut(piece, int(low), int(high)) if isinstance(piece, str) else (piece[0] + low, piece[0] + high)
        at += size
