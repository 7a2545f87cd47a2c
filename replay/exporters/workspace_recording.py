"""Export to GitHub Copilot Chat's `workspaceRecording@1.0`.

A tape that was imported from a recording gives that recording again, entry for entry. Any other tape gives a recording
that other readers can play (documents, changes with their reasons, selections, focus, requests and answers), and that
ghosttape imports as the same tape: what the format cannot say (saves, test runs, other endings of a suggestion, the
language of a document that its name does not tell, how the project is tested) is carried in entries of kind `event`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from replay.coding import json_of
from replay.errors import TapeError
from replay.exporters.recording_writing import Told, Writing, beginning_of, start_of
from replay.importers.recording_entries import FORMAT
from replay.tape import Event, Foreign, Header, Tape


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording: its log, the file's members beside it, and whether it is one entry a line instead.

    `dropped` counts the entries of an imported recording that no longer fit a tape which was changed since.
    """

    log: tuple[Any, ...]
    members: Mapping[str, Any] = field(default_factory=dict)
    lines: bool = False
    dropped: int = 0

    def encode(self) -> bytes:
        """The file: JSON in UTF-8, with half of a surrogate pair as an escape."""
        if self.lines:
            return b"".join(json_of(entry) + b"\n" for entry in self.log)
        entries = b",\n".join(map(json_of, self.log))
        beside = b"".join(b",\n" + json_of(name) + b":" + json_of(value) for name, value in self.members.items())
        return b'{"log":[\n' + entries + b"\n]" + beside + b"}\n"


class _Form(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a tape's header carries of the file that it was imported from."""

    members: dict[str, Any] = {}
    lines: bool = False


def recording_of(tape: Tape) -> Recording:
    """Turn a tape into a recording.

    Raises:
        TapeError: an event of the tape cannot have happened.

    """
    form = _form(tape)
    writing = Writing(tape.source, start_of(tape.header))
    entries: list[Any] = [] if _has_beginning(tape.events) else [*beginning_of(tape.header)]
    at = dropped = 0
    while at < len(tape.events):
        event = tape.events[at]
        if not isinstance(event, Foreign) or event.format != FORMAT:
            told = writing.tell(tape.events, at)
            writing.write(at + 2, told)
            entries += told.entries
            at += len(told.events)
        else:
            at += 1
            after = tape.events[at : at + event.tells]
            if writing.passes(at + 2, event.entry, after):
                entries.append(event.entry)
                at += len(after)
            else:
                dropped += 1
    return Recording(tuple(entries), form.members, form.lines, dropped)


def form_of(members: Mapping[str, Any], *, lines: bool) -> dict[str, Any]:
    """What a header carries of a recording's file, so that `recording_of` gives the same file."""
    form = msgspec.to_builtins(_Form(dict(members), lines))
    return {FORMAT: form} if form else {}


def interleave(header: Header, source: str, raw: Sequence[Any], made: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """The events made from each entry, with a `Foreign` wherever `recording_of` would not give the same entry by itself."""
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
        at = len(beginning) if self._stands(0, beginning) else 0
        events: list[Event] = []
        while at < len(self.raw):
            told = self._told(at)
            if told and self._stands(at, told.entries, len(told.events)):
                self.writing.write(at, told)
                events += told.events
                at += len(told.entries)
            else:
                events += self._foreign(at, events[-1].t if events else 0.0)
                at += 1
        return tuple(events)

    def _told(self, at: int) -> Told | None:
        """What the next events would be told by, if the entry here can be the first of that."""
        begins = self.made[at] or self.raw[at]["kind"] == "documentEncountered"
        return self.writing.tell(self.flat, self.before[at]) if begins and self.before[at] < len(self.flat) else None

    def _stands(self, at: int, entries: Sequence[Any], events: int = 0) -> bool:
        """Whether these entries stand at an index of the log, and tell so many events."""
        end = at + len(entries)
        return (
            end <= len(self.raw)
            and self.before[end] - self.before[at] == events
            and all(_same(*pair) for pair in zip(entries, self.raw[at:end], strict=True))
        )

    def _foreign(self, at: int, t: float) -> list[Event]:
        entry, told = self.raw[at], self.made[at]
        self.writing.passes(at, entry, told)
        return [Foreign(told[0].t if told else t, FORMAT, entry, len(told)), *told]


def _form(tape: Tape) -> _Form:
    try:
        return msgspec.convert(tape.header.carried.get(FORMAT, {}), _Form)
    except msgspec.ValidationError as error:
        raise TapeError(tape.source, 1, f"carried {FORMAT}: {error}") from error


def _has_beginning(events: Sequence[Event]) -> bool:
    match events:
        case [Foreign(format=format, entry={"kind": "header" | "meta"}), *_]:
            return format == FORMAT
    return False


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 are not."""
    return json_of(one, ordered=True) == json_of(other, ordered=True)
