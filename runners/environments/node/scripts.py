"""The test script of a `package.json`: which part of it runs the tests, and how it runs without npm."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import groupby, takewhile
from typing import Any

from runners.environments.manifests import string_in, table_in

_BETWEEN = re.compile(r"[;&|]+")
_REDIRECTED = re.compile(r"\d*[<>]")
_PLAIN_VALUE = re.compile(r"(?:[\w./:,=@%+-]|\$\w+|\$\{\w+\})*")
_RUNS = re.compile(
    r"^(?:npm|pnpm|yarn|bun)(?:\s+(?:-s|--silent|--if-present))*\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)(.*)$"
)
_RUNS_PATTERN = re.compile(r"""^pnpm\s+(?:run\s+)?["']?/([^/\s]+)/["']?$""")
_SERIES = frozenset({"run-s", "npm-run-all", "run-p", "npm-run-all2", "npm-run-all-next"})
_WATCHES = frozenset({"--watch", "--watchAll", "-w", "watch", "--watch=false", "--ui", "--open"})
_MEASURES = re.compile(r"--(coverage|check-coverage|typecheck)\b\S*|--100")
_WRAPPERS = frozenset(
    {"c8", "nyc", "cross-env", "cross-env-shell", "env", "npx", "dotenv", "--", "pnpm", "exec", "yarn", "tsd"}
)
_MEASURING = frozenset({"c8", "nyc"})
"""Programs whose own options end at `--`."""
_UNGLOBBED = frozenset({"node", "tsx", "ts-node"})
"""Programs that a shell is left to expand patterns for."""
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


def script_parts(manifest: Mapping[str, Any], script: str) -> Iterator[list[str]]:
    """The words of each part of a script that runs tests, with scripts that it calls in their place."""
    yield from _parts(table_in(manifest, "scripts"), script, set())


def _parts(scripts: Mapping[str, Any], name: str, seen: set[str]) -> Iterator[list[str]]:
    """The words of each part; each script that is called stands there once."""
    seen.add(name)
    for line in string_in(scripts, name).splitlines():
        for words in _split(line):
            if called := list(_called(scripts, " ".join(words), words)):
                for other in called:
                    if other not in seen:
                        yield from _parts(scripts, other, seen)
            else:
                yield words


def _called(scripts: Mapping[str, Any], part: str, words: list[str]) -> Iterator[str]:
    """The scripts that a part of a script calls."""
    if words[:1] and words[0] in _MEASURING:
        words = _unwrapped(words)[1]
        part = " ".join(words)
    found, pattern = _RUNS.match(part), _RUNS_PATTERN.match(part)
    if found and found[1] in scripts:
        yield found[1]
    elif pattern:
        yield from (name for name in scripts if _matches(pattern[1], name))
    elif words[:1] and words[0] in _SERIES:
        for word in words[1:]:
            if not word.startswith("-"):
                yield from (name for name in scripts if re.fullmatch(re.escape(word).replace(r"\*", "[^:]*"), name))


def _matches(pattern: str, name: str) -> bool:
    """Whether a script is among those that pnpm runs for a pattern. Patterns that are more than names and dots match none."""
    plain = pattern.strip("^$").removesuffix(".*").removesuffix(".+")
    return bool(re.fullmatch(r"[\w:-]+", plain)) and name.startswith(plain) and name != plain


def _split(line: str) -> Iterator[list[str]]:
    """The words of each command of a line, without what is read from or written to files; of a pipe the commands are apart."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:
        return
    for is_between, group in groupby(found, key=lambda word: bool(_BETWEEN.fullmatch(word))):
        words = list(takewhile(lambda word: not _REDIRECTED.match(word), group))
        if words and not is_between:
            yield words


def runner_command(words: list[str]) -> tuple[str, str] | None:
    """The command of a part that runs tests, without what measures coverage or keeps it running, and the package that brings its program; None for any other part."""
    settings, rest = _unwrapped(words)
    if not rest or rest[0] not in RUNNERS or not _runs_tests(rest):
        return None
    program, kept = rest[0], [word for word in rest[1:] if word not in _WATCHES and not _MEASURES.fullmatch(word)]
    if program == "vitest":
        kept = ["run", *(word for word in kept if word != "run")]
    if program == "bnt":
        kept = []
    if program in {"mocha", "_mocha"}:
        kept = _without_reporter(kept)
    if program == "tap":
        kept = ["--disable-coverage", "--allow-incomplete-coverage", *kept]
    if program in _UNGLOBBED and any("**" in word for word in kept):
        inner = " ".join([*settings, program, *map(_pattern, kept)])
        return f"bash -O globstar -c {shlex.quote(inner)}", RUNNERS[program]
    quoted = _pattern if program in _UNGLOBBED else shlex.quote
    return " ".join([*settings, program, *map(quoted, kept)]), RUNNERS[program]


def _without_reporter(words: list[str]) -> list[str]:
    """Options of mocha but for how it reports: it has one reporter, and the witness is another."""
    kept, rest = list[str](), iter(words)
    for word in rest:
        if word in {"--reporter", "-R"}:
            next(rest, "")
        elif not word.startswith("--reporter="):
            kept.append(word)
    return kept


def _unwrapped(words: list[str]) -> tuple[list[str], list[str]]:
    """Variables that are set before a program, and the program with its arguments, without programs around it."""
    settings: list[str] = []
    if words[:1] and words[0] in _MEASURING and "--" in words:
        words = words[words.index("--") + 1 :]
    for index, word in enumerate(words):
        if re.fullmatch(r"[A-Za-z_]\w*=.*", word):
            settings.append(_setting(word))
        elif word not in _WRAPPERS and not (settings or index) and word.startswith("-"):
            continue
        elif word not in _WRAPPERS and not (word.startswith("-") and index and words[0] in _WRAPPERS):
            return settings, words[index:]
    return settings, []


def _setting(word: str) -> str:
    """A variable that is set, with its value in quotes where the shell would read more in it than variables."""
    name, _, value = word.partition("=")
    return f"{name}={value if _PLAIN_VALUE.fullmatch(value) else shlex.quote(value)}"


def _runs_tests(words: list[str]) -> bool:
    """Whether `node` and programs like it are given tests: others run nothing else."""
    if words[0] not in {"node", "tsx", "ts-node"}:
        return True
    return "--test" in words or any("test" in word or "spec" in word for word in words[1:])


def _pattern(word: str) -> str:
    """A word for the shell, which expands a pattern of file names in it: not every version of node does so itself."""
    return word if re.fullmatch(r"[\w./*?@{},-]+", word) else shlex.quote(word)
