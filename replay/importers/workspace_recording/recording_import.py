"""Import of GitHub Copilot Chat's `workspaceRecording@1.0`.

The order of the log is kept; so are its clocks, which step back. What the events of a
tape cannot express is carried along (`foreign`), so that an export gives the same log; see `interleaving.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path

import msgspec

from replay.importers.building.project_tests import detect_tests
from replay.importers.errors import RecordingError, locate
from replay.importers.workspace_recording import recording_entries as log
from replay.importers.workspace_recording.interleaving import form_of, interleave
from replay.importers.workspace_recording.recording_events import Reading
from replay.importers.workspace_recording.tape_entries import EPOCH, start_of
from replay.tapes.authors.streams import recognised, with_reasons
from replay.tapes.tape import Documents, Edit, Embedded, Event, Foreign, Header, Reason, Tape

_ENDINGS = ("__recording.w.json", ".recording.w.json", ".workspaceRecording.jsonl", ".w.json", ".jsonl", ".json")


@dataclass(frozen=True, slots=True)
class ImportedRecording:
    """A recording as a tape, with the number of changes applied, checkpoints matched, and entries carried unchanged.

    `recognised` counts the changes without a reason that are an agent's or a formatter's.
    """

    tape: Tape
    changes: int
    checkpoints: int
    carried: int = 0
    recognised: int = 0


def import_recording(path: Path) -> ImportedRecording:
    """Read a recording and replay it once, so that every offset and every checkpoint is known to be right.

    Raises:
        RecordingError: the file is malformed, an edit lies outside its document, or a checkpoint does not match.

    """
    recorded = log.read_log(path)
    own = _own_header(recorded.entries)
    start = _start(path, recorded.entries) if own is None else start_of(own)
    made, documents = _play(path, recorded.entries, start)
    reasons = _recognised(str(path), made) if own is None else {}  # what was a tape once has its reasons
    made = _with_reasons(made, reasons)
    header = _header(path, recorded, start, own, documents)
    with locate(path, None):
        events = interleave(header, str(path), recorded.raw, made)
    changes = sum(isinstance(event, Edit) for event in events)
    carried = sum(isinstance(event, Foreign) for event in events)
    return ImportedRecording(Tape(header, events, str(path)), changes, documents.checked, carried, len(reasons))


def tape_name(path: Path) -> str:
    """The name of a recording's tape: its file name without what only names the format."""
    name = path.name.removesuffix(".gz")
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), "")
    return name.removesuffix(ending)


def _own_header(entries: Sequence[log.Entry]) -> Header | None:
    """The header of the tape that a recording was exported from, if it was."""
    second = entries[1] if len(entries) > 1 else None
    carried = log.carried_in(second) if isinstance(second, log.EventEntry) else None
    return carried.header if carried else None


def _start(path: Path, entries: Sequence[log.Entry]) -> int:
    """The earliest time in whole ms since 1970: with it, times on the tape are exact."""
    times = (entry.time for entry in entries if not isinstance(entry, log.MetaEntry | log.UnknownEntry))
    earliest = math.floor(min(times, default=0.0))
    try:
        EPOCH + timedelta(milliseconds=earliest)
    except OverflowError:
        raise RecordingError(path, None, f"time {earliest} is outside the calendar (ms since 1970)") from None
    return earliest


def _play(path: Path, entries: Sequence[log.Entry], start: int) -> tuple[list[tuple[Event, ...]], Documents]:
    reading = Reading(str(path), start)
    reasons = _reasons(entries)
    made = []
    for number, entry in enumerate(entries):
        with locate(path, number):
            events = reading.events_of(entry, reasons.get(number))
            reading.take(number, entry, events)
        made.append(events)
    return made, reading.documents


def _recognised(source: str, made: Sequence[Sequence[Event]]) -> dict[int, Reason]:
    """The reasons of changes that no person made, by the index of the event among all."""
    return recognised([event for events in made for event in events], source)


def _with_reasons(made: Sequence[tuple[Event, ...]], reasons: Mapping[int, Reason]) -> list[tuple[Event, ...]]:
    """The events of each entry, with the reasons that were recognised."""
    events = with_reasons((event for events in made for event in events), reasons)
    return [tuple(islice(events, len(one))) for one in made]


def _reasons(entries: Sequence[log.Entry]) -> dict[int, str]:
    """Number of a change → the reason that a later entry of the same document and version names."""
    last: dict[tuple[int, int | None], int] = {}
    reasons = {}
    for number, entry in enumerate(entries):
        if isinstance(entry, log.ChangedEntry):
            last[entry.id, entry.v] = number
        elif isinstance(entry, log.DocumentEventEntry) and (reason := log.reason_in(entry)):
            change = last.get((entry.id, reason.v))
            if change is not None:
                reasons[change] = reason.source
    return reasons


def _header(path: Path, recorded: log.RecordingLog, start: int, own: Header | None, documents: Documents) -> Header:
    form = form_of(recorded.members, lines=recorded.lines)
    if own is not None:
        others = {name: value for name, value in own.carried.items() if name != log.FORMAT}
        return msgspec.structs.replace(own, carried={**others, **form})
    return Header(
        tape=1,
        id=tape_name(path),
        editor="vscode",
        origin=f"imported:{log.FORMAT}",
        workspace=Embedded(),
        tests=detect_tests(documents.finished()),
        created=(EPOCH + timedelta(milliseconds=start)).isoformat(timespec="milliseconds"),
        carried=form,
    )
