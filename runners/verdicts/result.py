from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from runners.verdicts.wording import LOG_LENGTH, MESSAGE_LENGTH

__all__ = ["CLASSES", "LOG_LENGTH", "MESSAGE_LENGTH", "Class", "Result", "among", "both", "in_full"]

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
    wrote is against it. `doubt`: how it ended may be the machine's doing, as it would look just so.
    """

    klass: Class
    message: str
    passed: int | None
    failed: int | None
    log: str
    wall_ms: float
    tests: frozenset[str] | None = None
    only_counts: bool = False
    drawn: frozenset[str] = frozenset()
    doubt: bool = False


def in_full(result: Result, finished: Result, changed: Collection[str] | None = None) -> Result:
    """Return the verdict on a changed project, knowing how the finished one did, and the paths of what was changed (None: any).

    A pass counts only if as many tests passed as there, and, where a witness named them, the same ones: tests that went
    missing did not pass, and a runner that did not get as far as to name them did not end. Where all were named, a summary
    that counts otherwise is not the runner's last word: others print such lines too. And a command that was found
    there has not gone missing since: that it cannot be found here is no fault of the machine's.

    Cases of a parametrised test may be named after what the code under test returns. Where one has gone, it counts as there
    if just as many cases of that test passed as in the finished project; not in a changed file, as that names its cases itself.
    """
    if result.klass == "infrastructure" and result.wall_ms and finished.klass == "passed":
        return replace(result, klass="failed")
    if result.only_counts and result.tests and finished.tests and not _missing(result.tests, finished, changed):
        return replace(result, klass="passed", message="", only_counts=False)
    if result.klass != "passed":
        return result
    if finished.tests is not None:
        return _by_name(result, finished, changed)
    expected = finished.passed or 0
    if (result.passed or 0) >= expected:
        return result
    return replace(result, klass="failed", message=f"only {result.passed or 0} of the project's {expected} tests ran")


def both(first: Result, second: Result) -> Result:
    """Return how the finished project did in two runs: the first result, with the tests that passed in both.

    The others count by their number, where that is the same in both runs.
    """
    if first.tests is None or second.tests is None:
        return first
    here, there = first.tests - second.tests, second.tests - first.tests
    steady = _counted(here).items() & _counted(there).items()
    drawn = frozenset(name for name in here if _test_of(name) in dict(steady))
    return replace(first, tests=first.tests & second.tests, drawn=drawn)


def among(finished: Result, only: frozenset[str] | None) -> Result:
    """Return how the finished project did as far as these tests go (None: all)."""
    if only is None or finished.tests is None:
        return finished
    return replace(finished, tests=finished.tests & only, drawn=finished.drawn & only)


def _by_name(result: Result, finished: Result, changed: Collection[str] | None) -> Result:
    if result.tests is None:
        return replace(result, klass="failed", message="exit status 0, but the test runner never came to its end")
    if not (missing := _missing(result.tests, finished, changed)):
        return result
    number = len(finished.tests or ()) + len(finished.drawn)
    told = f"only {number - len(missing)} of the project's {number} tests ran: not {missing[0]}"
    return replace(result, klass="failed", message=told[:MESSAGE_LENGTH])


def _missing(named: frozenset[str], finished: Result, changed: Collection[str] | None) -> list[str]:
    """Return the tests of the finished project that did not pass under any name that they can have."""
    expected = finished.tests or frozenset()
    before, now = _counted(expected | finished.drawn), _counted(named)
    gone = [
        name
        for name in sorted(expected - named)
        if not (test := _test_of(name)) or now[test] != before[test] or _lies_in(test, changed)
    ]
    return gone + list(_first(finished.drawn, before - now - _counted(gone)))


def _counted(names: Iterable[str]) -> Counter[str]:
    """Return how many cases each parametrised test has; all other tests are counted together."""
    return Counter(map(_test_of, names))


def _first(names: frozenset[str], numbers: Counter[str]) -> Iterator[str]:
    """Yield the first names, so many of each test."""
    for name in sorted(names):
        if numbers[_test_of(name)] > 0:
            numbers[_test_of(name)] -= 1
            yield name


def _test_of(name: str) -> str:
    """Return the parametrised test that a name of pytest's is a case of (parameters in brackets); "" for other names."""
    file, python, rest = name.partition(".py::")
    test, bracket, _ = rest.partition("[")
    return f"{file}{python}{test}" if bracket and name.endswith("]") else ""


def _lies_in(test: str, changed: Collection[str] | None) -> bool:
    """Say whether a test's file is one of these; pytest's path may begin further inside the project."""
    file = test.partition("::")[0]
    return changed is None or any(path == file or path.endswith(f"/{file}") for path in changed)
