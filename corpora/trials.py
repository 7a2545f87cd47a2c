"""Testing the documents of tasks: so many at once, each text once, and what does not change is remembered between runs."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from corpora.causes import cause_of
from corpora.errors import KeptResultsError
from replay.tasks import Filled, Task
from runners.errors import MachineFails
from runners.programs import Programs
from runners.verdicts import Machine, Result

_FORMAT = 4
_FORGOTTEN = frozenset({"infrastructure", "timeout"})
"""Classes that say as much about the machine as about the program: found out anew in each run."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, body BLOB NOT NULL)"
_Key: TypeAlias = str


class Kept:
    """Results of earlier runs in a file of a folder, by a hash of all that they depend on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "results.sqlite"

    def get(self, key: str) -> Result | None:
        """The result under a key.

        Raises:
            KeptResultsError: the file cannot be read.

        """
        with self._open() as database:
            row = database.execute("SELECT body FROM results WHERE key = ?", (key,)).fetchone()
        return msgspec.json.decode(row[0], type=Result) if row else None

    def put(self, key: str, result: Result) -> None:
        """Keep a result.

        Raises:
            KeptResultsError: the file cannot be written.
            MachineFails: there is no room for it.

        """
        with self._open() as database, database:
            database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, msgspec.json.encode(result)))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.file, timeout=30)) as database:
                database.execute(_SCHEMA)
                yield database
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
                raise MachineFails(f"{self.file}: {error}: make room there") from error
            raise KeptResultsError(f"{self.file}: {error}; remove it, and it is made anew") from error


@dataclass(slots=True)
class Trials:
    """Tests filled documents with `programs`, `slots` at a time; `machines` says for each language what runs it here.

    A text is tested once in a run; where the machine failed, whoever asks next makes it try again. Where `trusts`, what a finished or an empty document does comes from an earlier run
    if there was one: it depends on nothing but the corpus and the toolchain.
    """

    programs: Programs
    kept: Kept
    slots: asyncio.Semaphore
    machines: Mapping[str, str] = field(default_factory=dict)
    trusts: bool = True
    machine: Machine = field(default_factory=Machine)
    _begun: dict[_Key, asyncio.Task[Result]] = field(default_factory=dict)

    async def finished(self, task: Task) -> Result:
        """The result of the document with the ground truth in it; `flaky` where it passes once and fails once."""
        return await self._once(task, task.finished, keeps=True)

    async def emptied(self, task: Task) -> Result:
        """The result of the document with nothing in its gap."""
        return await self._once(task, task.emptied, keeps=True)

    async def of(self, task: Task, filled: Filled) -> Result:
        """The result of the document filled in any other way."""
        return await self._once(task, filled, keeps=False)

    async def close(self) -> None:
        """Stop what runs."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)
        await self.programs.close()

    async def _once(self, task: Task, filled: Filled, *, keeps: bool) -> Result:
        key = self._key(task, filled)
        if key not in self._begun:
            self._begun[key] = asyncio.create_task(self._run(task, filled, key, keeps=keeps))
        return await asyncio.shield(self._begun[key])

    async def _run(self, task: Task, filled: Filled, key: _Key, *, keeps: bool) -> Result:
        if keeps and self.trusts and (known := await asyncio.to_thread(self.kept.get, key)):
            return known
        result = await self._result(task, filled)
        if self.trusts and filled.text == task.finished.text and _stays(result, task.tests.program(filled)):
            result = _both(result, await self._result(task, filled))
        if result.klass == "infrastructure":
            del self._begun[key]
        if keeps and _stays(result, task.tests.program(filled)):
            await asyncio.to_thread(self.kept.put, key, result)
        return result

    async def _result(self, task: Task, filled: Filled) -> Result:
        async with self.slots:
            return await self.machine.result(lambda: task.tests.run(filled, self.programs), task.tests.timeout_s)

    def _key(self, task: Task, filled: Filled) -> _Key:
        machine = self.machines.get(task.language, "")
        whole = "\0".join((str(_FORMAT), machine, task.language, task.tests.key(filled)))
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _both(first: Result, again: Result) -> Result:
    """The result of a ground truth that was run twice. What may be the machine's doing is not called flaky."""
    if again.klass in _FORGOTTEN or again.doubt:
        return again
    failed = [result for result in (first, again) if result.klass != "passed"]
    return replace(failed[0], klass="flaky") if len(failed) == 1 else first


def _stays(result: Result, program: str) -> bool:
    """Say whether it will be the same the next time."""
    return not result.doubt and result.klass not in _FORGOTTEN and not _lacks(result, program)


def _lacks(result: Result, program: str) -> bool:
    """Say whether it failed for want of something that may be there the next time: a library, a tool, a network."""
    cause = cause_of(result, program)
    return cause is not None and cause.is_lack
