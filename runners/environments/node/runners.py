"""The command that runs tests as ghosttape runs them: once, without coverage, and without what a machine without git or a screen lacks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from runners.environments.node.scripts import settings_of

_PLAIN_VALUE = re.compile(r"(?:[\w./:,=@%+-]|\$\w+|\$\{\w+\})*")
_INSTALLED = re.compile(r"(?:\.{1,2}/)*node_modules/(?P<path>(?:\.bin/)?(?P<name>[\w-]+)(?:/[\w./-]+)?)")
"""A program by the place where a package manager puts it."""
RUNNERS: Mapping[str, str] = {
    "vitest": "vitest",
    "jest": "jest",
    "mocha": "mocha",
    "_mocha": "mocha",
    "ava": "ava",
    "tap": "tap",
    "tape": "tape",
    "borp": "borp",
    "uvu": "uvu",
    "jasmine": "jasmine",
    "qunit": "qunit",
    "brittle": "brittle",
    "node": "",
    "tsx": "tsx",
    "ts-node": "ts-node",
    "poku": "poku",
    "bnt": "better-node-test",
}
"""Program → the package that brings it."""
DEFAULTS: Mapping[str, str] = {"vitest": "vitest run", "jest": "jest", "ava": "ava", "mocha": "mocha"}
"""Package → what runs its tests where nothing else is said."""
_UNGLOBBED = frozenset({"node", "tsx", "ts-node"})
"""Programs that a shell is left to expand patterns for."""
_NO_TESTS = frozenset({"bench", "list", "init", "related", "complete"})
"""Commands of vitest that run no tests, or not all of them."""
_OF_NODE = {
    "--watch": "0",
    "--watch-path": "1",
    "--watch-preserve-output": "0",
    "--experimental-test-coverage": "0",
    "--test-coverage-branches": "1",
    "--test-coverage-functions": "1",
    "--test-coverage-lines": "1",
    "--test-coverage-include": "1",
    "--test-coverage-exclude": "1",
}
_DROPPED: Mapping[str, Mapping[str, str]] = {
    "jest": {
        "--watch": "b", "--watchAll": "b", "--coverage": "b", "--collectCoverage": "b", "--collectCoverageFrom": "1", "--coverageDirectory": "1",
        "--coveragePathIgnorePatterns": "*", "--coverageProvider": "1", "--coverageReporters": "*", "--coverageThreshold": "1", "-o": "b",
        "--onlyChanged": "b", "-f": "b", "--onlyFailures": "b", "--lastCommit": "b", "--changedSince": "1", "--notify": "b", "--notifyMode": "1",
    },
    "vitest": {
        "--watch": "0", "-w": "0", "--ui": "0", "--open": "0", "--run": "0", "--changed": "?", "--typecheck": "0", "--coverage": "0",
    },
    "mocha": {
        "--watch": "b", "-w": "b", "--watch-files": "1", "--watch-ignore": "1", "--reporter": "1", "-R": "1", "--reporter-option": "1",
        "--reporter-options": "1", "-O": "1",
    },
    "ava": {"--watch": "b", "-w": "b", "--tap": "b", "-t": "b"},
    "tap": {
        "--watch": "0", "-w": "0", "--100": "0", "--check-coverage": "0", "--coverage": "0", "--coverage-report": "1", "--coverage-map": "1",
        "--browser": "0", "--statements": "1", "--branches": "1", "--lines": "1", "--functions": "1",
    },
    "borp": {
        "--coverage": "0", "-C": "0", "--check-coverage": "0", "--coverage-exclude": "1", "-X": "1", "--statements": "1", "--branches": "1",
        "--lines": "1", "--functions": "1",
    },
    "qunit": {"--watch": "0", "-w": "0"},
    "poku": {"--watch": "0", "-w": "0"},
    "brittle": {"--coverage": "0", "-c": "0", "--cov": "0"},
    "uvu": {},
    "tape": {},
    "jasmine": {},
    "node": _OF_NODE,
    "tsx": {"watch": "0", **_OF_NODE},
    "ts-node": {},
}  # fmt: skip
"""Program → its options that are left out, and how many words they take: 0 none, 1 one, `?` one that is no option, `*` all up to the next option, `b` none, or `true` or `false`.

What repeats runs, measures coverage, asks git what changed, or reports in another way than the witness reads; as the programs' own `--help` says (jest 30, vitest 4, mocha 11, ava 7, tap 21, node 20).
"""
_FLAGS_OF_VITEST = frozenset({"enabled", "all", "clean", "cleanonrerun", "reportonfailure", "allowexternal", "skipfull", "100", "perfile", "excludeafterremap", "only", "allowjs", "ignoresourceerrors"})  # fmt: skip
"""The last parts of vitest's options `--coverage.…` and `--typecheck.…` that take no value."""

_SAME: Mapping[str, str] = {"_mocha": "mocha"}
"""Another name of a program → its own."""
_BOOLEANS = frozenset({"true", "false"})


def runner_command(words: Sequence[str]) -> tuple[str, str] | None:
    """The command of a part of a script that runs tests, and the package that brings its program; None for any other part."""
    settings, rest = settings_of(words)
    program, start, arguments = _program(rest)
    if program not in RUNNERS or not _runs_tests(program, arguments):
        return None
    kept = _adapted(program, _without_dropped(program, arguments))
    before = [*map(_setting, settings), *start]
    if program in _UNGLOBBED and any("**" in word for word in kept):
        inner = " ".join([*before, *map(_pattern, kept)])
        return f"bash -O globstar -c {shlex.quote(inner)}", RUNNERS[program]
    quoted = _pattern if program in _UNGLOBBED else shlex.quote
    return " ".join([*before, *map(quoted, kept)]), RUNNERS[program]


def _program(words: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The program, the words that start it, and its arguments. `node node_modules/jest/bin/jest.js --ci` is `jest`, and its path one of the sandbox."""
    if not words:
        return "", [], []
    if (found := _INSTALLED.fullmatch(words[0])) and found["path"].startswith(".bin/"):
        return found["name"], [found["name"]], [*words[1:]]
    if words[0] == "node":
        for index, word in enumerate(words):
            if (found := _INSTALLED.fullmatch(word)) and found["name"] in RUNNERS:
                start = ["node", *map(shlex.quote, words[1:index]), f"/node_modules/{found['path']}"]
                return found["name"], start, [*words[index + 1 :]]
    return words[0], [words[0]], [*words[1:]]


def _without_dropped(program: str, words: Sequence[str]) -> list[str]:
    """The arguments of a runner without options that are left out."""
    kept, left = list[str](), [*words]
    while left:
        word = left.pop(0)
        if word == "--":
            return [*kept, word, *left]
        name, is_given, _ = word.partition("=")
        if (takes := _taken(program, name)) is None:
            kept.append(word)
        elif not is_given:
            del left[: _values(takes, left)]
    return kept


def _taken(program: str, option: str) -> str | None:
    """How many words an option that is left out takes, in the words of `_DROPPED`; None for one that is kept."""
    if program == "vitest" and option.startswith(("--coverage.", "--typecheck.")):
        last = option.rpartition(".")[2].replace("-", "").lower()
        return "0" if last in _FLAGS_OF_VITEST else "1"
    return _DROPPED.get(_SAME.get(program, program), {}).get(option)


def _values(takes: str, left: Sequence[str]) -> int:
    """How many words the values of an option are."""
    first = left[0] if left else "-"
    if takes == "*":
        return next((index for index, word in enumerate(left) if word.startswith("-")), len(left))
    return int(takes == "1" or (takes == "?" and not first.startswith("-")) or (takes == "b" and first in _BOOLEANS))


def _adapted(program: str, words: list[str]) -> list[str]:
    """The arguments as ghosttape gives them: for a run that ends, in a way that its witness hears."""
    if program == "vitest":
        return ["run", *(words[1:] if words[:1] in (["run"], ["watch"], ["dev"]) else words)]
    if program == "tap":
        return ["--disable-coverage", "--allow-incomplete-coverage", *words]
    return [] if program == "bnt" else words


def _runs_tests(program: str, words: Sequence[str]) -> bool:
    """Whether a program is given tests: `node` and programs like it run anything else too."""
    if program == "vitest":
        return not (words and words[0] in _NO_TESTS)
    if program not in _UNGLOBBED:
        return True
    return "--test" in words or any("test" in word or "spec" in word for word in words)


def _setting(word: str) -> str:
    """A variable that is set, with its value in quotes where the shell would read more in it than variables."""
    name, _, value = word.partition("=")
    return f"{name}={value if _PLAIN_VALUE.fullmatch(value) else shlex.quote(value)}"


def _pattern(word: str) -> str:
    """A word for the shell, which expands a pattern of file names in it: not every version of node does so itself."""
    return word if re.fullmatch(r"[\w./*?@{},-]+", word) else shlex.quote(word)


def plain_command(words: Sequence[str]) -> str:
    """The command of a part of a script that is run as it stands, such as a build."""
    settings, rest = settings_of(words)
    return " ".join([*map(_setting, settings), *map(shlex.quote, rest)])
