"""What the events of a tape say, as entries of a `workspaceRecording@1.0`.

Whatever is written is read at once, as an import would read it. An event that would not come back as it is gets an entry
of kind `event` before what the format can say of it: `{"sourceId": "ghosttape", "event": …, "entries": n}` carries the
event whole, and the next `n` entries are for other readers. So an export loses nothing, and the importer alone knows
what entries mean.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from replay.errors import TapeError
from replay.importers import recording_entries as log
from replay.importers.guess import guess
from replay.importers.recording_reading import ACCEPT, FORMAT_COMMAND, OWN, SNIPPET, UNKNOWN, Reading
from replay.tape import Close, Edit, Event, Focus, Ghost, Header, Open, Select, State
from syntax.errors import OffsetError
from syntax.text import length, position_at

Entry: TypeAlias = dict[str, Any]
_Form: TypeAlias = tuple[list[Entry], str | None]
"""Entries, and the reason that one of them gives to the change among them."""
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


def beginning_of(header: Header) -> tuple[Entry, ...]:
    """The first entries of a tape that was no recording: the format's own header, and the tape's."""
    time = start_of(header)
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{header.created}/{header.id}"))
    data = {"sourceId": log.CARRIER, "header": _as_read(header, Header)}
    return (
        {"kind": "header", "documentType": log.FORMAT, "repoRootUri": ROOT, "time": time, "uuid": name},
        {"kind": "event", "time": time, "data": data},
    )


@dataclass(frozen=True, slots=True)
class Told:
    """Entries that stand together, and the events that they tell."""

    entries: tuple[Entry, ...]
    events: tuple[Event, ...]


class Writing:
    """The state that events are written in: what a reader of the entries so far would know.

    `tell` changes nothing; `write` and `passes` do.
    """

    def __init__(self, source: str, start: int) -> None:
        self.source, self.start = source, start
        self._reading = Reading(source, start)
        self._versions: dict[int, int] = {}
        self._versioned = True

    def tell(self, events: Sequence[Event], at: int) -> Told:
        """The entries for the event at an index, and for those after it that they tell as well."""
        for entries, source in self._forms(events, at):
            said = self._read_back(entries, source)
            if said and said == tuple(events[at : at + len(said)]):
                return Told(tuple(entries), said)
        entries, _ = next(iter(self._forms(events, at)), ([], None))
        return Told((self._carrier(events[at], len(entries)), *entries), (events[at],))

    def write(self, line: int, told: Told) -> None:
        """Take in what was written.

        Raises:
            TapeError: an event cannot have happened; `line` is that of the first.

        """
        try:
            self._reading.take_together(line, map(log.parse, told.entries), told.events)
        except (OffsetError, ValueError) as error:
            raise TapeError(self.source, line, str(error)) from error
        self._keep_versions(told.entries)

    def passes(self, line: int, entry: Any, events: Sequence[Event]) -> bool:
        """Take in an entry that goes out as it came, with the events that it tells; False if it can no longer stand here.

        Raises:
            TapeError: an event cannot have happened; `line` is that of the first.

        """
        try:
            known = log.parse(entry)
            if not _fits(self._reading.says(known), events):
                return False
            self._reading.take(line, known, events)
        except (OffsetError, ValueError):
            return False
        self._keep_versions([entry])
        return True

    def _read_back(self, entries: Sequence[Entry], source: str | None) -> tuple[Event, ...]:
        try:
            return self._reading.say([log.parse(entry) for entry in entries], source)
        except (OffsetError, ValueError):
            return ()

    def _carrier(self, event: Event, entries: int) -> Entry:
        data = {"sourceId": log.CARRIER, "event": _as_read(event, Event)}
        return self._entry("event", event.t, data={**data, "entries": entries} if entries else data)

    def _forms(self, events: Sequence[Event], at: int) -> Iterator[_Form]:
        """The ways to write an event, best first."""
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

    def _open(self, event: Open) -> list[Entry]:
        first = {"v": 1} if self._versioned else {}
        content = self._entry("setContent", event.t, event.doc, content=event.text, **first)
        if self._reading.paths.get(event.doc) == event.path:
            return [content]
        return [self._entry("documentEncountered", event.t, event.doc, relativePath=event.path), content]

    def _content(self, event: State, text: str) -> Iterator[_Form]:
        yield [self._entry("setContent", event.t, event.doc, content=text, **self._version(event.doc))], None

    def _select(self, event: Select) -> Entry:
        return self._entry("selectionChanged", event.t, event.doc, selection=event.ranges)

    def _edit(self, event: Edit, then: Sequence[Event]) -> Iterator[_Form]:
        version = self._version(event.doc, 1)
        changed = self._entry("changed", event.t, event.doc, edit=event.changes, **version)
        if event.reason == guess(event.changes):
            yield [changed], None
            return
        source = UNKNOWN if event.reason is None else _SOURCES.get(event.reason, f"{OWN}{event.reason}")
        why = self._entry(
            "documentEvent", event.t, event.doc, data={"sourceId": log.REASON, "source": source, **version}
        )
        if source == ACCEPT and len(then) == 2 and isinstance(select := then[1], Select) and select.doc == event.doc:
            yield [changed, self._select(select), why], source  # as the editor writes it: the cursor moves at once
        yield [changed, why], source

    def _asked(self, event: Ghost) -> Entry:
        context = {"triggerKind": 1 if event.trigger == "invoked" else 0}
        data = {"sourceId": log.FETCH, "kind": "start", "requestId": event.request, "context": context}
        return self._entry("documentEvent", event.t, event.doc, data={**data, **self._version(event.doc)})

    def _ended(self, event: Ghost, text: str) -> Iterator[_Form]:
        """The end of a request: what it answered, if anything, and whether it was given up."""
        if event.offset > length(text):
            return
        line, character = position_at(text, event.offset)
        place = f"{line + 1},{character + 1}"
        item = {"range": f"[{place} -> {place}]", "text": event.text, "isInlineEdit": False, "source": log.CARRIER}
        data = {"sourceId": log.FETCH, "kind": "end", "requestId": event.request, "durationMs": _whole(event.latency)}
        error = {"error": log.CANCELLED} if event.phase == "cancelled" else {}
        result = [item] if event.phase == "shown" or event.text else []
        yield [self._entry("event", event.t, data={**data, **error, "result": result})], None

    def _entry(self, kind: str, t: float, doc: int | None = None, **members: Any) -> Entry:
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
    """The same number, as an integer if it is one: that is how the format writes it."""
    return int(number) if number == int(number) else number


def _as_read(value: Event | Header, form: Any) -> Any:
    """A value of a tape as JSON, the same whether it was read from a file or made: an integral float may be an int then."""
    return msgspec.to_builtins(msgspec.convert(msgspec.to_builtins(value), form))


def _fits(said: Sequence[Event], events: Sequence[Event]) -> bool:
    """Whether events are what an entry says; of a change without its reason, which another entry gives."""
    if said and isinstance(said[0], Edit):
        return bool(events) and _unreasoned(events[0]) == _unreasoned(said[0])
    return tuple(said) == tuple(events)


def _unreasoned(event: Event) -> Event:
    return msgspec.structs.replace(event, reason=None) if isinstance(event, Edit) else event
