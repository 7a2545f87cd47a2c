"""What can go wrong in a corpus.

CorpusError
├── ScriptError    a script of the typist cannot be typed
└── HistoryError   the commits of a repository cannot be read
"""

from __future__ import annotations


class CorpusError(Exception):
    """Root of what this package raises."""


class ScriptError(CorpusError):
    """A step of a script cannot be typed: `SCRIPT: step N: reason` (steps count from 1)."""

    def __init__(self, script: str, step: int, reason: str) -> None:
        super().__init__(f"{script}: step {step}: {reason}")
        self.script, self.step, self.reason = script, step, reason


class HistoryError(CorpusError):
    """A git repository, a range of its commits, or an object of it is not there; the message says what to do."""
