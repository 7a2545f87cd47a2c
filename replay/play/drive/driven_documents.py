"""The documents of a driven session with their cursors: what a recorded event still does to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from replay.play.drive.rebase import Performed, Rebased
from replay.tapes.tape import Edit, Select
from syntax.text import cut, length, splice


@dataclass(slots=True)
class Pages:
    """Open documents by number. In judge mode none is rebased, and every event does what was recorded.

    `passed` is where the recorded cursor stands after an edit that was needless: its report moves no cursor.
    """

    rebased: dict[int, Rebased] = field(default_factory=dict)
    cursors: dict[int, tuple[int, int]] = field(default_factory=dict)
    passed: dict[int, int] = field(default_factory=dict)

    def copy(self) -> Pages:
        """The same state, to look ahead with."""
        return Pages({doc: page.copy() for doc, page in self.rebased.items()}, dict(self.cursors), dict(self.passed))

    def is_ahead(self, doc: int) -> bool:
        """Whether a document is ahead of the tape somewhere."""
        return doc in self.rebased and bool(self.rebased[doc].aheads)

    def actual(self, doc: int, offset: int) -> int:
        """Where an offset of the recorded document is in the actual one."""
        return self.rebased[doc].to_actual(offset) if self.is_ahead(doc) else offset

    def take(self, index: int, event: Edit, *, by_hand: bool) -> list[Performed]:
        """What a recorded edit still does, in steps; none where it is needless."""
        done = [] if by_hand and self._is_passed(event) else self._taken(index, event, by_hand)
        self.passed.pop(event.doc, None)
        if not done:
            start, _, new = min(event.changes, default=(0, 0, ""))
            self.passed[event.doc] = start + length(new)
        return done

    def _is_passed(self, event: Edit) -> bool:
        """Whether an edit only writes over what stands there, and accepted text has brought the cursor behind it already."""
        if event.doc not in self.rebased or len(event.changes) != 1:
            return False
        start, end, new = event.changes[0]
        behind = self.actual(event.doc, end)
        rewrites = bool(new) and cut(self.rebased[event.doc].recorded, start, end) == new
        return rewrites and self.cursors[event.doc] == (behind, behind)

    def _taken(self, index: int, event: Edit, by_hand: bool) -> list[Performed]:
        page = self.rebased.get(event.doc)
        if page is None:
            return [Performed(event.changes)]
        if not page.aheads:
            page.recorded = splice(page.recorded, event.changes)
            return [Performed(event.changes)]
        return page.take(index, event.changes, by_hand=by_hand)

    def selected(self, event: Select) -> tuple[int, int]:
        """Where a selection is in the actual document; the report of a needless edit moves no cursor."""
        start, end = event.ranges[0]
        if start == end == self.passed.get(event.doc):
            return self.cursors[event.doc]
        return self.actual(event.doc, start), self.actual(event.doc, end)
