"""How many tests ran, read from the summary that each test runner writes at its end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

NOT_FOUND = 127
"""The exit status of a shell that cannot find a command."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What a runner counted: tests that were executed and passed, and tests (or files) that failed."""

    runner: str
    passed: int
    failed: int


def tally(text: str, command: str) -> Tally | None:
    """Return what the runner named in the command counted, else the first runner whose summary is in the text.

    A runner that is named but wrote no summary did not finish: it counts as nothing executed.
    None means that the command is no known test runner, so that only its exit status can speak.
    """
    for name, (named, count) in _RUNNERS.items():
        if named.search(command):
            return count(text) or Tally(name, 0, 0)
    return next((found for _, count in _RUNNERS.values() if (found := count(text))), None)


_PYTEST = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s\b.*$", re.MULTILINE)
_UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.MULTILINE)
_NODE = re.compile(r"^(?:#|ℹ) (pass|fail|cancelled) (\d+)$", re.MULTILINE)  # noqa: RUF001 - node's own sign
_NODE_FILE = re.compile(r"^(?:ok \d+ - |✔ )\S*/\S*\.[cm]?[jt]sx?(?: \([\d.]+ms\))?$", re.MULTILINE)
_VITEST = re.compile(r"^ +Tests +(.*)$", re.MULTILINE)


def _pytest(text: str) -> Tally | None:
    if not (summaries := _PYTEST.findall(text)):
        return None
    counts = _counts(summaries[-1])
    return Tally("pytest", counts["passed"] + counts["xpassed"], counts["failed"] + counts["error"] + counts["errors"])


def _unittest(text: str) -> Tally | None:
    if not (summaries := _UNITTEST.findall(text)):
        return None
    ran, notes = summaries[-1]
    counts = {name: int(number) for name, number in re.findall(r"([a-z ]+)=(\d+)", notes)}
    failed = sum(counts.get(name, 0) for name in ("failures", "errors", " errors", " unexpected successes"))
    skipped = sum(number for name, number in counts.items() if "skipped" in name or "expected failures" in name)
    return Tally("unittest", max(0, int(ran) - failed - skipped), failed)


def _node(text: str) -> Tally | None:
    """Count as `node --test` does, less the files without tests, each of which it counts as one that passed."""
    counts = {name: int(number) for name, number in _NODE.findall(text)}
    if "pass" not in counts:
        return None
    passed = counts["pass"] - len(_NODE_FILE.findall(text))
    return Tally("node --test", max(0, passed), counts.get("fail", 0) + counts.get("cancelled", 0))


def _vitest(text: str) -> Tally | None:
    if not (summaries := _VITEST.findall(text)):
        return None
    counts = _counts(summaries[-1])
    return Tally("vitest", counts["passed"], counts["failed"])


class _Counts(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return 0


def _counts(summary: str) -> _Counts:
    """Return the numbers in a line such as "1 failed, 2 passed" by name."""
    return _Counts({name: int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", summary)})


_RUNNERS: dict[str, tuple[re.Pattern[str], Callable[[str], Tally | None]]] = {
    "pytest": (re.compile(r"\b(?:pytest|py\.test)\b"), _pytest),
    "unittest": (re.compile(r"\bunittest\b"), _unittest),
    "node --test": (re.compile(r"\bnode\b.* --test\b"), _node),
    "vitest": (re.compile(r"\bvitest\b"), _vitest),
}
