"""The events of a tape, as entries of a `workspaceRecording@1.0`.

Each entry is read back at once, as an import would read it. Where the format cannot express an event, an entry of kind
`event` carries the whole event: `{"sourceId": "ghosttape", "event": …, "entries": n}`. The next `n` entries are an
approximation for other readers. So an export loses nothing, and only the importer decides what entries mean.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from replay.errors import TapeError
from replay.importers.workspace_recording import recording_entries as log
from replay.importers.workspace_recording.recording_events import ACCEPT, FORMAT_COMMAND, OWN, SNIPPET, UNKNOWN, Reading
from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.tape import Close, Edit, Event, Focus, Ghost, Header, Open, Select, State
from syntax.errors import OffsetError
from syntax.text import length, position_at

JsonEntry: TypeAlias = dict[str, Any]
_Form: TypeAlias = tuple[list[JsonEntry], str | None]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ROOT = "file:///workspace"
_SOURCES: Mapping[str, str] = {"accept": ACCEPT, "format": FORMAT_COMMAND, "type": SNIPPET}
_WITH_VERSION = frozenset({"setContent", "storeContent", "restoreContent", "changed"})


def start_of(header: Header) -> int:
    """The time from which a tape counts, in whole ms since 1970; 0 if its header names no date."""
    try:
        created = datetime.fromisoformat(header.created)
    except ValueError:
        return 0
    return ((created if created.tzinfo else created.replace(tzinfo=UTC)) - EPOCH) // timedelta(milliseconds=1)


def beginning_of(header: Header) -> tuple[JsonEntry, ...]:
    """The first entries of a tape that was no recording: the format's own header, and the tape's."""
    time = start_of(header)
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{header.created}/{header.id}"))
    data = {"sourceId": log.CARRIER, "header": _as_read(header, Header)}
    return (
        {"kind": "header", "documentType": log.FORMAT, "repoRootUri": ROOT, "time": time, "uuid": name},
        {"kind": "event", "time": time, "data": data},
    )


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """Entries that belong together, and the events that they mean."""

    entries: tuple[JsonEntry, ...]
    events: tuple[Event, ...]


class Writing:
    """The state in which events are written: what a reader of the entries so far knows.

    `entries_for` changes nothing; `write` and `passes` advance the state.
    """

    def __init__(self, source: str, start: int) -> None:
        self.source, self.start = source, start
        self._reading = Reading(source, start)
        self._versions: dict[int, int] = {}
        self._versioned = True

    def entries_for(self, events: Sequence[Event], at: int) -> EntryGroup:
        """The entries for the event at an index, and for the next events if the same entries mean those too."""
        for entries, source in self._forms(events, at):
            meant = self._read_back(entries, source)
            if meant and meant == tuple(events[at : at + len(meant)]):
                return EntryGroup(tuple(entries), meant)
        entries, _ = next(iter(self._forms(events, at)), ([], None))
        return EntryGroup((self._carrier(events[at], len(entries)), *entries), (events[at],))

    def write(self, line: int, group: EntryGroup) -> None:
        """Advance by entries that were written.

        Raises:
            TapeError: an event cannot have happened; `line` is that of the first.

        """
        try:
            self._reading.take_group(line, map(log.parse, group.entries), group.events)
        except (OffsetError, ValueError) as error:
            raise TapeError(self.source, line, str(error)) from error
        self._keep_versions(group.entries)

    def passes(self, line: int, entry: Any, events: Sequence[Event]) -> bool:
        """Advance by an entry of the imported recording and its events; False if the entry no longer fits the tape.

        Raises:
            TapeError: an event cannot have happened; `line` is that of the first.

        """
        try:
            known = log.parse(entry)
            if not _fits(self._reading.events_of(known), events):
                return False
            self._reading.take(line, known, events)
        except (OffsetError, ValueError):
            return False
        self._keep_versions([entry])
        return True

    def _read_back(self, entries: Sequence[JsonEntry], source: str | None) -> tuple[Event, ...]:
        try:
            return self._reading.events_of_group([log.parse(entry) for entry in entries], source)
        except (OffsetError, ValueError):
            return ()

    def _carrier(self, event: Event, entries: int) -> JsonEntry:
        data = {"sourceId": log.CARRIER, "event": _as_read(event, Event)}
        return self._entry("event", event.t, data={**data, "entries": entries} if entries else data)

    def _forms(self, events: Sequence[Event], at: int) -> Iterator[_Form]:
        """The ways to write an event, the best first: entries, and the reason that one of them gives to the change."""
        event = events[at]
        match event:
            case Open():
                yield self._open(event), None
            case Edit():
                yield from self._edit(event, events[at + 1 : at + 3])
            case Select():
                yield [self._select(event)], None
            case Focus():
                yield [self._entry("focused", event.t, event.doc)], None
            case Close():
                yield [self._entry("closed", event.t, event.doc)], None
            case State() if event.doc in self._reading.documents.shown:
                yield from self._content(event, self._reading.documents.texts[event.doc])
            case Ghost(phase="asked"):
                yield [self._asked(event)], None
            case Ghost(phase="shown" | "empty" | "cancelled") if asked := self._reading.asked.get(event.request):
                yield from self._ended(event, asked.text)

    def _open(self, event: Open) -> list[JsonEntry]:
        first = {"v": 1} if self._versioned else {}
        content = self._entry("setContent", event.t, event.doc, content=event.text, **first)
        if self._reading.paths.get(event.doc) == event.path:
            return [content]
        return [self._entry("documentEncountered", event.t, event.doc, relativePath=event.path), content]

    def _content(self, event: State, text: str) -> Iterator[_Form]:
        yield [self._entry("setContent", event.t, event.doc, content=text, **self._version(event.doc))], None

    def _select(self, event: Select) -> JsonEntry:
        return self._entry("selectionChanged", event.t, event.doc, selection=event.ranges)

    def _edit(self, event: Edit, then: Sequence[Event]) -> Iterator[_Form]:
        version = self._version(event.doc, 1)
        changed = self._entry("changed", event.t, event.doc, edit=event.changes, **version)
        if event.reason == certain_reason(event.changes):
            yield [changed], None
            return
        source = UNKNOWN if event.reason is None else _SOURCES.get(event.reason, f"{OWN}{event.reason}")
        why = self._entry(
            "documentEvent", event.t, event.doc, data={"sourceId": log.REASON, "source": source, **version}
        )
        if source == ACCEPT and len(then) == 2 and isinstance(select := then[1], Select) and select.doc == event.doc:
            yield [changed, self._select(select), why], source  # the order in which the editor writes it
        yield [changed, why], source

    def _asked(self, event: Ghost) -> JsonEntry:
        context = {"triggerKind": 1 if event.trigger == "invoked" else 0}
        data = {"sourceId": log.FETCH, "kind": "start", "requestId": event.request, "context": context}
        return self._entry("documentEvent", event.t, event.doc, data={**data, **self._version(event.doc)})

    def _ended(self, event: Ghost, text: str) -> Iterator[_Form]:
        """The end of a request: its answer, if there is one, and whether it was cancelled."""
        if event.offset > length(text) or (event.phase == "shown" and text != self._reading.documents.texts[event.doc]):
            return  # Copilot's format puts what was shown into the text of the request
        line, character = position_at(text, event.offset)
        place = f"{line + 1},{character + 1}"
        item = {"range": f"[{place} -> {place}]", "text": event.text, "isInlineEdit": False, "source": log.CARRIER}
        data = {"sourceId": log.FETCH, "kind": "end", "requestId": event.request, "durationMs": _whole(event.latency)}
        error = {"error": log.CANCELLED} if event.phase == "cancelled" else {}
        result = [item] if event.phase == "shown" or event.text else []
        yield [self._entry("event", event.t, data={**data, **error, "result": result})], None

    def _entry(self, kind: str, t: float, doc: int | None = None, **members: Any) -> JsonEntry:
        number = {} if doc is None else {"id": doc}
        return {"kind": kind, **number, "time": _whole(self.start + t), **members}

    def _version(self, doc: int, later: int = 0) -> dict[str, int]:
        return {"v": self._versions[doc] + later} if doc in self._versions else {}

    def _keep_versions(self, entries: Iterable[Any]) -> None:
        for entry in entries:
            if entry["kind"] == "meta":
                self._versioned = False  # slices mostly have no versions
            elif entry["kind"] in _WITH_VERSION and isinstance(entry.get("v"), int):
                self._versions[entry["id"]] = entry["v"]
            elif entry["kind"] == "setContent":
                self._versions.pop(entry["id"], None)


def _whole(number: float) -> float:
    """A number as the format writes it: 2.0 as 2."""
    return int(number) if number == int(number) else number


def _as_read(value: Event | Header, form: Any) -> Any:
    """A value of a tape as JSON. Values made here and values read from a file give the same: both have 2 for 2.0."""
    return msgspec.to_builtins(msgspec.convert(msgspec.to_builtins(value), form))


def _fits(meant: Sequence[Event], events: Sequence[Event]) -> bool:
    """Whether events equal those that an entry means. Reasons of changes are not compared: another entry gives them."""
    if meant and isinstance(meant[0], Edit):
        return bool(events) and _without_reason(events[0]) == _without_reason(meant[0])
    return tuple(meant) == tuple(events)


def _without_reason(event: Event) -> Event:
    return msgspec.structs.replace(event, reason=None) if isinstance(event, Edit) else event
