"""What can go wrong in an import.

TapeError (replay.errors)
└── RecordingError   a recording is malformed, or an entry of it cannot have happened
ReplayError (replay.errors)
└── ImportRefusedError   two inputs would become the same tape, or the folder cannot be written
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replay.errors import ReplayError, TapeError
from syntax.errors import OffsetError


class RecordingError(TapeError):
    """A recording is malformed, or has an entry that cannot have happened: `FILE: entry N: reason`.

    `entry` is a number of `unit`: entries and events count from 0; rows of a table count from 1, and row 1 is the header.
    None means the whole file.
    """

    def __init__(self, source: Path, entry: int | None, reason: str, unit: str = "entry") -> None:
        super().__init__(str(source), entry or 0, reason)
        self.entry, self.unit = entry, unit
        place = source if entry is None else f"{source}: {unit} {entry}"
        self.args = (f"{place}: {reason}",)


class ImportRefusedError(ReplayError):
    """The import cannot be done; no tape of it was written."""


@contextmanager
def locate(path: Path, entry: int | None, unit: str = "entry") -> Iterator[None]:
    """Name the place of the recording in whatever its data raises: a ValueError, an OffsetError or a TapeError.

    Raises:
        RecordingError: with that place and the reason.

    """
    try:
        yield
    except TapeError as error:
        raise RecordingError(path, entry, error.reason, unit) from error
    except (OffsetError, ValueError) as error:
        raise RecordingError(path, entry, str(error), unit) from error


def unreadable(path: Path, error: Exception) -> RecordingError:
    """The error for a file that the system, or its compression, cannot read."""
    return RecordingError(path, None, f"cannot be read: {getattr(error, 'strerror', None) or error}")
