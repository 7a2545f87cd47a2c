"""The rows of a vs-code-recorder or crowd-code 1.x table, as the recorders write them.

Columns: `Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type` (the first versions have no `Language`). Times are
milliseconds since the start, offsets and lengths UTF-16 code units of the document with its own line ends.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from replay.importers.errors import RecordingError

NEEDED = ("Sequence", "Time", "File", "RangeOffset", "RangeLength", "Text", "Type")
_GLUED = re.compile(r"([a-z_]+)(\d+)")
_CELL_LIMIT = 2**31 - 1
_DIGITS = 15
"""Digits of the largest number: a float holds no more."""
_SHOWN = 40
TYPES = (
    "tab",
    "content",
    "selection_keyboard",
    "selection_mouse",
    "selection_command",
    "terminal_command",
    "terminal_output",
    "terminal_focus",
    "git_branch_checkout",
)
"""The types of row that the recorders write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row; `number` counts from 1 with the header, and `text` still has its marks for new lines and tabs."""

    number: int
    sequence: int
    time: int
    file: str
    offset: int
    length: int
    text: str
    language: str
    type: str

    @property
    def end(self) -> int:
        """Where the row's range ends."""
        return self.offset + self.length

    def entry(self) -> dict[str, int | str]:
        """The row as it was, to be carried along."""
        names = ("sequence", "time", "file", "offset", "length", "text", "language", "type")
        return {name: getattr(self, name) for name in names}


def read_rows(path: Path) -> list[Row]:
    """Read a table, in the order of its `Sequence`: early recorders write rows late or twice.

    Raises:
        RecordingError: the file cannot be read, or a row does not follow the format.

    """
    written = list(_rows(path))
    _require_whole(path, written[-1:])
    rows = sorted(written, key=lambda row: row.sequence)
    kept: list[Row] = []
    for row in rows:
        if kept and kept[-1].sequence == row.sequence:
            _require_same(path, kept[-1], row)
        else:
            kept.append(row)
    return kept


def is_header(cells: Sequence[str]) -> bool:
    """Whether these are the names of this format's columns."""
    return cells[:2] == ["Sequence", "Time"] and set(NEEDED) <= set(cells)


def grouped(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows one by one, and together the changes of one event: same time and document, each before the last in the text.

    VS Code gives the changes of an event from the end of the document to its start, so that they can be made in turn.
    """
    group: list[Row] = []
    for row in rows:
        if group and not _belongs(group[-1], row):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _belongs(last: Row, row: Row) -> bool:
    return (
        last.type == row.type == "content"
        and (last.time, last.file) == (row.time, row.file)
        and row.end <= last.offset
        and row.offset < last.offset
    )


def _require_whole(path: Path, last: Sequence[Row]) -> None:
    """Refuse a last row whose type is only the beginning of one."""
    for row in last:
        if row.type not in TYPES and any(name.startswith(row.type) for name in TYPES):
            reason = f"ends in {row.type!r}, so the table was cut off here: delete this row to import those before it"
            raise RecordingError(path, row.number, reason, "row")


def _require_same(path: Path, first: Row, second: Row) -> None:
    one, other = first.entry(), second.entry()
    if one | {"time": 0} != other | {"time": 0}:
        reason = f"has the Sequence {second.sequence} of row {first.number}, but says something else"
        raise RecordingError(path, second.number, reason, "row")


def _rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(_CELL_LIMIT)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _parse(path, csv.reader(file))
    except OSError as error:
        raise RecordingError(path, None, f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(path, None, f"is no table in UTF-8: {error}") from error


def _parse(path: Path, lines: Iterator[list[str]]) -> Iterator[Row]:
    header = next(lines, [])
    if not is_header(header):
        raise RecordingError(path, 1, f"is no crowd-code table: its columns are not {','.join(NEEDED)}", "row")
    for number, cells in enumerate(lines, 2):
        for part in _unglued(cells, len(header)):
            yield _row(path, number, header, part)


def _unglued(cells: list[str], width: int) -> Iterator[list[str]]:
    """The rows of a line: taking back what was recorded last ("panic") leaves a line without its end."""
    while len(cells) > width and (glued := _GLUED.fullmatch(cells[width - 1])):
        yield [*cells[: width - 1], glued[1]]
        cells = [glued[2], *cells[width:]]
    if cells:
        yield cells


def _row(path: Path, number: int, header: list[str], part: list[str]) -> Row:
    if len(part) != len(header):
        raise RecordingError(path, number, "has too few or too many cells: it was cut off or edited", "row")
    cells = dict(zip(header, part, strict=True))
    counts = {
        name: _count(path, number, name, cells[name]) for name in ("Sequence", "Time", "RangeOffset", "RangeLength")
    }
    return Row(
        number=number,
        sequence=counts["Sequence"],
        time=counts["Time"],
        file=cells["File"],
        offset=counts["RangeOffset"],
        length=counts["RangeLength"],
        text=cells["Text"],
        language=cells.get("Language", ""),
        type=cells["Type"],
    )


def _count(path: Path, number: int, name: str, cell: str) -> int:
    if not cell.strip().isdecimal() or len(cell.strip()) > _DIGITS:
        shown = cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}…"
        raise RecordingError(
            path, number, f"{name} {shown!r} is no whole number of 0 or more and {_DIGITS} digits", "row"
        )
    return int(cell)
