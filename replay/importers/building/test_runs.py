"""Test runs in a recorded terminal: a command that only runs tests, and the counts that its test runner prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

from replay.tapes.tape import Run

_KEPT = 20_000
"""Characters of output that are kept until the summary is complete."""
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
    """Waits for the summary of the test run in a terminal."""

    __test__ = False

    def __init__(self) -> None:
        self.command = self.output = ""
        self.runner: _Runner | None = None

    def started(self, command: str) -> None:
        """Note a command line. One that does more than run tests is ignored: its counts may come from something else."""
        self.command, self.output = command.strip(), ""
        self.runner = None if _SEVERAL.search(self.command) else _runner(self.command)

    def printed(self, t: float, output: str) -> Run | None:
        """Note more output; returns the run once its summary line is complete.

        The exit status is the documented one of pytest, jest and vitest: 1 if a test failed, else 0. A run with errors
        (a file that could not be collected) may have either status, so it is left out.
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
        is_certain = counts and not counts.keys() & {"error", "errors"}
        return Run(t, self.command, counts.get("passed", 0), failed, 1 if failed else 0) if is_certain else None


def _runner(command: str) -> _Runner | None:
    return next((runner for runner in _RUNNERS if runner.command.fullmatch(command)), None)
