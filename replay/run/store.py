"""A run on disk: a folder with `config.toml` and `run.sqlite` (WAL). Each record is committed at once."""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from replay.errors import StoreError
from replay.options import ClusterBy
from replay.records import ANSWERED, ArmTrial, Record
from replay.run.folders import make_folder, refuse_in_use
from replay.run.listing.listing import VERSION as LISTED
from replay.run.listing.listing import Listing
from replay.run.storage.database import connect, store_errors
from replay.run.storage.locks import is_locked, lock_folder
from replay.run.storage.record_bodies import encoded, whole_text, with_texts
from runners.errors import MachineFails


class Store:
    """One run's folder. Use as a context manager, or close it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.folder, self._db, self._lock = folder, connection, lock
        self.listing = Listing(connection, whole_text, self.record)

    @classmethod
    def create(cls, folder: Path, config: dict[str, Any]) -> Store:
        """Make the folder of a new run.

        Raises:
            StoreError: the folder holds a run or a `config.toml` of something else already, or cannot be written.

        """
        if (folder / "run.sqlite").exists():
            raise StoreError(f"{folder} holds a run already: choose another --out, or remove it first")
        kept = msgspec.toml.encode(_without_none(config))
        try:
            refuse_in_use(folder)
            make_folder(folder)
            if (folder / "config.toml").exists() and (folder / "config.toml").read_bytes() != kept:
                raise StoreError(f"{folder} holds a config.toml of something else than a run: choose another --out")
            _write_whole(folder / "config.toml", kept)
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            made = cls(folder, connect(folder))
            made.put_fact("listing", LISTED)
        except (MachineFails, StoreError):  # a run that could not begin blocks no other one
            for name in ("run.sqlite", "run.sqlite-wal", "run.sqlite-shm", "config.toml"):
                (folder / name).unlink(missing_ok=True)
            raise
        return made

    @classmethod
    def continued(cls, folder: Path, config: dict[str, Any]) -> Store:
        """Open the folder of a run with the same configuration; make the folder if there is none.

        A run in which no question was answered holds nothing to continue: under another configuration it begins anew.

        Raises:
            StoreError: the folder holds a run of another configuration, or cannot be written.

        """
        folder_is_new = not (folder / "run.sqlite").exists()
        store = cls.create(folder, config) if folder_is_new else cls.open(folder)
        store.lock()
        if store.config != _as_kept(config) and not store.is_answered:
            store.begin_anew(config)
        if store.config != _as_kept(config):
            differs = ", ".join(differing(store.config, _as_kept(config)))
            store.close()
            raise StoreError(
                f"{folder} holds a run of another configuration ({differs}): choose another --out, or remove it first"
            )
        return store

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open the folder of a run.

        Raises:
            StoreError: there is no run in it.

        """
        if not (folder / "run.sqlite").is_file():
            raise StoreError(f"{folder} holds no run (there is no run.sqlite in it)")
        return cls(folder, connect(folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def lock(self) -> None:
        """Keep the run for this process until it is closed.

        Raises:
            StoreError: another process writes it.

        """
        self._lock = lock_folder(self.folder)

    def close(self) -> None:
        """Close the database, and let others write to the run."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def config(self) -> dict[str, Any]:
        """The configuration that the run was made with."""
        try:
            return msgspec.toml.decode((self.folder / "config.toml").read_bytes(), type=dict[str, Any])
        except (OSError, msgspec.DecodeError) as error:
            raise StoreError(
                f"{self.folder / 'config.toml'} cannot be read ({error}): the run is incomplete"
            ) from error

    @property
    def is_answered(self) -> bool:
        """Whether any question of the run was answered, or any answer tried."""
        answered = f"SELECT 1 FROM records WHERE ending IN ({', '.join('?' * len(ANSWERED))}) LIMIT 1"  # noqa: S608 - only marks
        return bool(self._rows(answered, *ANSWERED) or self._rows("SELECT 1 FROM trials LIMIT 1"))

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query.

        Raises:
            StoreError: the file is damaged.

        """
        with store_errors(self.folder):
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit what is written within, all of it or nothing."""
        with store_errors(self.folder), self._db:
            yield
            self.before_commit()

    def before_commit(self) -> None:
        """Do nothing, each time before something is committed. What a subclass raises here keeps that from the disk, as the end of the process would."""

    def begin_anew(self, config: dict[str, Any]) -> None:
        """Take another configuration, and forget every record and fact.

        Raises:
            StoreError: the folder cannot be written.

        """
        self.forget([moment for (moment,) in self._rows("SELECT moment FROM records")])
        with self._transaction():
            self._db.execute("DELETE FROM facts WHERE name != 'listing'")
        try:
            (self.folder / "answers.jsonl").unlink(missing_ok=True)
            _write_whole(self.folder / "config.toml", msgspec.toml.encode(_without_none(config)))
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def put(self, record: Record) -> None:
        """Store a record; it replaces an earlier one for the same moment. Committed on return."""
        self.put_all((record,))

    def put_all(self, records: Iterable[Record]) -> None:
        """Store records as `put` does, in one commit."""
        with self._transaction():
            for record in records:
                self._put(record)

    def _put(self, record: Record) -> None:
        body = encoded(self._shortened(record))
        verdict = record.verdict.name if record.verdict else None
        moment = record.moment
        self._db.execute(
            "INSERT INTO records (moment, tape, event, ending, verdict, body) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (moment) DO UPDATE SET ending=excluded.ending, verdict=excluded.verdict, body=excluded.body",
            (moment.id, whole_text(moment.tape), moment.event, record.ending.name, verdict, zlib.compress(body)),
        )
        (number,) = self._db.execute("SELECT number FROM records WHERE moment = ?", (moment.id,)).fetchone()
        self.listing.put(record, number)

    def forget(self, moments: Iterable[str]) -> None:
        """Remove the records and trials of moments by their ids."""
        ids = [(moment,) for moment in moments]
        with self._transaction():
            for table in ("listing", "searched", "functions", "programs"):
                numbers = f"DELETE FROM {table} WHERE number = (SELECT number FROM records WHERE moment = ?)"  # noqa: S608 - a name of ours
                self._db.executemany(numbers, ids)
            self._db.executemany("DELETE FROM records WHERE moment = ?", ids)
            self._db.executemany("DELETE FROM trials WHERE moment = ?", ids)

    def records(self) -> Iterator[Record]:
        """All records in the order of their tapes and events.

        Raises:
            StoreError: one cannot be read.

        """
        rows = self._rows("SELECT body FROM records ORDER BY tape, event, number")
        for number, (body,) in enumerate(rows, 1):
            yield self._read(body, f"record {number} of {len(rows)}")

    def count(self) -> int:
        """How many records there are."""
        ((number,),) = self._rows("SELECT count(*) FROM records")
        return int(number)

    def record(self, number: int) -> Record:
        """The record of a number (`Listing.order`).

        Raises:
            StoreError: there is none, or it cannot be read.

        """
        rows = self._rows("SELECT body FROM records WHERE number = ?", number)
        if not rows:
            raise StoreError(f"{self.folder / 'run.sqlite'}: there is no record {number} any more")
        return self._read(rows[0][0], f"record {number}")

    def _read(self, body: bytes, which: str) -> Record:
        try:
            return self._restored(msgspec.json.decode(zlib.decompress(body), type=Record))
        except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.folder / 'run.sqlite'} cannot be read: {which}: {error}") from error

    def number_of(self, moment: str) -> int | None:
        """Return the number of a moment's record, by the moment's id; None if there is none."""
        rows = self._rows("SELECT number FROM records WHERE moment = ?", moment)
        return int(rows[0][0]) if rows else None

    @property
    def is_written(self) -> bool:
        """Whether a process writes the run now."""
        return is_locked(self.folder)

    def put_trial(self, trial: ArmTrial) -> None:
        """Store the result of a moment's answer in one arm of an ablation. Committed on return."""
        row = (trial.moment, trial.arm, trial.tape, trial.verdict.name, zlib.compress(encoded(trial)))
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?)", row)

    def trials(self) -> Iterator[ArmTrial]:
        """All stored trials, in their order; none if the run has no ablation."""
        rows = self._rows("SELECT body FROM trials ORDER BY rowid")
        return (msgspec.json.decode(zlib.decompress(body), type=ArmTrial) for (body,) in rows)

    def put_fact(self, name: str, value: Any) -> None:
        """Store a named JSON value about the whole run (baselines, left-out tapes, how the run ended)."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, encoded(value)))

    def fact(self, name: str) -> Any:
        """A named value, or None."""
        rows = self._rows("SELECT body FROM facts WHERE name = ?", name)
        return msgspec.json.decode(rows[0][0]) if rows else None

    def remove_facts(self, *names: str) -> None:
        """Remove named values; those that are not there are passed over."""
        with self._transaction():
            self._db.executemany("DELETE FROM facts WHERE name = ?", [(name,) for name in names])

    @property
    def cluster_by(self) -> ClusterBy:
        """By what the figures of the run are clustered. A run of an older version does not say: then what its command takes by default."""
        by: ClusterBy = self.fact("cluster_by") or ("program" if "corpus" in self.config else "hole")
        return by

    def _shortened(self, record: Record) -> Record:
        return with_texts(record, self._keep)

    def _restored(self, record: Record) -> Record:
        return with_texts(record, self._text)

    def _keep(self, text: str) -> str:
        data: bytes = whole_text(text).encode()
        sha = hashlib.sha256(data).hexdigest()
        self._db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (sha, zlib.compress(data)))
        return sha

    def _text(self, sha: str) -> str:
        rows = self._rows("SELECT body FROM texts WHERE sha = ?", sha)
        return zlib.decompress(rows[0][0]).decode() if rows else ""


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole, or as it was."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _unwritable(folder: Path, error: OSError) -> StoreError | MachineFails:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return MachineFails(f"{folder} cannot be written: {error.strerror}: make room there, or choose another --out")
    return StoreError(f"{folder} cannot be written: {error.strerror}")


def _as_kept(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration in the form in which it will be read back."""
    return msgspec.toml.decode(msgspec.toml.encode(_without_none(config)), type=dict[str, Any])


def differing(kept: Any, wanted: Any, place: str = "") -> Iterator[str]:
    """The settings in which two configurations differ, by their dotted names."""
    if not (isinstance(kept, dict) and isinstance(wanted, dict)):
        yield place
        return
    for name in sorted(kept.keys() | wanted.keys()):
        if kept.get(name) != wanted.get(name):
            yield from differing(kept.get(name), wanted.get(name), f"{place}.{name}".lstrip("."))


def _without_none(value: Any) -> Any:
    """A value without its members that are None, because TOML has no null."""
    if not isinstance(value, dict):
        return value
    return {key: _without_none(item) for key, item in value.items() if item is not None}
