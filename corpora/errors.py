"""What can go wrong in a corpus.

CorpusError
├── ScriptError    a script of the typist cannot be typed
├── HistoryError   the commits of a repository cannot be read
├── DataError      the data of a benchmark is missing or malformed
└── FetchError     the data of a benchmark cannot be fetched, or is not that of the benchmark
"""

from __future__ import annotations

from pathlib import Path


class CorpusError(Exception):
    """Root of what this package raises."""


class ScriptError(CorpusError):
    """A step of a script cannot be typed: `SCRIPT: step N: reason` (steps count from 1)."""

    def __init__(self, script: str, step: int, reason: str) -> None:
        super().__init__(f"{script}: step {step}: {reason}")
        self.script, self.step, self.reason = script, step, reason


class HistoryError(CorpusError):
    """A git repository, a range of its commits, or an object of it is not there; the message says what to do."""


class DataError(CorpusError):
    """The data of a benchmark is missing or malformed: `FILE:LINE: reason`, or `FOLDER: reason`."""

    def __init__(self, file: Path, line: int, reason: str) -> None:
        super().__init__(f"{file}:{line}: {reason}" if line else f"{file}: {reason}")
        self.file, self.line, self.reason = file, line, reason


class FetchError(CorpusError):
    """The data of a benchmark cannot be fetched, or what came is not that of the benchmark; the message says what to do."""
