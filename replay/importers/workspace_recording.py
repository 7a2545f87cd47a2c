"""Import of GitHub Copilot Chat's `workspaceRecording@1.0`.

The order of the log is kept; so are its clocks, which step back. What an entry says beyond the tape's events is carried
along (`foreign`), so that an export gives the same log; see `replay.exporters.workspace_recording`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec

from replay.documents import Documents
from replay.errors import TapeError
from replay.exporters.recording_writing import EPOCH, start_of
from replay.exporters.workspace_recording import form_of, interleave
from replay.importers import recording_entries as log
from replay.importers.detect import detect
from replay.importers.errors import RecordingError
from replay.importers.recording_reading import Reading
from replay.tape import Edit, Embedded, Event, Foreign, Header, Tape
from syntax.errors import OffsetError

_ENDINGS = ("__recording.w.json", ".recording.w.json", ".workspaceRecording.jsonl", ".w.json", ".jsonl", ".json")


@dataclass(frozen=True, slots=True)
class Imported:
    """A recording as a tape, with how many changes were applied, checkpoints matched, and entries carried as they are."""

    tape: Tape
    changes: int
    checkpoints: int
    carried: int = 0


def import_recording(path: Path) -> Imported:
    """Read a recording and replay it once, so that every offset and every checkpoint is known to be right.

    Raises:
        RecordingError: the file is malformed, an edit lies outside its document, or a checkpoint does not match.

    """
    recorded = log.read_log(path)
    own = _own_header(recorded.entries)
    start = _start(path, recorded.entries) if own is None else start_of(own)
    made, documents = _play(path, recorded.entries, start)
    header = _header(path, recorded, start, own, documents)
    try:
        events = interleave(header, str(path), recorded.raw, made)
    except ValueError as error:
        raise RecordingError(path, None, str(error)) from error
    changes = sum(isinstance(event, Edit) for event in events)
    carried = sum(isinstance(event, Foreign) for event in events)
    return Imported(Tape(header, events, str(path)), changes, documents.checked, carried)


def tape_name(path: Path) -> str:
    """The name of a recording's tape: its file name without what only names the format."""
    name = path.name.removesuffix(".gz")
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), "")
    return name.removesuffix(ending)


def _own_header(entries: Sequence[log.Entry]) -> Header | None:
    """The header of the tape that a recording was exported from, if it was."""
    second = entries[1] if len(entries) > 1 else None
    carried = log.carried_in(second) if isinstance(second, log.Event) else None
    return carried.header if carried else None


def _start(path: Path, entries: Sequence[log.Entry]) -> int:
    """The earliest time in whole ms since 1970: with it, times on the tape are exact."""
    times = (entry.time for entry in entries if not isinstance(entry, log.Meta | log.Unknown))
    earliest = math.floor(min(times, default=0.0))
    try:
        EPOCH + timedelta(milliseconds=earliest)
    except OverflowError:
        raise RecordingError(path, None, f"time {earliest} is none in ms since 1970") from None
    return earliest


def _play(path: Path, entries: Sequence[log.Entry], start: int) -> tuple[list[tuple[Event, ...]], Documents]:
    reading = Reading(str(path), start)
    reasons = _reasons(entries)
    made = []
    for number, entry in enumerate(entries):
        try:
            events = reading.says(entry, reasons.get(number))
            reading.take(number, entry, events)
        except (OffsetError, ValueError) as error:
            raise RecordingError(path, number, str(error)) from error
        except TapeError as error:
            raise RecordingError(path, number, error.reason) from error
        made.append(events)
    return made, reading.documents


def _reasons(entries: Sequence[log.Entry]) -> dict[int, str]:
    """Number of a change → the reason that a later entry of the same document and version names."""
    last: dict[tuple[int, int | None], int] = {}
    reasons = {}
    for number, entry in enumerate(entries):
        if isinstance(entry, log.Changed):
            last[entry.id, entry.v] = number
        elif isinstance(entry, log.DocumentEvent) and (reason := log.reason_in(entry)):
            change = last.get((entry.id, reason.v))
            if change is not None:
                reasons[change] = reason.source
    return reasons


def _header(path: Path, recorded: log.Log, start: int, own: Header | None, documents: Documents) -> Header:
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
        tests=detect(documents.finished()),
        created=(EPOCH + timedelta(milliseconds=start)).isoformat(timespec="milliseconds"),
        carried=form,
    )
