"""Test runs told by a terminal: a command that runs tests and nothing else, and the counts that its runner prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

from replay.tape import Run

_KEPT = 20_000
"""Characters of output that are kept while a summary is waited for."""
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>]")
_SEVERAL = re.compile(r"[|;&<>`\n]|\$\(")
_COUNT = re.compile(r"(\d+) (passed|failed|errors?)\b")
_ARGUMENTS = r"(?:\s.*)?"


@dataclass(frozen=True, slots=True)
class _Runner:
    command: re.Pattern[str]
    summary: re.Pattern[str]


_PYTEST = _Runner(
    re.compile(rf"(?:\S*python[\d.]*\s+-m\s+|(?:uv|poetry|pdm|hatch)\s+run\s+)?\S*pytest{_ARGUMENTS}"),
    re.compile(r"^=*\s*((?:\d+ [a-z]+(?:, )?)+) in \d[\d.]*s\b[^\n]*\n", re.MULTILINE),
)
_JAVASCRIPT = _Runner(
    re.compile(
        rf"(?:(?:npx|pnpm|yarn)\s+)?(?:jest|vitest){_ARGUMENTS}|(?:npm|pnpm|yarn)\s+(?:run\s+)?test{_ARGUMENTS}"
    ),
    re.compile(r"^\s*Tests:?\s+((?:\d+ [a-z]+(?:, | \| )?)+)[^\n]*\n", re.MULTILINE),
)
_RUNNERS = (_PYTEST, _JAVASCRIPT)


class TestWatch:
    """Waits for the summary of the test run that is under way in a terminal."""

    __test__ = False

    def __init__(self) -> None:
        self.command = self.output = ""
        self.runner: _Runner | None = None

    def started(self, command: str) -> None:
        """Take in a command line; one that does more than run tests is not watched, for its counts may be others'."""
        self.command, self.output = command.strip(), ""
        self.runner = None if _SEVERAL.search(self.command) else _runner(self.command)

    def printed(self, t: float, output: str) -> Run | None:
        """Take in more output, and give the run once its summary line is there, whole.

        The exit status is what pytest, jest and vitest document: 1 if a test failed, else 0. A run with errors (a file
        that could not be collected) ends with one status or another, so it is not told.
        """
        if self.runner is None:
            return None
        self.output = (self.output + output)[-_KEPT:]
        summary = self.runner.summary.search(_ANSI.sub("", self.output).replace("\r", ""))
        if summary is None:
            return None
        self.runner = None
        counts = {kind: int(count) for count, kind in _COUNT.findall(summary[1])}
        failed = counts.get("failed", 0)
        told = counts and not counts.keys() & {"error", "errors"}
        return Run(t, self.command, counts.get("passed", 0), failed, 1 if failed else 0) if told else None


def _runner(command: str) -> _Runner | None:
    return next((runner for runner in _RUNNERS if runner.command.fullmatch(command)), None)
