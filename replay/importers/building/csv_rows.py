"""The rows of a CSV file in UTF-8, with the numbers that error messages use."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from replay.importers.errors import RecordingError, unreadable

_LONGEST_CELL = 2**31 - 1
"""Characters; a cell may hold a whole document."""


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with its number; the header is row 1.

    Raises:
        RecordingError: the file cannot be read, or is not CSV in UTF-8.

    """
    csv.field_size_limit(_LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from ((number, cells) for number, cells in enumerate(csv.reader(file), 1) if cells)
    except OSError as error:
        raise unreadable(path, error) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(path, None, f"is not a table in UTF-8: {error}") from error
