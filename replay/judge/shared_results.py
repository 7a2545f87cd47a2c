"""Results of tests that several runs share: what is equal is tested once, by whichever run comes first, and counted for each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from replay.judge.kept_results import database_at
from runners.verdicts import Result

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS uses (run TEXT NOT NULL, key TEXT NOT NULL, tested INTEGER NOT NULL, PRIMARY KEY (run, key));
"""
_MACHINES = frozenset({"infrastructure", "timeout"})
"""Classes that say as much about the machine as about the code: each run finds them out by itself."""


@dataclass(frozen=True, slots=True)
class StateCounts:
    """How many states a run tested itself, and how many it had from another run, or from an earlier one in the cache."""

    tested: int
    saved: int


class SharedResults:
    """The results of the runs of one experiment, in a file of its folder. `run` is the name of the one that uses it.

    A state is one text of one document in one project. It counts once for each run, also if the run was killed and tests it again.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self.file, self.run = folder / "results.sqlite", run
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> Result | None:
        """The result under a key, which then counts as saved; None if there is none.

        Raises:
            KeptResultsError: the file cannot be read.

        """
        with database_at(self.file, _SCHEMA) as database, database:
            row = database.execute("SELECT body FROM results WHERE key = ?", (key,)).fetchone()
            if row is not None:
                database.execute("INSERT OR IGNORE INTO uses VALUES (?, ?, 0)", (self.run, key))
        return msgspec.json.decode(row[0], type=Result) if row else None

    def put(self, key: str, result: Result, *, saved: bool = False) -> None:
        """Count a state that was tested (or not, if its result was `saved` in the cache), and keep the result if it says nothing of the machine.

        Raises:
            KeptResultsError: the file cannot be written.
            MachineFails: there is no room for it.

        """
        with database_at(self.file, _SCHEMA) as database, database:
            database.execute("INSERT OR IGNORE INTO uses VALUES (?, ?, ?)", (self.run, key, int(not saved)))
            if may_be_shared(result):
                database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, msgspec.json.encode(result)))

    def walls_ms(self) -> list[float]:
        """How long (ms) each result took to find out that is kept."""
        if not self.file.exists():
            return []
        with database_at(self.file, _SCHEMA) as database:
            bodies = database.execute("SELECT body FROM results").fetchall()
        return [msgspec.json.decode(body, type=Result).wall_ms for (body,) in bodies]

    def counts(self) -> dict[str, StateCounts]:
        """The counts of each run that used the file, by its name."""
        if not self.file.exists():
            return {}
        with database_at(self.file, _SCHEMA) as database:
            rows = database.execute("SELECT run, sum(tested), sum(1 - tested) FROM uses GROUP BY run").fetchall()
        return {run: StateCounts(tested, saved) for run, tested, saved in rows}


@dataclass(frozen=True, slots=True)
class ResultsInScope:
    """The shared results of one project: `scope` is everything that a result depends on beside the text of the state."""

    results: SharedResults
    scope: str

    def key(self, *parts: object) -> str:
        """A hash (hex) of a state: of the scope, and of parts that tell states of the scope apart."""
        return hashlib.sha256(repr((self.scope, *parts)).encode("utf-8", "surrogatepass")).hexdigest()


def may_be_shared(result: Result) -> bool:
    """Whether a result depends on the code alone: not on how busy or how broken the machine was."""
    return result.verdict_class not in _MACHINES and not result.maybe_infrastructure
