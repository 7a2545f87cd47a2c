"""What an import of a `workspaceRecording@1.0` carries along, so that an export of the tape gives the same recording.

Each entry that the export of the tape's own events would not give becomes a `Foreign` event, followed by the events that
the entry means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from replay.errors import TapeError
from replay.importers.workspace_recording.recording_entries import FORMAT
from replay.importers.workspace_recording.tape_entries import EntryGroup, Writing, beginning_of, start_of
from replay.tapes.coding import json_of
from replay.tapes.tape import Event, Foreign, Header, Tape


class FileForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a tape's header carries of the file that it was imported from.

    `members` are those of the file's object other than `log`; `lines` says that the file had one entry a line instead.
    """

    members: dict[str, Any] = {}
    lines: bool = False


def form_in(tape: Tape) -> FileForm:
    """The form of the file that a tape was imported from.

    Raises:
        TapeError: the header carries something else.

    """
    try:
        return msgspec.convert(tape.header.carried.get(FORMAT, {}), FileForm)
    except msgspec.ValidationError as error:
        raise TapeError(tape.source, 1, f"carried {FORMAT}: {error}") from error


def form_of(members: Mapping[str, Any], *, lines: bool) -> dict[str, Any]:
    """What a header carries of a recording's file, so that an export gives the same file."""
    form = msgspec.to_builtins(FileForm(dict(members), lines))
    return {FORMAT: form} if form else {}


def interleave(header: Header, source: str, raw: Sequence[Any], made: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """The events of all entries, with a `Foreign` for each entry that an export of the events would not give.

    `raw` are the entries as JSON values, `made` the events that each of them means.
    """
    return _Interleaving(header, source, raw, made).events()


class _Interleaving:
    def __init__(self, header: Header, source: str, raw: Sequence[Any], made: Sequence[Sequence[Event]]) -> None:
        self.header, self.raw, self.made = header, raw, made
        self.writing = Writing(source, start_of(header))
        self.flat = [event for events in made for event in events]
        self.before = [0]
        for events in made:
            self.before.append(self.before[-1] + len(events))

    def events(self) -> tuple[Event, ...]:
        """Go through the entries once."""
        beginning = beginning_of(self.header)
        at = len(beginning) if self._matches(0, beginning) else 0
        events: list[Event] = []
        while at < len(self.raw):
            group = self._group(at)
            if group and self._matches(at, group.entries, len(group.events)):
                self.writing.write(at, group)
                events += group.events
                at += len(group.entries)
            else:
                events += self._foreign(at, events[-1].t if events else 0.0)
                at += 1
        return tuple(events)

    def _group(self, at: int) -> EntryGroup | None:
        """What an export would write for the next events, if the entry at this index can be the first of that."""
        begins = self.made[at] or self.raw[at]["kind"] == "documentEncountered"
        if not begins or self.before[at] >= len(self.flat):
            return None
        return self.writing.entries_for(self.flat, self.before[at])

    def _matches(self, at: int, entries: Sequence[Any], events: int = 0) -> bool:
        """Whether the log has exactly these entries from an index on, and they mean so many events."""
        end = at + len(entries)
        return (
            end <= len(self.raw)
            and self.before[end] - self.before[at] == events
            and all(_same(*pair) for pair in zip(entries, self.raw[at:end], strict=True))
        )

    def _foreign(self, at: int, t: float) -> list[Event]:
        entry, events = self.raw[at], self.made[at]
        self.writing.passes(at, entry, events)
        return [Foreign(events[0].t if events else t, FORMAT, entry, len(events)), *events]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 differ."""
    return json_of(one, ordered=True) == json_of(other, ordered=True)
