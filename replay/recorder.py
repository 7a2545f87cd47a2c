"""The recorder's core: what a language server hears, turned into the events of a tape. Pure: the time is an argument.

What LSP does not say is guessed, and where a guess could be wrong nothing is said: see `replay.recording.changes.guess` for
the reason of an edit, and `replay.recording.offers` for what became of a suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from replay.recording.changes import guess, of_event
from replay.recording.offers import Fate, Offer
from replay.tape import Close, Edit, Event, Focus, Ghost, Open, Phase, Reason, Save, Select, State
from server.documents import Document
from server.happenings import (
    Accepted,
    Answered,
    Asked,
    Changed,
    Closed,
    Ended,
    Greeted,
    Happening,
    Hinted,
    Opened,
    Saved,
    Selected,
)
from syntax.text import Change, minimal

Admission: TypeAlias = Callable[[str], str | None]
"""From a document's URI to its path on the tape; None if it must leave no trace."""
CHECK_EVERY = 500
"""Edits of a document after which a checkpoint is written, where none is saved or closed."""
_HINTS: dict[str, Reason] = {"undo": "undo", "redo": "redo"}


@dataclass(slots=True)
class _Doc:
    """One recorded document. `version` is the editor's, `unchecked` counts the edits since the last checkpoint."""

    number: int
    path: str
    version: int
    offer: Offer | None = None
    hint: Reason | None = None
    selection: tuple[tuple[int, int], ...] = ()
    unchecked: int = 0


class Recorder:
    """Turns happenings into events. A checkpoint's digest is left empty: whoever writes the tape knows what is on it."""

    def __init__(self, admit: Admission) -> None:
        self._admit = admit
        self._open: dict[str, _Doc] = {}
        self._numbers: dict[str, int] = {}
        self._given: dict[int, tuple[_Doc, Offer]] = {}
        self._taken: set[int] = set()
        self._ending: tuple[Offer, Phase] | None = None
        self._active: int | None = None
        self._t = 0.0

    def records(self, uri: str) -> bool:
        """Whether a document is on the tape."""
        return uri in self._open

    def take(self, t: float, happening: Happening) -> list[Event]:
        """The events of one happening, `t` ms after the start; happenings come in their order."""
        self._t = t
        return [*self._ended(happening), *self._events(happening)]

    def _events(self, happening: Happening) -> Iterator[Event]:  # one arm a kind
        match happening:
            case Opened(document):
                yield from self._opened(document)
            case Changed():
                yield from self._changed(happening)
            case Hinted(uri, reason) if uri in self._open:
                self._open[uri].hint = _HINTS.get(reason)
            case Selected(document, ranges) if document.uri in self._open:
                yield from self._selected(self._open[document.uri], ranges)
            case Saved(uri) if uri in self._open:
                yield Save(self._t, self._open[uri].number)
                yield self._checkpoint(self._open[uri])
            case Closed(document) if document.uri in self._open:
                yield from self._closed(self._open.pop(document.uri))
            case Asked() if happening.document.uri in self._open:
                yield from self._asked(happening, self._open[happening.document.uri])
            case Answered() if happening.document.uri in self._open:
                yield from self._answered(happening, self._open[happening.document.uri])
            case Accepted(request):
                yield from self._accepted(request)
            case Ended():
                yield from (self._checkpoint(doc) for doc in self._open.values() if doc.unchecked)
            case Greeted() | _:
                return

    def _opened(self, document: Document) -> Iterator[Event]:
        if document.uri in self._open:
            yield from self._closed(self._open.pop(document.uri))
        path = self._admit(document.uri)
        if path is None or any(doc.path == path for doc in self._open.values()):  # the same file by another name
            return
        number = self._numbers.setdefault(path, len(self._numbers))
        self._open[document.uri] = _Doc(number, path, document.version)
        yield Open(self._t, number, path, document.language, document.text)

    def _closed(self, doc: _Doc) -> Iterator[Event]:
        yield from self._leave(doc, "ignored")
        yield self._checkpoint(doc)
        yield Close(self._t, doc.number)
        self._active = None if self._active == doc.number else self._active

    def _changed(self, happening: Changed) -> Iterator[Event]:
        doc = self._open.get(happening.after.uri)
        if doc is None:
            return
        doc.version = happening.after.version
        changes = of_event(happening.before.text, happening.after.text, happening.changes)
        if not changes:
            doc.hint = None  # it was of this change
            return
        yield from self._focus(doc)
        yield from self._edited(doc, happening.before.text, changes)
        doc.unchecked += 1
        if doc.unchecked >= CHECK_EVERY:
            yield self._checkpoint(doc)

    def _edited(self, doc: _Doc, before: str, changes: Sequence[Change]) -> Iterator[Event]:
        offer, hint, doc.hint, doc.selection = doc.offer, doc.hint, None, ()
        fate = offer.fate(changes) if offer is not None and hint is None else "ignored"
        reason = "accept" if fate in {"accepted", "part"} else hint or guess(before, changes)
        yield Edit(self._t, doc.number, tuple(changes), reason)
        if offer is not None:
            doc.offer = offer.after(changes) if fate in {"part", "typed"} else None
            yield from self._met(offer, fate, changes[0][2], whole=doc.offer is None)

    def _met(self, offer: Offer, fate: Fate, text: str, *, whole: bool) -> Iterator[Event]:
        """What a change did to the suggestion that was on the screen; `whole`: nothing of it is left there."""
        if fate == "accepted":
            self._taken.add(offer.request)
        if fate == "accepted" or fate == "part":  # noqa: PLR1714 - the type checker follows this
            yield self._ghost(offer, fate, text)
        elif fate != "typed" or whole:
            self._ending = (offer, "rejected" if fate == "rejected" else "ignored")

    def _asked(self, asked: Asked, doc: _Doc) -> Iterator[Event]:
        yield from self._selected(doc, ((asked.offset, asked.offset),))
        ghost = Ghost(self._t, doc.number, asked.request, "asked", asked.offset)
        yield msgspec.structs.replace(ghost, trigger="invoked") if asked.invoked else ghost

    def _answered(self, answered: Answered, doc: _Doc) -> Iterator[Event]:
        """An answer about a text that has changed since is not shown: editors drop it."""
        change = minimal(answered.document.text, answered.change)
        if answered.document.version != doc.version or not change[2]:
            return
        yield from self._leave(doc, "ignored")
        doc.offer = Offer(answered.request, doc.number, change)
        self._given[answered.request] = (doc, doc.offer)
        yield self._ghost(doc.offer, "shown", doc.offer.text, round(answered.latency, 3))

    def _accepted(self, request: int) -> Iterator[Event]:
        if request in self._taken or request not in self._given:
            return
        doc, offer = self._given[request]
        if self._is_shown(doc.number):
            self._taken.add(request)
            doc.offer = None if doc.offer is not None and doc.offer.request == request else doc.offer
            yield self._ghost(offer, "accepted", offer.text)

    def _leave(self, doc: _Doc, phase: Phase) -> Iterator[Event]:
        """Let go of the suggestion on the screen."""
        if doc.offer is not None:
            yield self._ghost(doc.offer, phase)
            doc.offer = None

    def _ended(self, happening: Happening) -> Iterator[Event]:
        """How the last suggestion ended, held back until what comes next: it may be the editor saying that it was taken."""
        ending, self._ending = self._ending, None
        if ending is None:
            return
        offer, phase = ending
        if not (isinstance(happening, Accepted) and happening.request == offer.request) and self._is_shown(offer.doc):
            yield self._ghost(offer, phase)

    def _is_shown(self, number: int) -> bool:
        return any(doc.number == number for doc in self._open.values())

    def _ghost(self, offer: Offer, phase: Phase, text: str = "", latency: float = 0.0) -> Ghost:
        return Ghost(self._t, offer.doc, offer.request, phase, offer.offset, text, latency)

    def _focus(self, doc: _Doc) -> Iterator[Event]:
        """The document that is edited, asked about or selected in is the active one."""
        if self._active != doc.number:
            self._active = doc.number
            yield Focus(self._t, doc.number)

    def _selected(self, doc: _Doc, ranges: tuple[tuple[int, int], ...]) -> Iterator[Event]:
        yield from self._focus(doc)
        if ranges != doc.selection:
            doc.selection = ranges
            yield Select(self._t, doc.number, ranges)

    def _checkpoint(self, doc: _Doc) -> State:
        doc.unchecked = 0
        return State(self._t, doc.number, "")
