"""Test runs in the terminals of an editor: which command lines are test runs, and what their output says of the tests."""

from __future__ import annotations

import re

from replay.recording.secrets.command_lines import commands, covered
from replay.tapes.tape import Run
from runners.verdicts.test_counts import count_tests
from runners.verdicts.text import plain

_BEFORE = (
    r"(?:(?:\w+=\S*|time|env|command|nice(?: -n \d+)?|bunx|npx(?: -\S+)*|bundle exec|python[\d.]* -m|py -m|coverage run(?: -\S+)* -m|"
    r"(?:uv|poetry|pdm|hatch|pipenv|rye) run(?: -\S+)*|(?:pnpm|yarn|npm)(?: exec)?(?: --)?)\s+)*"
)
"""What may stand before the program that runs the tests."""
_PROGRAM = (
    r"(?:\S*[/\\])?(?:"
    r"(?:pytest|py\.test|tox|nox|vitest|jest|mocha|ava|tape|tap|ctest|rspec|phpunit|unittest|nose2|doctest)\b(?![\w.-]*[.=])"
    r"|python[\d.]*(?:\.exe)? -m (?:pytest|unittest|nose2|doctest|tox|nox)\b"
    r"|(?:npm|pnpm|yarn|bun) (?:run )?(?:-\S+ )*(?:t|test|tst)(?![\w.-])"
    r"|node (?:\S+ )*--test\b"
    r"|(?:go|dotnet|deno|swift|bazel|mix|flutter|dart|cargo(?: \+\S+)?) (?:-\S+ )*(?:test|nextest)\b"
    r"|(?:mvn|mvnw|gradle|gradlew)(?:\.cmd|\.bat)?(?: \S+)* (?:\S*:)?(?:test|verify|check)\b"
    r"|(?:make|just|rake|task)(?: -\S+)* (?:test|tests|check|spec)(?![\w.-])"
    r")"
)
_COMMAND = re.compile(f"({_BEFORE}){_PROGRAM}")
PROGRAM_IN_LINE = rf"(?<![\w.-]){_PROGRAM}"
"""Is found in each line with a command that runs tests, and in few others: an editor sends nothing of a command without it. Also for JavaScript."""


def commands_that_test(line: str) -> str:
    """The commands of a command line that run tests, without what may be a secret in them, separated by `; `; "" if none does.

    A command runs tests if its program is a known test runner. Of other commands, redirections, comments and here-documents nothing is in it.
    Example: `export TOKEN=abc; PASS=def pytest -q | tail` → `PASS=*** pytest -q`.
    """
    return "; ".join(kept for words in commands(line) if (kept := _kept(words)))


def _kept(words: list[str]) -> str:
    written = " ".join(re.sub(r"\s", "_", word) for word in words)  # a blank in quotes separates no words
    found = _COMMAND.match(written)
    return covered(words, written[: found.end(1)].count(" ")) if found else ""


def run_of(t: float, line: str, output: str, status: int | None) -> Run | None:
    """The event of a test run that ended; None if the command line has none, or nothing says how it ended.

    `output` is what the terminal showed, or the end of it. Where it says nothing of tests, `passed` and `failed` are 0. `status` is the
    exit status, None if the shell did not tell it: then it is 1 if a test failed, else 0.
    """
    command = commands_that_test(line)
    if not command:
        return None
    counted = count_tests(plain(output), line.strip())
    passed, failed = (counted.passed, counted.failed) if counted else (0, 0)
    if status is None and not passed and not failed:
        return None
    return Run(t, command, passed, failed, int(failed > 0) if status is None else status)
