"""The rows of a vs-code-recorder or crowd-code 1.x table, as the recorders write them.

Columns: `Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type` (the first versions have no `Language`). Times are
milliseconds since the start, offsets and lengths UTF-16 code units of the document with its own line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from replay.importers.building.csv_rows import csv_rows
from replay.importers.errors import RecordingError

NEEDED = ("Sequence", "Time", "File", "RangeOffset", "RangeLength", "Text", "Type")
_GLUED = re.compile(r"([a-z_]+)(\d+)")
_WHOLE = re.compile(r"(\d+)(?:\.0+)?")
"""A number, also as pandas writes it back if a column has gaps."""
_DIGITS = 15
"""Digits of the largest number: a float has no more."""
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
"""The types of rows that the recorders write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    r"""One row. `number` counts from 1, and row 1 is the header; `text` has `\n` and `\t` for new lines and tabs."""

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
        """The end of the row's range."""
        return self.offset + self.length

    def entry(self) -> dict[str, int | str]:
        """The row as it was recorded, to carry it on the tape."""
        names = ("sequence", "time", "file", "offset", "length", "text", "language", "type")
        return {name: getattr(self, name) for name in names}


def read_rows(path: Path) -> list[TableRow]:
    """Read a table, in the order of its `Sequence`: early recorders write rows late or twice.

    Raises:
        RecordingError: the file cannot be read, or a row is malformed.

    """
    written = list(_rows(path))
    _require_whole(path, written[-1:])
    rows = sorted(written, key=lambda row: row.sequence)
    kept: list[TableRow] = []
    for row in rows:
        if kept and kept[-1].sequence == row.sequence:
            _require_same(path, kept[-1], row)
        else:
            kept.append(row)
    return kept


def is_header(cells: Sequence[str]) -> bool:
    """Whether these are the names of this format's columns."""
    return cells[:2] == ["Sequence", "Time"] and set(NEEDED) <= set(cells)


def grouped(rows: Sequence[TableRow]) -> Iterator[list[TableRow]]:
    """Groups of rows: the changes of one event, which have one time and document, are one group; each other row is one.

    VS Code sends the changes of an event from the end of the document to its start, so each is before the last one.
    """
    group: list[TableRow] = []
    for row in rows:
        if group and not _belongs(group[-1], row):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _belongs(last: TableRow, row: TableRow) -> bool:
    return (
        last.type == row.type == "content"
        and (last.time, last.file) == (row.time, row.file)
        and row.end <= last.offset
        and row.offset < last.offset
    )


def _require_whole(path: Path, last: Sequence[TableRow]) -> None:
    """Refuse a last row whose type is only the beginning of one."""
    for row in last:
        if row.type not in TYPES and any(name.startswith(row.type) for name in TYPES):
            reason = f"ends in {row.type!r}, so the table was cut off here: delete this row to import the others"
            raise RecordingError(path, row.number, reason, "row")


def _require_same(path: Path, first: TableRow, second: TableRow) -> None:
    one, other = first.entry(), second.entry()
    if one | {"time": 0} != other | {"time": 0}:
        reason = f"has the Sequence {second.sequence} of row {first.number}, but another content"
        raise RecordingError(path, second.number, reason, "row")


def _rows(path: Path) -> Iterator[TableRow]:
    lines = csv_rows(path)
    _, header = next(lines, (1, []))
    if not is_header(header):
        raise RecordingError(path, 1, f"is not a crowd-code table: its columns are not {','.join(NEEDED)}", "row")
    for number, cells in lines:
        for part in _unglued(cells, len(header)):
            yield _row(path, number, header, part)


def _unglued(cells: list[str], width: int) -> Iterator[list[str]]:
    """The rows of a line: the recorder's "panic button" can remove the end of a line, so that it runs into the next."""
    while len(cells) > width and (glued := _GLUED.fullmatch(cells[width - 1])):
        yield [*cells[: width - 1], glued[1]]
        cells = [glued[2], *cells[width:]]
    if cells:
        yield cells


def _row(path: Path, number: int, header: list[str], part: list[str]) -> TableRow:
    if len(part) != len(header):
        raise RecordingError(path, number, "has too few or too many cells: it was cut off or edited", "row")
    cells = dict(zip(header, part, strict=True))
    counts = {
        name: _count(path, number, name, cells[name]) for name in ("Sequence", "Time", "RangeOffset", "RangeLength")
    }
    return TableRow(
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
    whole = _WHOLE.fullmatch(cell.strip())
    if whole is None or len(whole[1]) > _DIGITS:
        shown = cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}…"
        raise RecordingError(
            path, number, f"{name} {shown!r} is not a whole number from 0 with at most {_DIGITS} digits", "row"
        )
    return int(whole[1])
