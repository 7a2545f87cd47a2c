"""How the suggestions on a tape ended, told apart by its events alone (docs/tapes.md, "How a suggestion ended")."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import msgspec

from replay.tapes.tape import Edit, Event, Ghost
from syntax.text import Change, length

_WATCHED_MS = 600_000
"""For so long after an acceptance its text is watched (ms of tape time)."""


class SuggestionEndings(msgspec.Struct):
    """How many suggestions were shown, and how they ended; each shown one has one ending, or none if the tape ends first."""

    shown: int = 0
    accepted: int = 0
    """Accepted to the end, also word by word."""
    in_part: int = 0
    """Only a beginning was accepted."""
    typed: int = 0
    """All of it was typed by hand."""
    continued: int = 0
    """A beginning was typed or accepted, and the same suggestion was shown again with what was left."""
    dismissed: int = 0
    """Escape."""
    rejected: int = 0
    """Something else was written, or text was deleted, at its place."""
    ignored: int = 0
    """Another one took its place, or the document was changed elsewhere or closed."""
    pieces: int = 0
    """Words and lines that were accepted one by one."""
    deleted: int = 0
    """UTF-16 code units of accepted text that were deleted within ten minutes."""


@dataclass(slots=True)
class _Shown:
    """A suggestion on the screen: what is left of it, and where."""

    offset: int
    rest: str
    is_touched: bool = False
    """Its document was edited since."""
    is_contradicted: bool = False
    has_accepted_part: bool = False

    def take(self, changes: tuple[Change, ...]) -> None:
        if not changes:
            return
        self.is_touched = True
        start, end, text = changes[0]
        if len(changes) == 1 and start == end == self.offset and self.rest.startswith(text):
            self.offset += length(text)
            self.rest = self.rest[len(text) :]
        else:
            self.is_contradicted = True


@dataclass(slots=True)
class _Accepted:
    """Where accepted text stands that was not deleted."""

    t: float
    start: int
    end: int

    def take(self, change: Change) -> int:
        """Follow a change; returns how much of the text it deleted. What is written inside of it counts with it."""
        start, end, text = change
        gone = max(0, min(end, self.end) - max(start, self.start))
        if end <= self.start:
            self.start += length(text) - (end - start)
            self.end += length(text) - (end - start)
        elif start < self.end:
            self.start = min(self.start, start)
            self.end = max(self.end, end) + length(text) - (end - start)
        return gone


class EndingCounter:
    """Counts the endings of suggestions, event by event."""

    def __init__(self) -> None:
        self.endings = SuggestionEndings()
        self._shown: defaultdict[int, dict[int, _Shown]] = defaultdict(dict)
        self._accepted: defaultdict[int, list[_Accepted]] = defaultdict(list)
        self._left: tuple[int, _Shown] | None = None

    def take(self, event: Event) -> None:
        """Take the next event of a tape."""
        if isinstance(event, Edit):
            self._edited(event)
        elif isinstance(event, Ghost) and event.phase in _DECIDING:
            self._told(event)

    def finished(self) -> SuggestionEndings:
        """The counts, after the last event."""
        self._leave(None)
        return self.endings

    def _edited(self, event: Edit) -> None:
        self._leave(None)
        for shown in self._shown[event.doc].values():
            shown.take(event.changes)
        if watched := self._accepted.get(event.doc):
            watched[:] = [each for each in watched if event.t - each.t <= _WATCHED_MS and each.start < each.end]
            for change in reversed(event.changes):
                self.endings.deleted += sum(each.take(change) for each in watched)

    def _told(self, event: Ghost) -> None:
        self._leave(event)
        if event.phase == "shown":
            self.endings.shown += 1
            self._show(event)
            return
        if event.phase in {"accepted", "part"} and event.text:
            self._accepted[event.doc].append(_Accepted(event.t, event.offset, event.offset + length(event.text)))
        shown = self._shown[event.doc].get(event.request)
        if shown is not None:
            self._ended(event, shown)

    def _show(self, event: Ghost) -> None:
        """Those that were shown since the last edit stay: the person may choose an earlier one."""
        here = self._shown[event.doc]
        fresh = {request: shown for request, shown in here.items() if not shown.is_touched}
        self._shown[event.doc] = {**fresh, event.request: _Shown(event.offset, event.text)}

    def _ended(self, event: Ghost, shown: _Shown) -> None:
        if event.phase == "part":
            self.endings.pieces += 1
            shown.has_accepted_part = True
            return
        del self._shown[event.doc][event.request]
        if event.phase == "accepted":
            self.endings.accepted += 1
        elif event.phase == "rejected" and not shown.has_accepted_part:
            self.endings.rejected += shown.is_contradicted
            self.endings.dismissed += not shown.is_contradicted
        elif event.phase == "ignored" and not shown.rest and not shown.is_contradicted:
            self.endings.typed += 1
        else:
            self._left = event.doc, shown

    def _leave(self, event: Ghost | None) -> None:
        """Say how a suggestion ended that was left: it goes on if the next one says what was left of it, at its place."""
        if self._left is None:
            return
        (doc, shown), self._left = self._left, None
        goes_on = event is not None and (event.doc, event.phase, event.offset, event.text) == (
            doc,
            "shown",
            shown.offset,
            shown.rest,
        )
        self.endings.continued += goes_on
        self.endings.in_part += shown.has_accepted_part and not goes_on
        self.endings.ignored += not shown.has_accepted_part and not goes_on


_DECIDING = frozenset({"shown", "accepted", "part", "rejected", "ignored"})
