"""Where the cursors of a tape are, and whether a person moved them or an edit carried them along."""

from __future__ import annotations

from replay.tapes.tape import Edit, Select
from syntax.text import carry_left, carry_right


class Cursors:
    """The ends of each document's selections, as the range of places to which the edits since can have carried them."""

    def __init__(self) -> None:
        self._ends: dict[int, list[tuple[int, int]]] = {}
        self._moved: set[int] = set()

    def edited(self, event: Edit) -> None:
        """Carry the ends through an edit: an insertion at one may leave it before or behind."""
        ends = self._ends.get(event.doc, [])
        self._ends[event.doc] = [
            (carry_left(low, event.changes), carry_right(high, event.changes)) for low, high in ends
        ]

    def selected(self, event: Select) -> None:
        """Take a report of the selections in."""
        ends = [end for reach in event.ranges for end in reach]
        known = self._ends.get(event.doc, [])
        carried = len(ends) == len(known) and all(
            low <= end <= high for end, (low, high) in zip(ends, known, strict=True)
        )
        if not carried:
            self._moved.add(event.doc)
        self._ends[event.doc] = [(end, end) for end in ends]

    def has_moved(self, doc: int) -> bool:
        """Whether a person has moved a cursor of a document since `forget_moves`."""
        return doc in self._moved

    def forget_moves(self, doc: int) -> None:
        """Count moves from here on."""
        self._moved.discard(doc)
