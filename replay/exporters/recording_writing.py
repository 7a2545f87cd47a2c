"""What the events of a tape say, as entries of a `workspaceRecording@1.0`.

Whatever is written is read at once, as an import would read it. An event that would not come back as it is gets an entry
of kind `event` before what the format can say of it: `{"sourceId": "ghosttape", "event": …, "entries": n}` carries the
event whole, and the next `n` entries are for other readers. So an export loses nothing, and the importer alone knows
what entries mean.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from replay.errors import TapeError
from replay.importers import recording_entries as log
from replay.importers.recording_reading import ACCEPT, FORMAT_COMMAND, OWN, UNKNOWN, Reading
from replay.importers.guess import guess
from replay.tape import Close, Edit, Event, Focus, Foreign, Ghost, Header, Open, Select, State
from syntax.errors import OffsetError
from syntax.text import length, position_at

Entry: TypeAlias = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ROOT = "file:///workspace"
_SOURCES: Mapping[str, str] = {"accept": ACCEPT, "format": FORMAT_COMMAND}
_ORIGIN = f"imported:{log.FORMAT}"


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
    data = {"sourceId": log.CARRIER, "header": msgspec.to_builtins(header)}
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

    `tell` and `fits` change nothing; `write` and `pass_on` do.
    """

    def __init__(self, source: str, start: int) -> None:
        self.source, self.start = source, start
        self._reading = Reading(source, start)
        self._versions: dict[int, int] = {}

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

    def fits(self, entry: Any, events: Sequence[Event]) -> bool:
        """Whether an entry of the format still says what these events say, its reason aside, which other entries give."""
        try:
            said = self._reading.says(log.parse(entry))
        except (OffsetError, ValueError):
            return False
        if said and isinstance(said[0], Edit):
            said = (msgspec.structs.replace(said[0], reason=None),)
            events = [msgspec.structs.replace(event, reason=None) for event in events[:1] if isinstance(event, Edit)]
        return said == tuple(events)

    def pass_on(self, line: int, entry: Any, events: Iterable[Event]) -> bool:
        """Take in an entry that goes out as it came, with the events that it tells; False if it no longer can stand."""
        try:
            self._reading.take(line, log.parse(entry), events)
        except (OffsetError, ValueError):
            return False
        self._keep_versions([entry])
        return True
