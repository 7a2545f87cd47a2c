"""A tape seen as a whole: where marks go, who wrote which character, what the documents hold in the end."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from replay.documents import walk
from replay.tape import Edit, Open, Tape
from syntax.text import Change, carry_left, carry_right, cut, length, minimal

BY_HAND = frozenset({"type", "delete"})
"""Reasons of edits that cost a key each. An edit without a reason may have been an agent's."""
FROM_START = -1
"""The writer of characters that were on the tape before its first edit of them."""


class Timeline:
    """One pass over a tape, kept for questions about any point of it.

    `edits[path]` are the edit events of a document as (event index, minimal changes); `writers[path]` says for each
    UTF-16 code unit of the final text which event wrote it, or `FROM_START`.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
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

    def since(self, path: str, event: int) -> Sequence[tuple[int, tuple[Change, ...]]]:
        """The edits of a document from event index `event` on."""
        edits = self.edits[path]
        return edits[bisect_left(edits, event, key=lambda edit: edit[0]) :]

    def carried(self, path: str, event: int, left: int, right: int) -> tuple[int, int]:
        """Where two marks, set before `event`, end up in the final text (UTF-16 offsets): `left` ≤ `right`."""
        for _, changes in self.since(path, event):
            left, right = carry_left(left, changes), carry_right(right, changes)
        return left, max(left, right)


class Window:
    """The text that grows between two marks while the tape goes on: what was typed at a place after a moment."""

    def __init__(self, offset: int, text: str = "") -> None:
        self.left, self.right = offset, offset + length(text)
        self.text = text

    def pass_over(self, changes: Sequence[Change]) -> bool:
        """Take one event's changes in; whether any of them touched the window."""
        touched, ordered = False, sorted(changes, key=lambda change: change[:2])
        for start, end, new in reversed(ordered):
            touched |= self._one(start, end, new)
        return touched

    def _one(self, start: int, end: int, new: str) -> bool:
        change = ((start, end, new),)
        left, right = carry_left(self.left, change), carry_right(self.right, change)
        touched = start <= self.right and end >= self.left
        if touched:
            head = cut(self.text, 0, max(0, start - self.left))
            tail = cut(self.text, max(0, end - self.left), self.right - self.left)
            self.text = head + new + tail
        self.left, self.right = left, right
        return touched


def typed_next(timeline: Timeline, path: str, event: int, offset: int, *, begun: str = "") -> Iterator[tuple[int, str]]:
    """What stands at a place after each later edit that touches it: (event index, text between the marks).

    The marks stand around `begun`, which begins at the offset.
    """
    window = Window(offset, begun)
    for index, changes in timeline.since(path, event):
        if window.pass_over(changes):
            yield index, window.text
