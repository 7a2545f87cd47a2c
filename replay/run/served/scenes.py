"""What an editor would show while a replay goes on, for a client that asked to watch: `ghosttape/scene`, ten times a second at the most, and at the end of each moment.

The documents come from the tape itself, or where the session does not go as recorded (drive mode) from its changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from replay.run.events import Answered, Asked, Ended, Reached, ReplayedDocumentChanged, RunEvent, SessionBegan
from replay.tapes.tape import Documents, Edit, Event, Focus, Open, Select, Tape
from syntax.text import Change, length, splice

PAUSE_S = 0.1
"""Scenes follow each other no sooner than this."""


class OfferedGhost(msgspec.Struct, frozen=True):
    """What is asked or offered at the cursor. `text` is in the place of `start` to `end` (UTF-16 offsets of the scene's text).

    `state` is `asked`, `offered`, or how the moment ended, with its `reason`.
    """

    text: str
    start: int
    end: int
    state: str
    reason: str = ""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A document as an editor would show it. `start` and `end` are the selection (UTF-16 offsets); times are virtual ms."""

    tape: str
    path: str = ""
    language: str = ""
    text: str = ""
    start: int = 0
    end: int = 0
    t: float = 0.0
    duration: float = 0.0
    ghost: OfferedGhost | None = None


class Scenes:
    """Follows a replay of tapes, and sends what an editor would show. It must be made in a running event loop."""

    def __init__(self, tapes: Sequence[Tape], send: Callable[[Scene], None]) -> None:
        self._tapes = {tape.header.id: tape for tape in tapes}
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._sent = -PAUSE_S
        self._waiting: asyncio.TimerHandle | None = None
        self._scene = Scene(tape="")
        self._follows_tape = True
        self._documents, self._next = Documents(""), 0
        self._written: dict[str, tuple[str, str]] = {}

    def take(self, event: RunEvent) -> None:
        """Go on to where an event of the run is."""
        before = self._scene
        match event:
            case SessionBegan():
                self._begin(event)
            case Reached() if event.source == self._scene.tape:
                self._play_to(event.index)
                self._scene = replace(self._scene, t=event.t)
            case ReplayedDocumentChanged():
                self._change(event)
            case Asked():
                self._asked(event)
            case Answered() if self._scene.ghost and event.text:
                self._ghost(OfferedGhost(event.text, event.start, event.end, "offered"))
            case Ended():
                self._ended(event)
            case _:
                pass
        if self._scene != before and self._scene.path:
            self._plan()
            if isinstance(event, Ended):
                self.close()

    def close(self) -> None:
        """Send at once what is still to be sent."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._flush()

    def _begin(self, began: SessionBegan) -> None:
        self._scene = Scene(tape=began.source, duration=began.duration)
        self._follows_tape = began.as_recorded
        self._documents, self._next = Documents(began.source), 0
        self._written.clear()

    def _play_to(self, index: int) -> None:
        if not self._follows_tape:
            return
        events = self._tapes[self._scene.tape].events
        while self._next < min(index, len(events)):
            event = events[self._next]
            self._documents.apply(self._next + 2, event)
            self._next += 1
            self._follow(event)

    def _follow(self, event: Event) -> None:
        documents = self._documents
        match event:
            case Open(doc=doc):
                self._show(event.path, event.language, str(documents.texts[doc]), 0)
            case Focus(doc=doc):
                path = documents.paths[doc]
                if path != self._scene.path:
                    self._show(path, documents.languages[doc], str(documents.texts[doc]), 0)
            case Edit(doc=doc, changes=changes) if changes:
                at = _end_of(changes)
                self._show(documents.paths[doc], documents.languages[doc], str(documents.texts[doc]), at)
            case Select(doc=doc, ranges=ranges) if ranges and documents.paths[doc] == self._scene.path:
                start, end = ranges[0]
                self._scene = replace(self._scene, start=start, end=end)
            case _:
                pass

    def _change(self, changed: ReplayedDocumentChanged) -> None:
        language, text = self._written.get(changed.path, (changed.language, ""))
        text = changed.text if changed.text is not None else splice(text, changed.changes)
        self._written[changed.path] = changed.language or language, text
        self._show(changed.path, *self._written[changed.path], _end_of(changed.changes) if changed.changes else 0)

    def _show(self, path: str, language: str, text: str, cursor: int) -> None:
        """Show a document as it is now; what was offered in the one before is gone."""
        self._scene = replace(
            self._scene, path=path, language=language, text=text, start=cursor, end=cursor, ghost=None
        )

    def _asked(self, asked: Asked) -> None:
        if asked.path != self._scene.path:
            self._turn_to(asked.path)
        self._scene = replace(self._scene, start=asked.offset, end=asked.offset)
        self._ghost(OfferedGhost("", asked.offset, asked.offset, "asked"))

    def _turn_to(self, path: str) -> None:
        doc = next((doc for doc, known in self._documents.paths.items() if known == path), None)
        if doc is not None:
            self._show(path, self._documents.languages[doc], str(self._documents.texts[doc]), 0)
        elif path in self._written:
            self._show(path, *self._written[path], 0)

    def _ended(self, ended: Ended) -> None:
        """Say how the moment ended: at its suggestion, or at the cursor where text has come since."""
        ending, ghost, at = ended.record.ending, self._scene.ghost, self._scene.end
        shown = ghost or OfferedGhost("", at, at, "")
        self._ghost(replace(shown, state=ending.name, reason=ending.reason))

    def _ghost(self, ghost: OfferedGhost) -> None:
        self._scene = replace(self._scene, ghost=ghost)

    def _plan(self) -> None:
        if self._waiting is None:
            rest = max(0.0, self._sent + PAUSE_S - self._loop.time())
            self._waiting = self._loop.call_later(rest, self._flush)

    def _flush(self) -> None:
        self._waiting, self._sent = None, self._loop.time()
        self._send(self._scene)


def _end_of(changes: Sequence[Change]) -> int:
    """Where the cursor is behind the first of some changes."""
    start, _, new = min(changes)
    return start + length(new)
