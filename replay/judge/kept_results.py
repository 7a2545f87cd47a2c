"""Results of tests that later runs use again: what finished and emptied programs do depends on nothing but their text and toolchain."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from replay.errors import KeptResultsError
from runners.errors import MachineFails
from runners.verdicts import Result

_SCHEMA = "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, body BLOB NOT NULL);"


class KeptResults:
    """Results of earlier runs in a file of a folder, by a hash of everything that they depend on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "results.sqlite"

    def get(self, key: str) -> Result | None:
        """The result under a key.

        Raises:
            KeptResultsError: the file cannot be read.

        """
        with database_at(self.file, _SCHEMA) as database:
            row = database.execute("SELECT body FROM results WHERE key = ?", (key,)).fetchone()
        return msgspec.json.decode(row[0], type=Result) if row else None

    def put(self, key: str, result: Result) -> None:
        """Keep a result.

        Raises:
            KeptResultsError: the file cannot be written.
            MachineFails: there is no room for it.

        """
        with database_at(self.file, _SCHEMA) as database, database:
            database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, msgspec.json.encode(result)))


@contextmanager
def database_at(file: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """A database in a file, with the tables of a schema; it is closed at the end.

    Raises:
        KeptResultsError: the file cannot be read or written.
        MachineFails: there is no room for it.

    """
    try:
        with closing(sqlite3.connect(file, timeout=30)) as database:
            database.executescript(schema)
            yield database
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            raise MachineFails(f"{file}: {error}: make room there") from error
        raise KeptResultsError(f"{file}: {error}; remove it, and it is made again") from error
