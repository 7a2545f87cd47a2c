"""The tables of a ProgSnap2 dataset, laid out on disk by subject and task, so that a large one needs little memory.

Rows count from 1 with the header as the first; times are milliseconds since 1970.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from replay.importers.building.csv_rows import csv_rows
from replay.importers.errors import RecordingError

NEEDED = ("EventType", "EventID", "SubjectID")
IDS = ("SubjectID", "TermID", "CourseID", "AssignmentID", "ProblemID", "SessionID")
"""Rows with the same values in these columns (as far as the dataset has them) make one tape."""
FIRST_TEXT = "X-FileInit"
"""The type of the rows with which SQLiteToProgSnap2, the converter for PyCharm's recorder, begins a document."""
_SCHEMA = """
CREATE TABLE groups (id INTEGER PRIMARY KEY, ids TEXT UNIQUE);
CREATE TABLE rows (grp INTEGER, number INTEGER, ord INTEGER, client REAL, server REAL, cells BLOB);
CREATE TABLE states (id TEXT, section TEXT, code TEXT);
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
"""
_DIGITS = 18
"""Digits of the largest `Order`: the database stores 64 bits."""
_WHOLE = re.compile(r"(-?\d+)(?:\.0+)?")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_MILLISECONDS_FROM = 1e11
"""Numbers from here on are milliseconds since 1970, smaller ones seconds."""
_YEAR_1, _YEAR_10000 = -62_135_596_800_000, 253_402_300_800_000


@dataclass(frozen=True, slots=True)
class EventRow:
    """A row of the main table: its cells that are not empty, and its time (None if it has none)."""

    number: int
    time: float | None
    cells: Mapping[str, str]


class Tables:
    """The main table and the table of code states, by group and by id."""

    def __init__(self, main: Path, metadata: Mapping[str, str], database: sqlite3.Connection) -> None:
        self.main, self.folder, self.metadata, self.database = main, main.parent, metadata, database
        self.has_first_texts = False
        """Whether there are rows of the type `FIRST_TEXT`."""

    def groups(self) -> Iterator[tuple[dict[str, str], Iterator[EventRow]]]:
        """The ids of each subject and task, in the order of their first rows, and the rows in order."""
        for number, ids in self.database.execute("SELECT id, ids FROM groups ORDER BY id").fetchall():
            yield msgspec.json.decode(ids, type=dict[str, str]), self._rows(number)

    def states(self, state: str) -> list[tuple[str | None, str]]:
        """The sections (None where the table has no such column) and texts of a code state in the Table form."""
        return self.database.execute("SELECT section, code FROM states WHERE id = ?", (state,)).fetchall()

    def _rows(self, group: int) -> Iterator[EventRow]:
        counts = "SELECT count(*), count(ord), count(client), count(server) FROM rows WHERE grp = ?"
        every, *filled = self.database.execute(counts, (group,)).fetchone()
        order, client, server = (count == every for count in filled)
        time = "client" if client or not server else "server"
        by = "ord, number" if order and self._is_ordered() else f"{time}, number" if client or server else "number"
        query = f"SELECT number, {time}, cells FROM rows WHERE grp = ? ORDER BY {by}"  # noqa: S608  # names of ours
        for number, when, cells in self.database.execute(query, (group,)):
            yield EventRow(number, when, msgspec.json.decode(cells, type=dict[str, str]))

    def _is_ordered(self) -> bool:
        """Whether the column Order is the order of rows. It is, unless the metadata says otherwise."""
        return self.metadata.get("EventOrderScope", "Global").lower() != "none"


@contextmanager
def open_tables(path: Path) -> Iterator[Tables]:
    """Read the tables of a dataset (its folder, or its main table of any name) into a database that is removed again.

    Raises:
        RecordingError: a table is missing or malformed.

    """
    main = path / "MainTable.csv" if path.is_dir() else path
    with TemporaryDirectory(prefix="ghosttape-progsnap2-") as place:
        database = sqlite3.connect(Path(place) / "tables.sqlite")
        try:
            database.executescript(_SCHEMA)
            tables = Tables(main, _metadata(main.parent), database)
            _fill(tables)
            yield tables
        finally:
            database.close()


def is_main_header(cells: Sequence[str]) -> bool:
    """Whether these are the columns of a main table."""
    return set(NEEDED) <= set(cells)


def read_table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with their numbers, the header first.

    Raises:
        RecordingError: it cannot be read, or a row has more or fewer cells than the header.

    """
    width = 0
    for number, cells in csv_rows(path):
        width = width or len(cells)
        if len(cells) != width:
            raise RecordingError(path, number, f"has {len(cells)} cells instead of {width}", "row")
        yield number, cells


def _metadata(folder: Path) -> dict[str, str]:
    path = folder / "DatasetMetadata.csv"
    return {cells[0]: cells[1] for _, cells in read_table(path) if len(cells) == 2} if path.is_file() else {}


def _fill(tables: Tables) -> None:
    groups: dict[tuple[str, ...], int] = {}
    _insert(tables.database, "rows", 6, _main_rows(tables, groups))
    named = ((number, msgspec.json.encode(dict(zip(IDS, ids, strict=True)))) for ids, number in groups.items())
    _insert(tables.database, "groups", 2, named)
    codes = next((path for path in _code_tables(tables.folder) if path.is_file()), None)
    if codes is not None:
        _insert(tables.database, "states", 3, _states(codes))
    tables.database.executescript("CREATE INDEX by_group ON rows (grp); CREATE INDEX by_state ON states (id);")


def _code_tables(folder: Path) -> tuple[Path, ...]:
    return folder / "CodeStates" / "CodeStates.csv", folder / "CodeStates.csv"


def _insert(database: sqlite3.Connection, table: str, width: int, rows: Iterator[tuple[Any, ...]]) -> None:
    database.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * width)})", rows)  # noqa: S608  # names of ours
    database.commit()


def _main_rows(tables: Tables, groups: dict[tuple[str, ...], int]) -> Iterator[tuple[Any, ...]]:
    lines = read_table(tables.main)
    _, header = next(lines, (1, []))
    if not is_main_header(header):
        raise RecordingError(tables.main, 1, f"is not a ProgSnap2 main table: it needs {', '.join(NEEDED)}", "row")
    keystrokes = tables.metadata.get("CodeStateRepresentation", "").lower() == "keystroke"
    for number, cells in lines:
        row = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
        tables.has_first_texts = tables.has_first_texts or row.get("EventType") == FIRST_TEXT
        # the text of a keystroke dataset goes on from session to session
        ids = tuple("" if keystrokes and name == "SessionID" else row.get(name, "") for name in IDS)
        group = groups.setdefault(ids, len(groups))
        yield (
            group,
            number,
            _order(tables.main, number, row.get("Order", "")),
            _milliseconds(row.get("ClientTimestamp", "")),
            _milliseconds(row.get("ServerTimestamp", "")),
            msgspec.json.encode(row),
        )


def _order(path: Path, number: int, cell: str) -> int | None:
    whole = _WHOLE.fullmatch(cell)
    if whole is None:
        return None
    if len(whole[1]) > _DIGITS:
        raise RecordingError(path, number, f"Order {cell[:40]!r} has more than {_DIGITS} digits", "row")
    return int(whole[1])


def _states(path: Path) -> Iterator[tuple[str, str | None, str]]:
    lines = read_table(path)
    _, header = next(lines, (1, []))
    if not {"CodeStateID", "Code"} <= set(header):
        raise RecordingError(path, 1, "is not a table of code states: it needs CodeStateID and Code", "row")
    state, code = header.index("CodeStateID"), header.index("Code")
    section = header.index("CodeStateSection") if "CodeStateSection" in header else None
    for _, cells in lines:
        yield cells[state], None if section is None else cells[section], cells[code]


def _milliseconds(cell: str) -> float | None:
    """A time stamp in ms since 1970; None if it is malformed, 0 (which stands for none), or outside the years 1 to 9999 in UTC."""
    if _NUMBER.fullmatch(cell):
        number = float(cell) if float(cell) >= _MILLISECONDS_FROM else float(cell) * 1000
        return number if 0 < number < _YEAR_10000 else None
    try:
        when = datetime.fromisoformat(cell)
    except ValueError:
        return None
    milliseconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000
    return milliseconds if _YEAR_1 <= milliseconds < _YEAR_10000 else None
