"""The moments of a run as a table in pages: sorted, filtered and searched by the database, so that a screen never holds them all."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from replay.options import ClusterBy
from replay.records import Record
from replay.run.listing.moment_rows import Row, adherence_values, row_of, searched_text
from replay.run.listing.moment_selection import FACETS, SORTS, MomentSelection, condition

VERSION = 2
"""The meaning of the columns, kept as the fact `listing`. A run whose rows have another, or none, is listed anew."""
_STORED = tuple(name for name in Row.__struct_fields__ if name not in {"mark", "note"})
SCHEMA = """
CREATE TABLE IF NOT EXISTS listing (
  number INTEGER PRIMARY KEY, tape TEXT, event INTEGER, path TEXT, line INTEGER, character INTEGER, language TEXT, kind TEXT, scenario TEXT,
  stop TEXT, ending TEXT, ending_reason TEXT, verdict TEXT, verdict_reason TEXT, testable TEXT, failed INTEGER, latency REAL, provider TEXT,
  repairs TEXT, truth INTEGER, length TEXT, suggestion TEXT, cluster TEXT, sample INTEGER
);
CREATE TABLE IF NOT EXISTS searched (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS functions (number INTEGER PRIMARY KEY, function TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS programs (number INTEGER PRIMARY KEY, program TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS adherences (number INTEGER PRIMARY KEY, said TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS marks (moment TEXT PRIMARY KEY, mark INTEGER NOT NULL, note TEXT NOT NULL);
"""
_BESIDE = ("functions", "programs", "adherences")
"""Tables of what not every record has: those of versions without them are opened too."""
_AT_ONCE = 200
"""How many rows are added in one commit when a run is listed anew: some milliseconds, for which its writer waits."""
_MARKS = ", ".join("?" * len(_STORED))
_IS_RECORD = "EXISTS (SELECT 1 FROM records WHERE number = ?)"
_FROM = "listing LEFT JOIN (SELECT number, mark, note FROM marks JOIN records USING (moment)) USING (number)"
_QUESTION = "tape, event, path, line, character, stop, kind, scenario"
"""What the answers of one moment have in common, where there are samples."""
_WIDE = ("tape", "kind", "scenario", "ending", "ending_reason", "verdict", "verdict_reason")


class Listing:
    """The rows of a store. `whole` makes a text storable, `read` gives a record by its number."""

    def __init__(
        self, database: sqlite3.Connection, whole: Callable[[str], str], read: Callable[[int], Record]
    ) -> None:
        self._db, self._whole, self._read = database, whole, read

    def put(self, record: Record, number: int) -> None:
        """Derive the row of a record. The caller commits."""
        values, *beside = self._derived(record, number)
        self._db.execute(f"INSERT OR REPLACE INTO listing VALUES ({_MARKS})", values)  # noqa: S608 - question marks only
        self._put_beside(number, *beside)

    def complete(self) -> int:
        """List what an older version stored without rows; give the number of records that were read for it.

        Another process may write the run meanwhile. Records are read outside of a transaction that writes, and rows are committed
        `_AT_ONCE` together, so it waits for that long at the most.
        """
        kept = self._db.execute("SELECT body FROM facts WHERE name = 'listing'").fetchone()
        is_old = kept is None or int(kept[0]) != VERSION
        if not is_old and self._size("listing") == self._size("records"):
            return 0
        self._remove_old(everything=is_old)
        done, last = 0, -1
        while found := self._unlisted(last):
            rows = [self._derived(record, number) for number, record in found]
            with self._db:
                for row in rows:
                    self._add(*row)
            done, last = done + len(found), found[-1][0]
        return done

    def _remove_old(self, *, everything: bool) -> None:
        """Remove the rows of records that are gone, or the rows of another version."""
        gone = self._db.execute(
            "SELECT number FROM listing WHERE number NOT IN (SELECT number FROM records)"
        ).fetchall()
        with self._db:
            if everything:
                self._db.execute("DELETE FROM listing")
                self._db.execute("INSERT OR REPLACE INTO facts VALUES ('listing', ?)", (str(VERSION),))
            remove = f"DELETE FROM listing WHERE number = ? AND NOT {_IS_RECORD}"  # noqa: S608 - constants
            self._db.executemany(remove, [(number, number) for (number,) in gone])

    def _unlisted(self, last: int) -> list[tuple[int, Record]]:
        """Read the next records that have no row, behind number `last`. All are of one state of the run; none is read while writing is kept from others."""
        self._db.execute("BEGIN")
        try:
            numbers = self._db.execute(
                "SELECT number FROM records WHERE number > ? AND NOT EXISTS (SELECT 1 FROM listing WHERE listing.number = records.number) "
                "ORDER BY number LIMIT ?",
                (last, _AT_ONCE),
            ).fetchall()
            return [(number, self._read(number)) for (number,) in numbers]
        finally:
            self._db.rollback()

    def _add(self, values: list[object], *beside: str) -> None:
        """Add the row of a record, unless the run's own process has made one or removed the record since it was read."""
        number = values[0]
        insert = f"INSERT OR IGNORE INTO listing SELECT {_MARKS} WHERE {_IS_RECORD}"
        if self._db.execute(insert, [*values, number]).rowcount:
            self._put_beside(number, *beside)

    def _put_beside(self, number: object, text: str, *further: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO searched VALUES (?, ?)", (number, text))
        for table, value in zip(_BESIDE, further, strict=True):
            if value:
                self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (number, value))  # noqa: S608 - a name of ours

    def _derived(self, record: Record, number: int) -> tuple[list[object], str, str, str, str]:
        """Return the values of a record's row, the text in which is searched, and what stands in `_BESIDE`."""
        row = row_of(record, number)
        values = [self._whole(value) if isinstance(value := getattr(row, name), str) else value for name in _STORED]
        beside = (searched_text(record), record.moment.function, record.moment.program, adherence_values(record))
        text, function, program, said = map(self._whole, beside)
        return values, text, function, program, said

    def order(self, selection: MomentSelection) -> array[int]:
        """Return the numbers of the records that a selection lets through, in its order."""
        where, values = condition(selection)
        return array("q", (number for (number,) in self._select("listing.number", where, values, selection)))

    def matches(self, text: str) -> frozenset[int]:
        """Return the numbers of the records in which a text stands; upper and lower case are the same."""
        found = self._db.execute("SELECT number FROM searched WHERE instr(text, ?)", (self._whole(text.casefold()),))
        return frozenset(number for (number,) in found)

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """Return the rows of these numbers, in their order; those that are gone are left out."""
        columns = ", ".join(f"listing.{name}" for name in _STORED)
        found = self._db.execute(
            f"SELECT {columns}, ifnull(mark, 0), ifnull(note, '') FROM {_FROM} "  # noqa: S608 - names of columns and question marks
            f"WHERE listing.number IN ({', '.join('?' * len(numbers))})",
            list(numbers),
        )
        known = {row[0]: msgspec.convert(dict(zip(Row.__struct_fields__, row, strict=True)), Row, strict=False) for row in found}  # fmt: skip
        return [known[number] for number in numbers if number in known]

    def values(self, facet: str) -> dict[str, int]:
        """Return the values of a facet with the number of moments of each, the most frequent first."""
        expression = FACETS[facet].expression
        tables = _FROM if FACETS[facet].marks else "listing"
        found = self._db.execute(f"SELECT {expression}, count(*) FROM {tables} GROUP BY 1")  # noqa: S608 - an expression of ours
        counted: dict[str, int] = {}
        for value, number in found:
            for one in FACETS[facet].split(value):
                counted[one] = counted.get(one, 0) + number
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def widths(self) -> Mapping[str, int]:
        """Return the longest text of each column that a table shows, in characters; `place` is `path:line:column`."""
        lengths = ", ".join(f"ifnull(max(length({name})), 0)" for name in _WIDE)
        place = "ifnull(max(length(path) + length(line + 1) + length(character + 1) + 2), 0)"
        tapes = "count(DISTINCT tape)"
        found = self._db.execute(f"SELECT {lengths}, {place}, {tapes} FROM listing").fetchone()  # noqa: S608 - names of columns
        return dict(zip((*_WIDE, "place", "tapes"), found, strict=True))

    def judged(self, by: ClusterBy = "hole") -> Iterable[tuple[str, int, int]]:
        """Return the cluster of each moment that has a verdict, how many of its answers count, and how many of those passed.

        Failures of the infrastructure are no verdicts. Answers are of one moment where there are samples, and place and kind are the same.
        """
        clusters = {
            "hole": "cluster",
            "function": "iif(function IS NULL, cluster, json_array(tape, function))",
            "tape": "tape",
            "program": "json_array(tape, ifnull(program, path))",
        }
        (has_samples,) = self._db.execute("SELECT max(sample) > 0 FROM listing").fetchone()
        counts, passes, group = "testable = 'testable'", "verdict = 'passed'", ""
        if has_samples:
            counts, passes, group = f"sum({counts})", f"sum({passes})", f"GROUP BY {_QUESTION}"
        return self._db.execute(
            f"SELECT {clusters[by]}, {counts}, {passes} FROM listing LEFT JOIN functions USING (number) LEFT JOIN programs USING (number) "  # noqa: S608 - expressions of ours
            f"WHERE testable NOT IN ('not tested', 'infrastructure') {group}"
        )

    def mark(self, number: int, *, mark: bool | None = None, note: str | None = None) -> None:
        """Mark a moment, or note something about it; None leaves that as it is. Committed on return."""
        (moment,) = self._db.execute("SELECT moment FROM records WHERE number = ?", (number,)).fetchone()
        old = self._db.execute("SELECT mark, note FROM marks WHERE moment = ?", (moment,)).fetchone() or (0, "")
        new = old[0] if mark is None else int(mark), old[1] if note is None else self._whole(note)
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", (moment, *new))

    def change_count(self) -> int:
        """Return a number that differs after another process has written to the run."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _size(self, table: str) -> tuple[int, int]:
        count, last = self._db.execute(f"SELECT count(*), ifnull(max(number), 0) FROM {table}").fetchone()  # noqa: S608 - a name of ours
        return int(count), int(last)

    def _select(self, what: str, where: str, values: Sequence[object], selection: MomentSelection) -> sqlite3.Cursor:
        direction = "DESC" if selection.descending else "ASC"
        key = SORTS.get(selection.sort, "")
        by = f"{key} IS NULL, {key} {direction}, " if key else ""
        end = direction if not key else "ASC"
        order = f"{by}tape {end}, event {end}, listing.number {end}"
        tables = _FROM if selection.needs_marks else "listing"
        return self._db.execute(f"SELECT {what} FROM {tables} WHERE {where} ORDER BY {order}", list(values))  # noqa: S608 - values are bound
