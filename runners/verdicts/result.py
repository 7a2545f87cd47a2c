"""The classes of a verdict, and what a verdict consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from runners.verdicts.shown_text import LOG_LENGTH, MESSAGE_LENGTH

__all__ = ["CLASSES", "LOG_LENGTH", "MESSAGE_LENGTH", "Result", "VerdictClass"]

VerdictClass = Literal[
    "passed",
    "failed",
    "syntax",
    "indentation",
    "compile",
    "undefined-name",
    "assertion",
    "exception",
    "timeout",
    "memory",
    "output",
    "crashed",
    "infrastructure",
    "flaky",
]
"""`failed` is what no finer class fits."""

CLASSES: tuple[VerdictClass, ...] = get_args(VerdictClass)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one run."""

    verdict_class: VerdictClass
    message: str
    """The first line that says why, at most `MESSAGE_LENGTH` characters; empty for a pass."""
    passed: int | None
    """How many tests passed; None if the runner does not say it."""
    failed: int | None
    """How many tests failed; None if the runner does not say it."""
    log: str
    """The end of what was written, at most `LOG_LENGTH` characters."""
    wall_ms: float
    """The time from start to end; 0 if nothing ran."""
    tests: frozenset[str] | None = None
    """The names of the tests that passed, from the witness (`runners/witness/`) or the JUnit files; None if neither names them."""
    varying: frozenset[str] = frozenset()
    """Of a baseline: tests whose names differ between its two runs, as they contain values. They count by their number."""
    maybe_infrastructure: bool = False
    """The code may have ended this way, and so may the infrastructure: `RetryPolicy` runs it again."""
    first_failed: str = ""
    """Of a run that ends with the first failure: the name of the test that failed, where the witness of its runner says it."""
    failing: frozenset[str] = frozenset()
    """The names of the tests that failed, from the witness or the JUnit files; a log that was cut does not name all."""
    damage: str = ""
    """What is wrong with a JUnit file of the run that could not be read to its end, or at all; empty if none was damaged."""
    reached: frozenset[int] = frozenset()
    """Of a program with probes: the numbers of the statements that were executed (`runners.programs.Program.probes`)."""
