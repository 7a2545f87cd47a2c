"""A tape seen as a whole: where marks go, who wrote which character, what the documents hold in the end."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.streams import marked
from replay.tapes.carrying import Carrying, Piece
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
