"""The command that runs tests as ghosttape runs them: once, without coverage, and without what a machine without git or a screen lacks."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice, takewhile
from pathlib import PurePosixPath

from runners.environments.manifests import string_in, table_in
from runners.environments.node.packages import Packages
from runners.environments.node.script_calls import Call, calls_of

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


# The scripts of a `package.json`: the commands that they come down to, with the scripts that they call in
# their place, and where each of them runs.

_DEEPEST, _MOST = 20, 1000
"""Calls within each other, and packages in which something is called, or scripts of a package, at most."""
_LONGEST_NAME = 200
"""Characters of the name of a script that is called, at most."""
_BETWEEN = re.compile(r"[;&|()]+")
_REDIRECTED = re.compile(r"\d*[<>]")
_SETTING = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_OF_C8 = frozenset({"--all", "--exclude-after-remap", "-a", "--skip-full", "--check-coverage", "--per-file", "--100", "--exclude-node-modules", "--clean", "--omit-relative", "--allowExternal", "--allow-external", "--merge-async", "--experimental-monocart"})  # fmt: skip
_OF_NYC = frozenset({"--all", "-a", "--exclude-node-modules", "--auto-wrap", "--es-modules", "--compact", "--preserve-comments", "--produce-source-map", "--source-map", "--instrument", "--exclude-after-remap", "--per-file", "--check-coverage", "--show-process-tree", "--skip-empty", "--skip-full", "--silent", "-s", "--eager", "--cache", "-c", "--babel-cache", "--use-spawn-wrap", "--hook-require", "--hook-run-in-context", "--hook-run-in-this-context", "--clean"})  # fmt: skip
"""The options of c8 11 and nyc 18 that take no value, as their own `--help` says."""


@dataclass(frozen=True, slots=True)
class Part:
    """A command of a script, and the folder of the repository in which it runs."""

    folder: PurePosixPath
    words: tuple[str, ...]
    """Variables that are set, then the program and its arguments, without programs around it that measure or set variables."""


@dataclass(slots=True)
class _Reading:
    """How far scripts were read."""

    seen: set[tuple[PurePosixPath, str]] = field(default_factory=set)
    steps: int = 0


@dataclass(frozen=True, slots=True)
class ScriptReader:
    """Reads the scripts of the packages of a repository."""

    packages: Packages

    def parts(self, folder: PurePosixPath, script: str) -> Iterator[Part]:
        """The commands of a script of a package. Each script that is called stands there once; what is called beyond any depth, or number, that people write is left out."""
        return self._of_script(folder, script, (), _Reading(), 0)

    def _of_script(
        self, folder: PurePosixPath, script: str, arguments: Sequence[str], reading: _Reading, depth: int
    ) -> Iterator[Part]:
        if (folder, script) in reading.seen or depth == _DEEPEST:
            return
        reading.seen.add((folder, script))
        scripts = table_in(self.packages.manifests.get(folder, {}), "scripts")
        commands = [command for line in string_in(scripts, script).splitlines() for command in _commands(line)]
        if commands:
            commands[-1] = (commands[-1][0], [*commands[-1][1], *arguments])
        for where, words in commands:
            if (place := _inside(folder, where)) is not None:
                yield from self._of_command(place, words, reading, depth)

    def _of_command(self, folder: PurePosixPath, words: Sequence[str], reading: _Reading, depth: int) -> Iterator[Part]:
        settings, rest = _unwrapped(words)
        calls = calls_of(rest)
        if rest and not calls:
            yield Part(folder, (*settings, *rest))
        for call in calls:
            for part in self._of_call(folder, call, reading, depth + 1):
                yield Part(part.folder, (*settings, *part.words))

    def _of_call(self, folder: PurePosixPath, call: Call, reading: _Reading, depth: int) -> Iterator[Part]:
        for place in self._places(folder, call):
            reading.steps += 1
            if reading.steps > _MOST:
                return
            scripts = table_in(self.packages.manifests.get(place, {}), "scripts")
            known = [name for name in islice(scripts, _MOST) if len(name) <= _LONGEST_NAME]
            names = [name for name in known if any(re.fullmatch(each, name) for each in call.scripts)]
            for name in names:
                yield from self._of_script(place, name, call.arguments, reading, depth)
            if not names and call.program and depth < _DEEPEST:
                yield from self._of_command(place, call.program, reading, depth)

    def _places(self, folder: PurePosixPath, call: Call) -> list[PurePosixPath]:
        """The folders in which a call runs."""
        if call.packages is not None:
            return self.packages.selected(self.packages.root(folder), call.packages)
        place = self.packages.root(folder) if call.at_root else _inside(folder, call.folder)
        return [] if place is None else [place]


def settings_of(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The variables that are set before a program, and the program with its arguments."""
    settings = [*takewhile(_SETTING.fullmatch, words)]
    return settings, [*words[len(settings) :]]


def _inside(folder: PurePosixPath, where: str) -> PurePosixPath | None:
    """A folder relative to another; None where it lies outside of the repository."""
    place = posixpath.normpath(posixpath.join(str(folder), where))
    return None if place.startswith(("..", "/")) else PurePosixPath(place)


def _commands(line: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a line, each with the folder that `cd` led to; without what is read from or written to files. Of a pipe the commands are apart."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:
        return
    folder, around = ".", list[str]()
    for is_between, group in groupby(found, key=lambda word: bool(_BETWEEN.fullmatch(word))):
        words = [*group]
        if is_between:
            for sign in "".join(words):
                if sign == "(":
                    around.append(folder)
                elif sign == ")" and around:
                    folder = around.pop()
            continue
        words = [*takewhile(lambda word: not _REDIRECTED.match(word), words)]
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, words[1]) if len(words) == 2 else folder
        elif words:
            yield folder, words


def _unwrapped(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The variables that are set for a program, and the program with its arguments, without programs around it."""
    settings, rest = settings_of(words)
    while rest and (around := _WRAPPERS.get(rest[0])):
        more, rest = settings_of(around(rest[1:]))
        settings += more
    return settings, rest


def _behind_options(words: Sequence[str], flags: Collection[str], valued: Collection[str] = ()) -> list[str]:
    """The words behind options: those that are not `flags` take a value; where `valued` are named only these do."""
    left = [*words]
    while left and left[0].startswith("-"):
        name, is_given, _ = (word := left.pop(0)).partition("=")
        if word == "--":
            break
        takes = name in valued if valued else name not in flags and not name.startswith("--no-")
        if takes and not is_given and left and not left[0].startswith("-"):
            left.pop(0)
    return left


def _behind_dashes(words: Sequence[str]) -> list[str]:
    """The words of `dotenv -e FILE -- …` behind the options."""
    if "--" in words:
        return [*words[words.index("--") + 1 :]]
    return _behind_options(words, (), {"-e", "-f", "-v", "-p"})


def _shell(words: Sequence[str]) -> list[str]:
    """The words of `cross-env-shell "A=1 program"`."""
    try:
        return shlex.split(words[0]) if len(words) == 1 else [*words]
    except ValueError:
        return []


_WRAPPERS: Mapping[str, Callable[[Sequence[str]], list[str]]] = {
    "c8": partial(_behind_options, flags=_OF_C8),
    "nyc": partial(_behind_options, flags=_OF_NYC),
    "cross-env": list,
    "cross-env-shell": _shell,
    "env": partial(_behind_options, flags=(), valued={"-u", "--unset", "-C"}),
    "dotenv": _behind_dashes,
    "dotenvx": _behind_dashes,
    "exec": list,
    "time": list,
}
