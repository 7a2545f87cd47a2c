"""How many tests ran, read from the summary that each test runner writes at its end."""

from __future__ import annotations

import re
from collections import Counter
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

    A runner that is named but wrote neither its summary nor, where it may, a TAP document did not finish: it counts as nothing executed.
    None means that the command is no known test runner, so that only its exit status can speak.
    """
    for name, (named, count) in _RUNNERS.items():
        if named.search(command):
            may_be_tap = name in _JAVASCRIPT or (name != "pytest" and _WRITES_TAP.search(command))
            return count(text) or (_tap(name, text) if may_be_tap else None) or TestCounts(name, 0, 0)
    return next((found for _, count in _RUNNERS.values() if (found := count(text))), None)


_PYTEST = re.compile(
    r"^(?:=+ )?((?:\d+ (?:subtests )?[a-z]+(?:, )?)+|no tests ran) in [\d.]+(?:s| seconds)\b.*$", re.MULTILINE
)
_UNITTEST = re.compile(
    r"^Ran (\d+) tests? in [\d.]+s(?: using .*)?\n+(?:OK|PASSED|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.MULTILINE
)
_UNITTEST_FAILURE = re.compile(r"^={20,}\n(?:FAIL|ERROR): (\S+ \(\S+\))( [\[(])?", re.MULTILINE)
"""The heading of a failure: its test, and the beginning of what names a subtest (`[message]`, `(i=1)`)."""
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
    """Count tests of the last run; each failed subtest has a heading and is counted, but the test has failed once.

    The words are those of unittest, nose, nose2, green, testtools and trial.
    """
    if not (summaries := list(_UNITTEST.finditer(text))):
        return None
    ran, notes = summaries[-1].groups("")
    counts = _Counts()
    for name, number in re.findall(r"(\w[a-z_ ]*)=(\d+)", notes, re.IGNORECASE):
        counts[name.lower().replace(" ", "").replace("_", "")] += int(number)
    before = summaries[-2].end() if len(summaries) > 1 else 0
    headings = Counter[str]()
    subtests = Counter[str]()
    for name, suffix in _UNITTEST_FAILURE.findall(text, before, summaries[-1].start()):
        headings[name] += 1
        subtests[name] += bool(suffix)
    again = sum(min(subtests[name], number - 1) for name, number in headings.items())
    failed = sum(counts[name] for name in ("failures", "errors", "unexpectedsuccesses")) - again
    skipped = sum(counts[name] for name in ("skipped", "skip", "skips", "expectedfailures", "todos"))
    return TestCounts("unittest", max(0, int(ran) - max(0, failed) - skipped), max(0, failed))


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
_AVA = re.compile(
    r"^ +(\d+) ((?:tests?|hooks?|uncaught|unhandled) )(passed|failed|timed out|exception|rejection)s?$", re.MULTILINE
)
_TAP_TEST = re.compile(r"^(not )?ok\b(.* # (?i:todo|skip)\b)?", re.MULTILINE)
_TAP_PLAN = re.compile(r"^1\.\.(\d{1,9})$", re.MULTILINE)
_WRITES_TAP = re.compile(r"\btap\b")
"""A command that asks its runner for TAP, as `--reporter tap` does."""
_TAP_COUNT = re.compile(r"^# (pass|fail) {1,2}(\d+)$", re.MULTILINE)
_NODE_TAP = re.compile(r"^# \{ total: \d+(.*) \}$", re.MULTILINE)
_JASMINE = re.compile(r"^(?:Incomplete: )?(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$", re.MULTILINE)
_UVU = re.compile(r"^  (Total|Passed|Skipped): +(\d+)$", re.MULTILINE)
_BRITTLE = re.compile(r"^# tests = (\d+)/(\d+) pass$", re.MULTILINE)
_POKU = re.compile(r"^(PASS|FAIL) › (\d+)$", re.MULTILINE)  # noqa: RUF001 - poku's own sign
_BUN = re.compile(r"^ (\d+) (pass|fail)$", re.MULTILINE)
_DENO = re.compile(r"^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed\b", re.MULTILINE)
_MAVEN = re.compile(
    r"^(?:\[\w+\] )?Tests run: +(\d+), +Failures: (\d+)(?:, Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?)?$",
    re.MULTILINE,
)
_JUNIT = re.compile(r"^\[ +(\d+) tests (successful|failed) +\]$", re.MULTILINE)
_JUNIT4 = re.compile(r"^OK \((\d+) tests?\)$", re.MULTILINE)
_GRADLE = re.compile(r"^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
# A test may have written a line without an end before it.
_GO_TEST = re.compile(r"--- (PASS|FAIL): [^\s/]+ \([\d.]+s\)$", re.MULTILINE)
_GO_JSON = re.compile(r'^\{.*"Action":"(pass|fail)".*"Test":"[^"/]+".*\}$', re.MULTILINE)
_GO_PACKAGE = re.compile(r"^(ok|FAIL)\s+\S+\s+(?:\(cached\)|[\d.]+s)(?! *\[no tests)", re.MULTILINE)
_GO_UNBUILT = re.compile(r"^FAIL\s+\S+\s+\[(?:build|setup) failed\]$", re.MULTILINE)
_GOTESTSUM = re.compile(
    r"^DONE (?:\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, (\d+) errors?)? in ", re.MULTILINE
)
_CARGO = re.compile(
    r"^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored; \d+ measured; \d+ filtered out",
    re.MULTILINE,
)
_NEXTEST = re.compile(r"^ +Summary \[ *[\d.]+s\] [\d/]+ tests? run: (\d+) passed\b(.*)$", re.MULTILINE)
_CTEST = re.compile(r"^\d+% tests passed(?:, (\d+) tests? failed)? out of (\d+)$", re.MULTILINE)
_CTEST_SKIPPED = re.compile(r"^[ \t]+\d+ - .* \(Skipped\)$", re.MULTILINE)
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


def _tap(runner: str, text: str) -> TestCounts | None:
    """Count the tests of TAP documents (https://testanything.org): those of the outermost level, but for what is skipped or still to be written.

    None if the documents are not complete: their plans (`1..N`) together must name as many tests as there are.
    """
    tests = _TAP_TEST.findall(text)
    if not tests or sum(int(number) for number in _TAP_PLAN.findall(text)) != len(tests):
        return None
    words = [word for word, left_out in tests if not left_out]
    failed = sum(map(bool, words))
    return TestCounts(runner, len(words) - failed, failed) if words else None


def _tape(text: str) -> TestCounts | None:
    """Count assertions, as tape does behind its plan; before that, comments of tests look the same."""
    plans = list(_TAP_PLAN.finditer(text))
    counts = _Counts(
        {name: int(number) for name, number in _TAP_COUNT.findall(text, plans[-1].end() if plans else len(text))}
    )
    return TestCounts("tape", counts["pass"], counts["fail"]) if "pass" in counts else None


def _node_tap(text: str) -> TestCounts | None:
    """Count assertions, as node-tap does."""
    if not (summaries := _NODE_TAP.findall(text)):
        return None
    counts = {name: int(number) for name, number in re.findall(r"(\w+): (\d+)", summaries[-1])}
    return TestCounts("tap", counts.get("pass", 0), counts.get("fail", 0))


def _jasmine(text: str) -> TestCounts | None:
    if not (found := _JASMINE.findall(text)):
        return None
    ran, failed, pending = (int(number or 0) for number in found[-1])
    return TestCounts("jasmine", max(0, ran - failed - pending), failed)


def _uvu(text: str) -> TestCounts | None:
    counts = _Counts({name: int(number) for name, number in _UVU.findall(text)})
    return TestCounts("uvu", counts["Passed"], counts["Total"] - counts["Passed"]) if "Total" in counts else None


def _brittle(text: str) -> TestCounts | None:
    """Count tests as brittle does, which counts the skipped ones as passed, less these."""
    if not (found := _BRITTLE.findall(text)):
        return None
    passed, ran = (int(number) for number in found[-1])
    counted = _tap("brittle", text)
    return TestCounts("brittle", counted.passed if counted else 0, ran - passed)


def _poku(text: str) -> TestCounts | None:
    """Count files, as poku does."""
    counts = _Counts({name: int(number) for name, number in _POKU.findall(text)})
    return TestCounts("poku", counts["PASS"], counts["FAIL"]) if counts else None


def _bun(text: str) -> TestCounts | None:
    counts = _Counts({name: int(number) for number, name in _BUN.findall(text)})
    return TestCounts("bun test", counts["pass"], counts["fail"]) if "fail" in counts else None


def _deno(text: str) -> TestCounts | None:
    rows = _DENO.findall(text)
    return TestCounts("deno test", int(rows[-1][0]), int(rows[-1][1])) if rows else None


def _ava(text: str) -> TestCounts | None:
    """Count tests; hooks and files that end with an error are failures. How many passed it says only where none failed."""
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
    """Count tests where they are reported (`-v`, `-json`), else packages that passed and tests that failed."""
    if summaries := _GOTESTSUM.findall(text):
        ran, skipped, failures, errors = (int(number or 0) for number in summaries[-1])
        return TestCounts("gotestsum", max(0, ran - skipped - failures), failures + errors)
    tests = [word.upper() for word in _GO_JSON.findall(text)] or _GO_TEST.findall(text)
    packages = _GO_PACKAGE.findall(text)
    passed = tests.count("PASS") or packages.count("ok")
    failed = (tests.count("FAIL") or packages.count("FAIL")) + len(_GO_UNBUILT.findall(text))
    return TestCounts("go test", passed, failed) if tests or packages or failed else None


def _cargo(text: str) -> TestCounts | None:
    """Add up the programs: each writes a summary of its own; nextest writes one for all."""
    if found := _NEXTEST.findall(text):
        passed, rest = found[-1]
        failed = sum(int(number) for number in re.findall(r"(\d+) (?:failed|timed out|exec failed)\b", rest))
        return TestCounts("cargo nextest", int(passed), failed)
    rows = _CARGO.findall(text)
    return (
        TestCounts("cargo test", sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)) if rows else None
    )


def _ctest(text: str) -> TestCounts | None:
    if not (found := _CTEST.findall(text)):
        return None
    failed, ran = (int(number or 0) for number in found[-1])
    return TestCounts("ctest", max(0, ran - failed - len(_CTEST_SKIPPED.findall(text))), failed)


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
    "unittest": (re.compile(r"\b(?:unittest|nose2|nosetests|trial)\b"), _unittest),
    "node --test": (re.compile(r"\bnode\b.* --test\b"), _node),
    "vitest": (re.compile(r"\bvitest\b"), _vitest),
    "jest": (re.compile(r"\bjest\b"), _jest),
    "mocha": (re.compile(r"\bmocha\b"), _mocha),
    "tape": (re.compile(r"\btape\b"), _tape),
    "tap": (re.compile(r"(?<![-=])\btap\b"), _node_tap),
    "jasmine": (re.compile(r"\bjasmine\b"), _jasmine),
    "uvu": (re.compile(r"\buvu\b"), _uvu),
    "qunit": (re.compile(r"\bqunit\b"), lambda text: _tap("qunit", text)),
    "brittle": (re.compile(r"\bbrittle\b"), _brittle),
    "poku": (re.compile(r"\bpoku\b"), _poku),
    "bun test": (re.compile(r"\bbun (?:\S+ )*test\b"), _bun),
    "deno test": (re.compile(r"\bdeno (?:\S+ )*test\b"), _deno),
    "ava": (re.compile(r"\bava\b"), _ava),
    "maven": (re.compile(r"\bmvnw?\b"), _maven),
    "gradle": (re.compile(r"\bgradlew?\b"), _gradle),
    "go test": (re.compile(r"\bgo test\b|\bgotestsum\b"), _go),
    "cargo test": (re.compile(r"\bcargo (?:\S+ )*(?:test|nextest)\b"), _cargo),
    "ctest": (re.compile(r"\bctest\b"), _ctest),
    "dotnet test": (re.compile(r"\bdotnet test\b"), _dotnet),
    "doctest": (re.compile(r"(?!)"), _doctest),  # of C++: no command names it, and Python has another of that name
    "junit": (re.compile(r"\bjunit\b"), _junit),
}
_JAVASCRIPT = frozenset(
    [
        "node --test",
        "vitest",
        "jest",
        "mocha",
        "tape",
        "tap",
        "jasmine",
        "uvu",
        "qunit",
        "brittle",
        "poku",
        "bun test",
        "deno test",
        "ava",
    ]
)
"""Runners that may write TAP without being asked: each of them has a reporter or a package for it."""
