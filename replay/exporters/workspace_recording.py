"""Export to GitHub Copilot Chat's `workspaceRecording@1.0`.

A tape that was imported from a recording gives that recording again, entry for entry. Any other tape gives a recording
that other readers can play (documents, changes with their reasons, selections, focus, requests and answers), and that
ghosttape imports as the same tape: entries of kind `event` carry what the format cannot express (saves, test runs, other
endings of a suggestion, the language of a document where its name does not show it, how the project is tested).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.importers.workspace_recording.interleaving import form_in
from replay.importers.workspace_recording.recording_entries import FORMAT
from replay.importers.workspace_recording.tape_entries import Writing, beginning_of, start_of
from replay.tapes.coding import json_of
from replay.tapes.tape import Event, Foreign, Tape


@dataclass(frozen=True, slots=True)
class ExportedRecording:
    """A recording as it is written to a file."""

    log: tuple[Any, ...]
    """Its entries."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Members of the file's object other than `log`."""
    lines: bool = False
    """Whether the file has one entry a line, instead of one object."""
    dropped: int = 0
    """Entries of the imported recording that no longer fit the tape, because the tape was changed since."""

    def encode(self) -> bytes:
        """The file: JSON in UTF-8, with half of a surrogate pair as an escape."""
        if self.lines:
            return b"".join(json_of(entry) + b"\n" for entry in self.log)
        entries = b",\n".join(map(json_of, self.log))
        beside = b"".join(b",\n" + json_of(name) + b":" + json_of(value) for name, value in self.members.items())
        return b'{"log":[\n' + entries + b"\n]" + beside + b"}\n"


def recording_of(tape: Tape) -> ExportedRecording:
    """Turn a tape into a recording.

    Raises:
        TapeError: an event of the tape cannot have happened.

    """
    form = form_in(tape)
    writing = Writing(tape.source, start_of(tape.header))
    entries: list[Any] = [] if _has_beginning(tape.events) else [*beginning_of(tape.header)]
    at = dropped = 0
    while at < len(tape.events):
        event = tape.events[at]
        if not isinstance(event, Foreign) or event.format != FORMAT:
            group = writing.entries_for(tape.events, at)
            writing.write(at + 2, group)
            entries += group.entries
            at += len(group.events)
        else:
            at += 1
            after = tape.events[at : at + event.tells]
            if writing.passes(at + 2, event.entry, after):
                entries.append(event.entry)
                at += len(after)
            else:
                dropped += 1
    return ExportedRecording(tuple(entries), form.members, form.lines, dropped)


def _has_beginning(events: Sequence[Event]) -> bool:
    match events:
        case [Foreign(format=format, entry={"kind": "header" | "meta"}), *_]:
            return format == FORMAT
    return False
