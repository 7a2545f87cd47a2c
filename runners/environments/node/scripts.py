"""The scripts of a `package.json`: the commands that they come down to, with the scripts that they call in their place, and where each of them runs."""

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
from runners.environments.node.calls import Call, calls_of
from runners.environments.node.packages import Packages

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
