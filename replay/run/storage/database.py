"""The database of a run: its tables, how it is opened, and what its failures mean."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tenacity

from replay.errors import StoreError
from replay.run.listing.listing import SCHEMA as _LISTING
from runners.errors import MachineFails

_BEGINNING_S = 10.0
"""For how long it is tried again what SQLite refuses while another process opens or closes the same database."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
  number INTEGER PRIMARY KEY, moment TEXT UNIQUE NOT NULL, tape TEXT NOT NULL, event INTEGER NOT NULL,
  ending TEXT NOT NULL, verdict TEXT, body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS texts (sha TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS trials (
  moment TEXT NOT NULL, arm TEXT NOT NULL, tape TEXT NOT NULL, verdict TEXT NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (moment, arm)
);
"""


def connect(folder: Path) -> sqlite3.Connection:
    """Open the database of a run's folder, and make it if it is not there.

    Raises:
        StoreError, MachineFails: it is damaged, cannot be written, or there is no room.

    """
    with store_errors(folder):
        if not os.access(folder, os.W_OK):
            return _connect_for_reading(folder)
        connection = sqlite3.connect(folder / "run.sqlite", timeout=30)
        _write_ahead(connection)
        # a commit survives the end of this process; only a power failure can lose the last ones
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA + _LISTING)
    return connection


@tenacity.retry(
    retry=tenacity.retry_if_exception(lambda error: _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR}),
    stop=tenacity.stop_after_delay(_BEGINNING_S),
    wait=tenacity.wait_random(0.01, 0.05),
    reraise=True,
)
def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and the writer go on beside each other.

    Of two processes that do this to a new database, or while the last one that has it open closes it, SQLite refuses one at once.
    """
    connection.execute("PRAGMA journal_mode=WAL")


def _code(error: BaseException) -> int:
    """SQLite's primary code of an error; 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _connect_for_reading(folder: Path) -> sqlite3.Connection:
    """Open the run of a folder that cannot be written, as on a read-only file system: to be looked at, and nothing else.

    Raises:
        StoreError: the last changes stand in a file beside the database, which takes write access to read.

    """
    log = folder / "run.sqlite-wal"
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{folder} cannot be written, and its run was not closed: copy the folder to where it can be")
    return sqlite3.connect(f"{(folder / 'run.sqlite').absolute().as_uri()}?mode=ro&immutable=1", uri=True)


@contextmanager
def store_errors(folder: Path) -> Iterator[None]:
    """Name the file and what helps where the database fails."""
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_FULL:
            raise MachineFails(f"{folder / 'run.sqlite'}: {error}: make room there") from error
        is_damaged = _code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
        helps = f": the run is damaged: remove {folder}, or choose another --out" if is_damaged else ""
        raise StoreError(f"{folder / 'run.sqlite'}: {error}{helps}") from error
