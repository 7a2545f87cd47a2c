"""A tape seen as a whole: where marks go, who wrote which character, what the documents hold in the end."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.streams import marked
from replay.tapes.tape import Edit, Open, Tape, walk
from syntax.text import Change, carry_left, carry_right, cut, length, minimal

BY_HAND = frozenset({"type", "delete"})
"""Reasons of edits that cost a key each. An edit without a reason may have been an agent's."""
NO_PERSON = frozenset({"agent", "external", "format"})
"""Reasons of edits that no person wrote."""
FROM_START = -1
"""The writer of characters that were on the tape before its first edit of them."""


class Timeline:
    """One pass over a tape, kept for questions about any point of it.

    `tape` has a reason on each edit that is recognised as an agent's or a formatter's (`replay.tapes.authors.streams`), also where the file
    gives none. `edits[path]` are the edit events of a document as (event index, minimal changes); `writers[path]` says for each
    UTF-16 code unit of the final text which event wrote it, or `FROM_START`.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape = marked(tape)
        self.edits: dict[str, list[tuple[int, tuple[Change, ...]]]] = defaultdict(list)
        self.writers: dict[str, list[int]] = {}
        self.languages: dict[str, str] = {}
        for index, event, documents in walk(tape):
            if isinstance(event, Open):
                self._opened(index, event, documents.finished().get(event.path))
            elif isinstance(event, Edit):
                self._edited(index, event, documents.paths[event.doc], documents.texts[event.doc])
            last = documents
        self.final = last.finished() if tape.events else {}
        self._carrying: dict[str, Carrying] = {}

    def _opened(self, index: int, event: Open, known: str | None) -> None:
        """A document that comes back with another text was changed by no one on the tape: marks move, writers are gone."""
        self.languages[event.path] = event.language
        if known is None:
            self.writers[event.path] = [FROM_START] * length(event.text)
        elif known != event.text:
            self._written(index, event.path, (minimal(known, (0, length(known), event.text)),), FROM_START)

    def _edited(self, index: int, event: Edit, path: str, text: str) -> None:
        self._written(index, path, tuple(minimal(text, change) for change in event.changes), index)

    def _written(self, index: int, path: str, changes: tuple[Change, ...], writer: int) -> None:
        self.edits[path].append((index, changes))
        writers = self.writers[path]
        for start, end, new in sorted(changes, reverse=True):
            writers[start:end] = [writer] * length(new)

    def is_by_hand(self, index: int) -> bool:
        """Whether an event is an edit that a person made key by key."""
        event = self.tape.events[index]
        return isinstance(event, Edit) and event.reason in BY_HAND

    def is_a_persons(self, index: int) -> bool:
        """Whether an event is an edit that a person made, as far as the tape shows."""
        event = self.tape.events[index]
        return isinstance(event, Edit) and event.reason not in NO_PERSON

    def by_no_person(self) -> dict[str, int]:
        """How many `edits` no person made, and how many of these would count as single `keys` if a person had."""
        edits = [event for event in self.tape.events if isinstance(event, Edit) and event.reason in NO_PERSON]
        return {"edits": len(edits), "keys": sum(certain_reason(event.changes) in BY_HAND for event in edits)}

    def since(self, path: str, event: int) -> Iterator[tuple[int, tuple[Change, ...]]]:
        """The edits of a document from event index `event` on."""
        return islice(self.edits[path], self.edits_before(path, event), None)

    def edits_before(self, path: str, event: int) -> int:
        """How many edits of a document come before event index `event`."""
        return bisect_left(self.edits[path], event, key=lambda edit: edit[0])

    def carrying(self, path: str) -> Carrying:
        """Where places of a document go, by its edits' numbers."""
        found = self._carrying.get(path)
        if found is None:
            found = self._carrying[path] = Carrying([changes for _, changes in self.edits[path]])
        return found

    def carried(self, path: str, event: int, left: int, right: int) -> tuple[int, int]:
        """Where two marks, set before `event`, end up in the final text (UTF-16 offsets): `left` ≤ `right`."""
        carrying, at = self.carrying(path), self.edits_before(path, event)
        left = carrying.left(left, at)
        return left, max(left, carrying.right(right, at))

    def outlasts(self, path: str, event: int, unit: int) -> bool:
        """Whether the code unit that stands at an offset before `event` is still there in the end."""
        return self.carrying(path).outlasts(unit, self.edits_before(path, event))

    def outlasting(self, path: str, event: int, start: int, end: int) -> tuple[Piece, ...]:
        """What is left in the end of the text that stands between two offsets before `event`."""
        return self.carrying(path).outlasting(start, end, self.edits_before(path, event))


class Window:
    """The text that grows between two marks while the tape goes on: what was typed at a place after a moment."""

    def __init__(self, offset: int, text: str = "") -> None:
        self.left, self.right = offset, offset + length(text)
        self.text = text

    def move(self, left: int) -> None:
        """Go to where the left mark is after changes elsewhere."""
        self.left, self.right = left, left + self.right - self.left

    def pass_over(self, changes: Sequence[Change]) -> None:
        """Take one event's changes in."""
        ordered = sorted(changes, key=lambda change: change[:2])
        for start, end, new in reversed(ordered):
            self._one(start, end, new)

    def _one(self, start: int, end: int, new: str) -> None:
        change = ((start, end, new),)
        left, right = carry_left(self.left, change), carry_right(self.right, change)
        if start <= self.right and end >= self.left:
            head = cut(self.text, 0, max(0, start - self.left))
            tail = cut(self.text, max(0, end - self.left), self.right - self.left)
            self.text = head + new + tail
        self.left, self.right = left, right


def typed_next(timeline: Timeline, path: str, event: int, offset: int, *, begun: str = "") -> Iterator[tuple[int, str]]:
    """What stands at a place after each later edit that touches it: (event index, text between the marks).

    The marks stand around `begun`, which begins at the offset.
    """
    window, carrying, edits = Window(offset, begun), timeline.carrying(path), timeline.edits[path]
    at = timeline.edits_before(path, event)
    while True:
        at, left = carrying.next_touch(window.left, window.right, at)
        if at == len(edits):
            return
        window.move(left)
        index, changes = edits[at]
        window.pass_over(changes)
        yield index, window.text
        at += 1


# Where the places of a document go while the tape goes on.
#
# A place seldom has an edit beside it. So edits are composed: two, four, eight … neighbouring ones become one `_Block`, which knows
# the stretches of text that none of its edits touches and how far each moves. A question passes over the largest blocks that do
# not touch its place and looks at single edits only where one does: it costs about the logarithm of the number of edits.
#
# Offsets are UTF-16 code units. `at` counts the edits of the document: a place stands in the text just before edit `at`.

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
