"""The rows of a CSV file, with the numbers that error messages use."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from replay.importers.building.packed_files import content_of, encoding_of, is_packed
from replay.importers.errors import RecordingError, unreadable

_LONGEST_CELL = 2**31 - 1
"""Characters; a cell may hold a whole document."""
_LONGEST_HEADER = 65_536


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows with a cell that is not empty, each with its number; the header is row 1.

    Tables that went through a spreadsheet are read too: lines end in LF, CRLF, or CR alone (Excel for Mac), cells at commas, semicolons
    (Excel where the comma is for decimals) or tabs (its "Unicode Text"), and the text is UTF-8, or UTF-16 as its first bytes show.

    Raises:
        RecordingError: the file cannot be read, or is not CSV in one of these encodings.

    """
    csv.field_size_limit(_LONGEST_CELL)
    number, encoding = 0, "utf-8"
    try:
        with _opened(path) as file:
            encoding = encoding_of(file.read(4))
            file.seek(0)
            text = io.TextIOWrapper(file, encoding, newline="")
            delimiter = delimiter_of(text.readline(_LONGEST_HEADER))
            text.seek(0)
            for number, cells in enumerate(csv.reader(text, delimiter=delimiter), 1):
                if any(cells):
                    yield number, cells
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        form = encoding.removesuffix("-sig").upper()
        reason = f"is not a table in {form} ({error.reason}): save it as CSV in UTF-8"
        raise RecordingError(path, _line_of(path) if form == "UTF-8" else None, reason, "line") from error
    except csv.Error as error:
        raise RecordingError(path, number + 1, f"is not CSV: {error}", "row") from error


def delimiter_of(header: str) -> str:
    """The character between the names of columns: the most frequent one of the three."""
    return max(",;\t", key=header.count)


def _opened(path: Path) -> BinaryIO:
    return io.BytesIO(content_of(path)) if is_packed(path) else path.open("rb")


def _line_of(path: Path) -> int | None:
    """The first line that is not UTF-8, from 1; lines end in LF here."""
    with _opened(path) as file:
        return next((number for number, line in enumerate(file, 1) if not _is_utf8(line)), None)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
