from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from runners.verdicts.wording import LOG_LENGTH, MESSAGE_LENGTH

__all__ = ["CLASSES", "LOG_LENGTH", "MESSAGE_LENGTH", "Class", "Result", "among", "in_full"]

Class = Literal[
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

CLASSES: tuple[Class, ...] = get_args(Class)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one run: its class, the first line that says why, tests passed and failed (None if not told).

    `log` holds the end of what was written (`LOG_LENGTH` characters), `wall_ms` the time from start to end. `tests` are
    the names of the tests that passed, as the witness inside the runner (`runners/witness/`) or its JUnit file told
    them; None if there is none for this runner. `only_counts`: it ended with status 0, and nothing but the summary that it
    wrote is against it.
    """

    klass: Class
    message: str
    passed: int | None
    failed: int | None
    log: str
    wall_ms: float
    tests: frozenset[str] | None = None
    only_counts: bool = False


def in_full(result: Result, finished: Result) -> Result:
    """Return the verdict on a changed project, knowing how the finished one did.

    A pass counts only if as many tests passed as there, and, where a witness named them, the same ones: tests that went
    missing did not pass, and a runner that did not get as far as to name them did not end. Where all were named, a summary
    that counts otherwise is not the runner's last word: others print such lines too. And a command that was found
    there has not gone missing since: that it cannot be found here is no fault of the machine's.
    """
    if result.klass == "infrastructure" and result.wall_ms and finished.klass == "passed":
        return replace(result, klass="failed")
    if result.only_counts and result.tests and finished.tests and finished.tests <= result.tests:
        return replace(result, klass="passed", message="", only_counts=False)
    if result.klass != "passed":
        return result
    if finished.tests is not None:
        return _by_name(result, finished.tests)
    expected = finished.passed or 0
    if (result.passed or 0) >= expected:
        return result
    return replace(result, klass="failed", message=f"only {result.passed or 0} of the project's {expected} tests ran")


def among(finished: Result, only: frozenset[str] | None) -> Result:
    """Return how the finished project did as far as these tests go (None: all)."""
    if only is None or finished.tests is None:
        return finished
    return replace(finished, tests=finished.tests & only)


def _by_name(result: Result, expected: frozenset[str]) -> Result:
    if result.tests is None:
        return replace(result, klass="failed", message="exit status 0, but the test runner never came to its end")
    if not (missing := sorted(expected - result.tests)):
        return result
    told = f"only {len(expected) - len(missing)} of the project's {len(expected)} tests ran: not {missing[0]}"
    return replace(result, klass="failed", message=told[:MESSAGE_LENGTH])
