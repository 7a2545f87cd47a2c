"""What can go wrong while other formats become tapes.

TapeError (replay.errors)
└── RecordingError   a recording is malformed, or an entry of it cannot have happened
ReplayError (replay.errors)
└── ImportRefusedError   the inputs of one import cannot stand side by side, or its folder cannot be written
"""

from __future__ import annotations

from pathlib import Path

from replay.errors import ReplayError, TapeError


class RecordingError(TapeError):
    """A recording is malformed, or holds an entry that cannot have happened: `FILE: entry N: reason`.

    `entry` counts as the recording's own log does, and `unit` says what it counts: entries and events from 0, rows of a
    table from 1 with the header as the first. None means the file as a whole.
    """

    def __init__(self, source: Path, entry: int | None, reason: str, unit: str = "entry") -> None:
        super().__init__(str(source), entry or 0, reason)
        self.entry, self.unit = entry, unit
        place = source if entry is None else f"{source}: {unit} {entry}"
        self.args = (f"{place}: {reason}",)


class ImportRefusedError(ReplayError):
    """An import as a whole cannot be done; no tape of it was written."""
