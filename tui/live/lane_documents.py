"""The documents of a lane at the place where its session is: played from the tape itself, or from the changes that the run wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from replay.errors import ReplayError
from replay.run.events import ReplayedDocumentChanged
from replay.tapes.tape import Documents, Edit, Event, Focus, Open, Select, stream
from syntax.errors import OffsetError
from syntax.text import Change, length, splice
from tui.live.state import Lane

_AT_ONCE = 4_000
"""How many events are played before the screen may draw again."""


@dataclass(frozen=True, slots=True)
class View:
    """One document as an editor would show it. Offsets are UTF-16 code units; `start` and `end` are the selection, empty at the cursor."""

    path: str
    language: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class LaneDocuments:
    """Follows the documents of one lane. `problem` says why they cannot be shown."""

    lane: Lane
    problem: str = ""
    _recorded: Documents | None = None
    _events: Iterator[tuple[int, Event]] | None = None
    _tape: ExitStack = field(default_factory=ExitStack)
    _next: int = 0
    _written: dict[str, tuple[str, str]] = field(default_factory=dict)
    _cursors: dict[str, tuple[int, int]] = field(default_factory=dict)
    _path: str = ""

    def advance(self) -> bool:
        """Go to where the session is; False: there is more to do than was done."""
        session, at = self.lane.session, self.lane.position
        if session is None or at is None or self.problem:
            return True
        if not session.as_recorded:
            self._take_changes()
            return True
        try:
            return self._play_to(at.index)
        except (ReplayError, OSError) as error:
            self.problem = f"the tape cannot be shown: {error}"
            self._tape.close()
            return True

    def view(self) -> View | None:
        """The document in which something happened last, or None if none is open."""
        if self._recorded is not None:
            doc = next((doc for doc, path in self._recorded.paths.items() if path == self._path), None)
            if doc is None:
                return None
            return self._view(self._path, self._recorded.languages[doc], str(self._recorded.texts[doc]))
        if self._path not in self._written:
            return None
        language, text = self._written[self._path]
        return self._view(self._path, language, text)

    def show(self, path: str) -> None:
        """Look at this document from now on, if it is known."""
        if path in self._written or (self._recorded is not None and path in self._recorded.paths.values()):
            self._path = path

    def close(self) -> None:
        """Let go of the tape."""
        self._tape.close()

    def _view(self, path: str, language: str, text: str) -> View:
        size = length(text)
        start, end = sorted(min(place, size) for place in self._cursors.get(path, (0, 0)))
        return View(path, language, text, start, end)

    def _play_to(self, index: int) -> bool:
        if self._events is None or index < self._next:
            self._rewind()
        last = min(index, self._next + _AT_ONCE)
        while self._next < last:
            self._play_one()
        return self._next >= index

    def _rewind(self) -> None:
        self._tape.close()
        path = Path(self.lane.origin)
        self._events = self._tape.enter_context(stream(path, torn="drop")).events
        self._recorded, self._next = Documents(str(path)), 0
        self._cursors.clear()

    def _play_one(self) -> None:
        assert self._events is not None
        assert self._recorded is not None
        number, event = next(self._events, (0, None))
        self._next += 1
        if event is None:
            return
        self._recorded.apply(number, event)
        match event:
            case Open(path=path):
                self._path, self._cursors[path] = path, (0, 0)
            case Focus(doc=doc):
                self._path = self._recorded.paths[doc]
            case Select(doc=doc, ranges=ranges) if ranges:
                self._cursors[self._recorded.paths[doc]] = ranges[0]
            case Edit(doc=doc, changes=changes) if changes:
                self._edited(self._recorded.paths[doc], changes)
            case _:
                pass

    def _edited(self, path: str, changes: tuple[Change, ...]) -> None:
        start, _, new = min(changes)
        place = start + length(new)
        self._path, self._cursors[path] = path, (place, place)

    def _take_changes(self) -> None:
        changes, self.lane.changes = self.lane.changes, []
        for change in changes:
            self._change(change)

    def _change(self, change: ReplayedDocumentChanged) -> None:
        language, text = self._written.get(change.path, ("", ""))
        if change.text is not None:
            self._written[change.path], self._cursors[change.path] = (change.language, change.text), (0, 0)
            self._path = change.path
            return
        try:
            self._written[change.path] = language, splice(text, change.changes)
        except OffsetError as error:
            self.problem = f"{change.path} cannot be shown: {error}"
        if change.changes:
            self._edited(change.path, change.changes)
