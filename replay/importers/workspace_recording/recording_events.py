"""What the entries of a `workspaceRecording@1.0` mean, as events of a tape.

A `setContent` for a document that is open already, and a `restoreContent` for one, are checkpoints: they must equal the
replayed text and become `state` events.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from replay.importers.building.language_ids import language_id
from replay.importers.building.paths import path_on_tape
from replay.importers.workspace_recording import recording_entries as log
from replay.records import Trigger
from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.tape import Close, Documents, Edit, Event, Focus, Ghost, Open, Reason, Select, State, digest
from syntax.text import Change, carry_right, length, minimal, offset_at

UNKNOWN_REQUEST = -1
ACCEPT = "inlineSuggestion.accept"
FORMAT_COMMAND = "formatEditsCommand"
SNIPPET = "snippet"
OWN = "ghosttape."
"""Prefix of reasons that the format has no source for; `ghosttape.unknown` is an unknown reason."""
UNKNOWN = f"{OWN}unknown"
_REASONS: Mapping[str, Reason] = {
    ACCEPT: "accept",
    SNIPPET: "type",
    FORMAT_COMMAND: "format",
    f"{OWN}paste": "paste",
    f"{OWN}delete": "delete",
    f"{OWN}undo": "undo",
    f"{OWN}redo": "redo",
    f"{OWN}agent": "agent",
    f"{OWN}external": "external",
}
_RANGE = re.compile(r"\[(\d+),(\d+) -> (\d+),(\d+)\]")
_DECIMALS = 3
"""Decimals of a time in ms. A float of ms since 1970 has no more correct ones."""


@dataclass(frozen=True, slots=True)
class _Asked:
    doc: int
    text: str
    trigger: Trigger
    offset: int


@dataclass(frozen=True, slots=True)
class _Shown:
    """An answer that was shown: the texts of its items, and the text that the first item would have added at the cursor."""

    request: int
    texts: tuple[str, ...]
    added: str
    trigger: Trigger = "automatic"


class Reading:
    """The state in which entries are read: the documents, and the requests that may still be answered.

    `events_of` and `events_of_group` change nothing; `take` and `take_group` advance the state by entries and their events.
    `start` is the time in ms since 1970 from which the tape counts.
    """

    def __init__(self, source: str, start: float) -> None:
        self.start = start
        self.documents = Documents(source)
        self.paths: dict[int, str] = {}
        self.asked: dict[int, _Asked] = {}
        self._cursors: dict[int, int] = {}
        self._stored: dict[str, str] = {}
        self._shown: dict[int, list[_Shown]] = {}
        self._covered = 0

    def events_of(self, entry: log.Entry, source: str | None = None) -> tuple[Event, ...]:
        """The events that an entry means in this state; `source` is the reason of a change, which another entry gives.

        Raises:
            ValueError: the entry cannot have happened.

        """
        return () if self._covered else tuple(self._events(entry, source))

    def events_of_group(self, entries: Sequence[log.Entry], source: str | None = None) -> tuple[Event, ...]:
        """The events of entries that belong together; the first may give a document its path."""
        known = self.paths
        named = {
            entry.id: path_on_tape(entry.relative_path) for entry in entries if isinstance(entry, log.EncounteredEntry)
        }
        self.paths = {**known, **named} if named else known
        try:
            return tuple(event for entry in entries for event in self.events_of(entry, source))
        finally:
            self.paths = known

    def take(self, number: int, entry: log.Entry, events: Iterable[Event]) -> None:
        """Advance by an entry: apply its events, and keep what later entries refer to.

        Raises:
            ValueError: the entry cannot have happened.
            OffsetError: it reaches outside its document.
            TapeError: one of its events cannot have happened; `number` is its line.

        """
        for event in events:
            self.documents.apply(number, event)
        self._learn(entry)
        carried = log.carried_in(entry) if isinstance(entry, log.EventEntry) else None
        self._covered = max(0, self._covered - 1) if carried is None else carried.entries

    def take_group(self, number: int, entries: Iterable[log.Entry], events: Iterable[Event]) -> None:
        """Advance by entries that belong together, and by their events."""
        for event in events:
            self.documents.apply(number, event)
        for entry in entries:
            self._learn(entry)

    def _events(self, entry: log.Entry, source: str | None) -> Iterator[Event]:  # one case for each kind of entry
        match entry:
            case log.ApplicationStartEntry():
                yield from (Close(self._t(entry.time), doc) for doc in sorted(self.documents.shown))
            case log.SetContentEntry():
                yield self._content(entry, entry.content)
            case log.RestoreContentEntry():
                yield self._content(entry, self._restored(entry))
            case log.OpenedEntry():
                yield from self._opened(entry)
            case log.ClosedEntry():
                yield Close(self._t(entry.time), entry.id)
            case log.FocusedEntry():
                yield Focus(self._t(entry.time), entry.id)
            case log.SelectionChangedEntry():
                yield Select(self._t(entry.time), entry.id, entry.selection)
            case log.ChangedEntry():
                yield from self._changed(entry, source)
            case log.DocumentEventEntry():
                yield from self._fetch_start(entry)
            case log.EventEntry():
                yield from self._fetch_end(entry)

    def _learn(self, entry: log.Entry) -> None:
        match entry:
            case log.EncounteredEntry():
                self.paths[entry.id] = path_on_tape(entry.relative_path)
            case log.StoreContentEntry():
                self._store(entry)
            case log.SelectionChangedEntry(selection=[(_, cursor), *_]):
                self._cursors[entry.id] = cursor
            case log.ChangedEntry():
                self._cursors[entry.id] = carry_right(self._cursors.get(entry.id, 0), entry.edit)
            case log.DocumentEventEntry():
                self._learn_start(entry)
            case log.EventEntry():
                self._learn_end(entry)

    def _t(self, time: float) -> float:
        return round(time - self.start, _DECIMALS)

    def _open(self, doc: int, time: float, text: str) -> Open:
        path = self.paths.get(doc)
        if path is None:
            raise ValueError(f"document {doc} has content before a documentEncountered entry gives it a path")
        return Open(self._t(time), doc, path, language_id(path, text), text)

    def _content(self, entry: log.SetContentEntry | log.RestoreContentEntry, text: str) -> Event:
        if entry.id in self.documents.shown:
            return State(self._t(entry.time), entry.id, digest(text))
        return self._open(entry.id, entry.time, text)

    def _opened(self, entry: log.OpenedEntry) -> Iterator[Event]:
        if entry.id not in self.documents.shown and entry.id in self.documents.texts:
            yield self._open(entry.id, entry.time, self.documents.texts[entry.id])

    def _store(self, entry: log.StoreContentEntry) -> None:
        text = self._text(entry.id)
        if _content_id(text) != entry.content_id:
            raise ValueError(
                f"{self.documents.paths[entry.id]}: content {entry.content_id} is stored, but the replayed text "
                f"({length(text)} UTF-16 code units) is {_content_id(text)}"
            )
        self._stored[entry.content_id] = text

    def _restored(self, entry: log.RestoreContentEntry) -> str:
        try:
            return self._stored[entry.content_id]
        except KeyError:
            raise ValueError(f"content {entry.content_id} is restored, but was never stored") from None

    def _text(self, doc: int) -> str:
        if doc not in self.documents.shown:
            raise ValueError(f"document {doc} is not open")
        return self.documents.texts[doc]

    def _changed(self, entry: log.ChangedEntry, source: str | None) -> Iterator[Event]:
        before = self._text(entry.id)
        reason = certain_reason(entry.edit) if source is None else _REASONS.get(source)
        yield Edit(self._t(entry.time), entry.id, entry.edit, reason)
        if source == ACCEPT and entry.edit:
            yield self._accepted(entry, before)

    def _accepted(self, entry: log.ChangedEntry, before: str) -> Ghost:
        change = max(entry.edit, key=lambda change: len(change[2]))
        start, _, text = minimal(before, change)
        shown = self._shown.get(entry.id, [])
        last = shown[-1] if shown else _Shown(UNKNOWN_REQUEST, (), "")
        offer = next((offer for offer in reversed(shown) if change[2] in offer.texts), last)
        part = change[2] not in last.texts and last.added.startswith(text) and last.added != text
        phase: Literal["part", "accepted"] = "part" if part else "accepted"
        return Ghost(self._t(entry.time), entry.id, offer.request, phase, start, text, trigger=offer.trigger)

    def _fetch_start(self, entry: log.DocumentEventEntry) -> Iterator[Event]:
        if fetch := log.fetch_in(entry):
            self._text(entry.id)
            here = self._cursors.get(entry.id, 0)
            yield Ghost(self._t(entry.time), entry.id, fetch.request_id, "asked", here, trigger=_trigger(fetch))

    def _learn_start(self, entry: log.DocumentEventEntry) -> None:
        if fetch := log.fetch_in(entry):
            self.asked[fetch.request_id] = _Asked(
                entry.id, self._text(entry.id), _trigger(fetch), self._cursors.get(entry.id, 0)
            )

    def _fetch_end(self, entry: log.EventEntry) -> Iterator[Event]:
        if carried := log.carried_in(entry):
            if carried.event is not None:
                yield carried.event
        elif (fetch := log.fetch_in(entry)) and fetch.phase and (asked := self._ended(fetch)):
            start, added = asked.offset, ""
            if fetch.result:
                start, _, added = minimal(asked.text, _change_of(asked.text, fetch.result[0]))
            yield Ghost(
                self._t(entry.time),
                asked.doc,
                fetch.request_id,
                fetch.phase,
                start,
                added,
                fetch.duration_ms,
                asked.trigger,
            )

    def _learn_end(self, entry: log.EventEntry) -> None:
        fetch = log.fetch_in(entry)
        if fetch is None or fetch.kind != "end":
            return
        if fetch.result and (asked := self._ended(fetch)):
            added = minimal(asked.text, _change_of(asked.text, fetch.result[0]))[2]
            texts = tuple(offer.text for offer in fetch.result)
            self._shown.setdefault(asked.doc, []).append(_Shown(fetch.request_id, texts, added, asked.trigger))
        self.asked.pop(fetch.request_id, None)

    def _ended(self, fetch: log.FetchData) -> _Asked | None:
        """The request that an entry ends, if its document is still open."""
        asked = self.asked.get(fetch.request_id)
        return asked if asked and asked.doc in self.documents.shown else None


def _trigger(fetch: log.FetchData) -> Trigger:
    return "invoked" if fetch.invoked else "automatic"


def _content_id(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())[:24].decode()


def _change_of(text: str, offer: log.AnswerItem) -> Change:
    """An item as a change of the text at the time of the request; lines and columns of its range count from 1."""
    match = _RANGE.fullmatch(offer.range)
    if match is None:
        raise ValueError(f"range {offer.range!r} does not have the form [line,column -> line,column]")
    line, column, end_line, end_column = (int(number) - 1 for number in match.groups())
    return offset_at(text, line, column), offset_at(text, end_line, end_column), offer.text
