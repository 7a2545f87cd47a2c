"""How many tests ran, read from the summary that each test runner writes at its end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

NOT_FOUND = 127
"""The exit status of a shell that cannot find a command."""


@dataclass(frozen=True, slots=True)
class TestCounts:
    """What a runner counted: tests that were executed and passed, and tests (or files) that failed."""

    runner: str
    passed: int
    failed: int


def count_tests(text: str, command: str) -> TestCounts | None:
    """Return what the runner named in the command counted, else the first runner whose summary is in the text.

    A runner that is named but wrote no summary did not finish: it counts as nothing executed.
    None means that the command is no known test runner, so that only its exit status can speak.
    """
    for name, (named, count) in _RUNNERS.items():
        if named.search(command):
            return count(text) or TestCounts(name, 0, 0)
    return next((found for _, count in _RUNNERS.values() if (found := count(text))), None)


_PYTEST = re.compile(
    r"^(?:=+ )?((?:\d+ (?:subtests )?[a-z]+(?:, )?)+|no tests ran) in [\d.]+(?:s| seconds)\b.*$", re.MULTILINE
)
_UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.MULTILINE)
_NODE = re.compile(r"^(?:#|ℹ|\t?<!--) (pass|fail|cancelled) (\d+)(?: -->)?$", re.MULTILINE)  # noqa: RUF001 - node's own sign
_NODE_FILE = re.compile(r"^(?:ok \d+ - |✔ )\S*/\S*\.[cm]?[jt]sx?(?: \([\d.]+ms\))?$", re.MULTILINE)
_VITEST = re.compile(r"^ +Tests +(.*)$", re.MULTILINE)


def _pytest(text: str) -> TestCounts | None:
    if not (summaries := _PYTEST.findall(text)):
        return None
    counts = _counts(summaries[-1])
    return TestCounts(
        "pytest", counts["passed"] + counts["xpassed"], counts["failed"] + counts["error"] + counts["errors"]
    )


def _unittest(text: str) -> TestCounts | None:
    if not (summaries := _UNITTEST.findall(text)):
        return None
    ran, notes = summaries[-1]
    counts = {name: int(number) for name, number in re.findall(r"([a-z ]+)=(\d+)", notes)}
    failed = sum(counts.get(name, 0) for name in ("failures", "errors", " errors", " unexpected successes"))
    skipped = sum(number for name, number in counts.items() if "skipped" in name or "expected failures" in name)
    return TestCounts("unittest", max(0, int(ran) - failed - skipped), failed)


def _node(text: str) -> TestCounts | None:
    """Count as `node --test` does, less the files without tests, each of which it counts as one that passed."""
    counts = {name: int(number) for name, number in _NODE.findall(text)}
    if "pass" not in counts:
        return None
    passed = counts["pass"] - len(_NODE_FILE.findall(text))
    return TestCounts("node --test", max(0, passed), counts.get("fail", 0) + counts.get("cancelled", 0))


def _vitest(text: str) -> TestCounts | None:
    if not (summaries := _VITEST.findall(text)):
        return None
    counts = _counts(summaries[-1])
    return TestCounts("vitest", counts["passed"], counts["failed"])


class _Counts(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return 0


def _counts(summary: str) -> _Counts:
    """Return the numbers in a line such as "1 failed, 2 passed" by name."""
    return _Counts({name: int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", summary)})


_JEST = re.compile(r"^Tests: +(.*\btotal)$", re.MULTILINE)
_MOCHA = re.compile(r"^ +(\d+) (passing|failing)\b", re.MULTILINE)
_TAPE = re.compile(r"^# (tests|pass|fail) {1,2}(\d+)$", re.MULTILINE)
_AVA = re.compile(
    r"^ +(\d+) ((?:tests?|hooks?|uncaught|unhandled) )(passed|failed|timed out|exception|rejection)s?$", re.MULTILINE
)
_MAVEN = re.compile(
    r"^(?:\[\w+\] )?Tests run: +(\d+), +Failures: (\d+)(?:, Errors: (\d+), Skipped: (\d+))?$", re.MULTILINE
)
_JUNIT = re.compile(r"^\[ +(\d+) tests (successful|failed) +\]$", re.MULTILINE)
_JUNIT4 = re.compile(r"^OK \((\d+) tests?\)$", re.MULTILINE)
_GRADLE = re.compile(r"^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
_GO_TEST = re.compile(r"^--- (PASS|FAIL): ", re.MULTILINE)
_GO_PACKAGE = re.compile(
    r"^(ok|FAIL)\s+\S+\s+(?:\(cached\)|[\d.]+s|\[build failed\]|\[setup failed\])(?! *\[no tests)", re.MULTILINE
)
_CARGO = re.compile(r"^test result: \S+ (\d+) passed; (\d+) failed;", re.MULTILINE)
_CTEST = re.compile(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)$", re.MULTILINE)
_DOCTEST = re.compile(r"^\[doctest\] test cases: +\d+ \| +(\d+) passed \| +(\d+) failed\b", re.MULTILINE)
_DOTNET = re.compile(r"^[ \t]*\w+! +- Failed: +(\d+), Passed: +(\d+), Skipped: +\d+", re.MULTILINE)


def _jest(text: str) -> TestCounts | None:
    if not (summaries := _JEST.findall(text)):
        return None
    counts = _counts(summaries[-1])
    return TestCounts("jest", counts["passed"], counts["failed"])


def _mocha(text: str) -> TestCounts | None:
    counts = _Counts({name: int(number) for number, name in _MOCHA.findall(text)})
    return TestCounts("mocha", counts["passing"], counts["failing"]) if counts else None


def _tape(text: str) -> TestCounts | None:
    """Count assertions, as tape does."""
    counts = {name: int(number) for name, number in _TAPE.findall(text)}
    return TestCounts("tape", counts.get("pass", 0), counts.get("fail", 0)) if "tests" in counts else None


def _ava(text: str) -> TestCounts | None:
    """Count tests; hooks and files that end with an error are failures."""
    rows = _AVA.findall(text)
    passed = sum(int(number) for number, _, word in rows if word == "passed")
    failed = sum(int(number) for number, _, word in rows if word in {"failed", "timed out", "exception", "rejection"})
    return TestCounts("ava", passed, failed) if rows else None


def _maven(text: str) -> TestCounts | None:
    """Add up the modules; the lines that tell a time are of single classes, which are counted in them."""
    rows = [[int(number or 0) for number in row] for row in _MAVEN.findall(text)]
    if not rows:
        return None
    ran, failures, errors, skipped = (sum(column) for column in zip(*rows, strict=True))
    return TestCounts("maven", max(0, ran - failures - errors - skipped), failures + errors)


def _junit(text: str) -> TestCounts | None:
    counts = _Counts({name: int(number) for number, name in _JUNIT.findall(text)})
    if counts:
        return TestCounts("junit", counts["successful"], counts["failed"])
    found = _JUNIT4.findall(text)
    return TestCounts("junit", int(found[-1]), 0) if found else None


def _gradle(text: str) -> TestCounts | None:
    """Gradle counts only where something failed; what passed stands in its JUnit files."""
    if not (found := _GRADLE.findall(text)):
        return None
    ran, failed, skipped = (int(number or 0) for number in found[-1])
    return TestCounts("gradle", max(0, ran - failed - skipped), failed)


def _go(text: str) -> TestCounts | None:
    """Count tests where they are told (`-v`), packages else."""
    words = _GO_TEST.findall(text) or _GO_PACKAGE.findall(text)
    failed = sum(word == "FAIL" for word in words)
    return TestCounts("go test", len(words) - failed, failed) if words else None


def _cargo(text: str) -> TestCounts | None:
    rows = _CARGO.findall(text)
    return (
        TestCounts("cargo test", sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)) if rows else None
    )


def _ctest(text: str) -> TestCounts | None:
    if not (found := _CTEST.findall(text)):
        return None
    failed, ran = (int(number) for number in found[-1])
    return TestCounts("ctest", max(0, ran - failed), failed)


def _doctest(text: str) -> TestCounts | None:
    """Add up the programs: each writes a summary of its own."""
    rows = _DOCTEST.findall(text)
    return TestCounts("doctest", sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)) if rows else None


def _dotnet(text: str) -> TestCounts | None:
    rows = _DOTNET.findall(text)
    return (
        TestCounts("dotnet test", sum(int(row[1]) for row in rows), sum(int(row[0]) for row in rows)) if rows else None
    )


_RUNNERS: dict[str, tuple[re.Pattern[str], Callable[[str], TestCounts | None]]] = {
    "pytest": (re.compile(r"\b(?:pytest|py\.test)\b"), _pytest),
    "unittest": (re.compile(r"\bunittest\b"), _unittest),
    "node --test": (re.compile(r"\bnode\b.* --test\b"), _node),
    "vitest": (re.compile(r"\bvitest\b"), _vitest),
    "jest": (re.compile(r"\bjest\b"), _jest),
    "mocha": (re.compile(r"\bmocha\b"), _mocha),
    "tape": (re.compile(r"\btape\b"), _tape),
    "ava": (re.compile(r"\bava\b"), _ava),
    "maven": (re.compile(r"\bmvnw?\b"), _maven),
    "gradle": (re.compile(r"\bgradlew?\b"), _gradle),
    "go test": (re.compile(r"\bgo test\b"), _go),
    "cargo test": (re.compile(r"\bcargo (?:\S+ )*test\b"), _cargo),
    "ctest": (re.compile(r"\bctest\b"), _ctest),
    "dotnet test": (re.compile(r"\bdotnet test\b"), _dotnet),
    "doctest": (re.compile(r"(?!)"), _doctest),  # of C++: no command names it, and Python has another of that name
    "junit": (re.compile(r"\bjunit\b"), _junit),
}
