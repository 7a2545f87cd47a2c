"""What tox and the workflows of a repository say of how a Python project is tested. They are read, and never run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from runners.environments.manifests import (
    Files,
    at,
    ini_of,
    lines_of,
    string_in,
    strings_in,
    table_in,
    toml_of,
    yaml_of,
)
from runners.environments.python.declared import Declared, Use, use_of
from runners.environments.python.source_code import of_words

_Sections: TypeAlias = Mapping[str, Mapping[str, str]]
_LONGEST = 10_000
_FACTORS = re.compile(r"^[!\w{},.\- ]+:\s+(?=\S)")
_REFERENCE = re.compile(r"\{\[([^\]{}]+)\](\w+)\}")
_POSARGS = re.compile(r"\{posargs:?([^{}]*)\}")
_PLACES = re.compile(r"\{(?:toxinidir|tox_root)\}/?")
_SUBSTITUTED = re.compile(r"\{[^{}]*\}")
UNKNOWN = "\ufffd"
_OF_TESTS = re.compile(r"^(py|pypy|python)?\d|(^|-)(py|test|unit)", re.IGNORECASE)
_PIP = re.compile(r"(?:^|[;&|]|\s)(?:python[\d.]*\s+-m\s+)?(?:uv\s+)?pip[\d.]*\s+install\s+([^;&|\n]+)")


@dataclass(frozen=True, slots=True)
class ToxEnvironment:
    """An environment of tox: what it installs, and the commands that it runs; `name` is empty for the one on which others rest."""

    name: str
    source: str
    deps: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def use(self) -> Use:
        """What it is for, by its name."""
        return "test" if not self.name or _OF_TESTS.search(self.name) else use_of(self.name)


def tox_environments(files: Files, root: PurePosixPath) -> list[ToxEnvironment]:
    """The environments that `tox.ini`, `setup.cfg` or `pyproject.toml` describe; the one on which others rest comes first."""
    tables = toml_of(files.get(at(root, "pyproject.toml"), ""))
    texts = {
        "tox.ini": files.get(at(root, "tox.ini"), ""),
        "setup.cfg": files.get(at(root, "setup.cfg"), ""),
        "pyproject.toml": string_in(table_in(tables, "tool", "tox"), "legacy_tox_ini"),
    }
    found = [each for name, text in texts.items() for each in _of_ini(name, ini_of(text))]
    own = toml_of(files.get(at(root, "tox.toml"), "")) or table_in(tables, "tool", "tox")
    return [*found, *_of_toml("tox.toml" if at(root, "tox.toml") in files else "pyproject.toml", own)]


def _of_ini(file: str, sections: _Sections) -> Iterator[ToxEnvironment]:
    known: dict[tuple[str, str], str] = {}
    for title in sections:
        kind, _, name = title.partition(":")
        if kind == "testenv":
            values = [_resolved((title, key), sections, known) for key in ("deps", "commands")]
            deps, commands = ([_substituted(line) for line in lines_of(value)] for value in values)
            yield ToxEnvironment(name, f"{file} [{title}]", tuple(deps), tuple(map(_plain, commands)))


def _plain(command: str) -> str:
    """A command without the sign that its failure does not count."""
    return command.removeprefix("-").strip()


def _resolved(place: tuple[str, str], sections: _Sections, known: dict[tuple[str, str], str], depth: int = 5) -> str:
    """A value (section, name) with the values of other sections that it names; each is found once, and one in a circle is empty."""
    if place not in known and depth:
        known[place] = ""
        value = sections.get(place[0], {}).get(place[1], "")
        known[place] = _REFERENCE.sub(lambda found: _resolved((found[1], found[2]), sections, known, depth - 1), value)[
            :_LONGEST
        ]
    return known.get(place, "")


def _substituted(line: str) -> str:
    """A line without the factors before it, and with the default of what a person may add; `UNKNOWN` stands for what only tox knows."""
    line = _POSARGS.sub(r"\1", _FACTORS.sub("", line)).replace("{envpython}", "python")
    return _SUBSTITUTED.sub(UNKNOWN, _PLACES.sub("", line)).strip()


def _of_toml(file: str, tables: Mapping[str, Any]) -> Iterator[ToxEnvironment]:
    base = table_in(tables, "env_run_base")
    named = [("", base), *((name, table_in(tables, "env", name)) for name in table_in(tables, "env"))]
    for name, table in named:
        lists = table.get("commands")
        commands = [shlex.join(str(word) for word in each if isinstance(word, str)) for each in lists if isinstance(each, list)] if isinstance(lists, list) else []  # fmt: skip
        if table:
            title = f"env.{name}" if name else "env_run_base"
            yield ToxEnvironment(name, f"{file} [{title}]", tuple(strings_in(table, "deps")), tuple(commands))


def of_tox(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """What the environments of tox install."""
    for each in tox_environments(files, root):
        for line in each.deps:
            yield from of_words(_words(line), files, root, each.use, each.source)


def of_workflows(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """What the workflows of the repository install with pip."""
    for path in sorted(files):
        if path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml")):
            use = use_of(PurePosixPath(path).stem)
            for command in _workflow_commands(yaml_of(files[path])):
                for found in _PIP.finditer(command.replace("\\\n", " ")):
                    yield from of_words(_words(found[1]), files, root, use, path)


def _workflow_commands(workflow: Mapping[str, Any]) -> Iterator[str]:
    for name in table_in(workflow, "jobs"):
        steps = table_in(workflow, "jobs", name).get("steps")
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict):
                yield string_in(step, "run")


def _words(line: str) -> list[str]:
    """The words of a line; a requirement with spaces in it stays one word."""
    if not line.startswith("-") and requirement_like(line):
        return [line]
    try:
        return shlex.split(line)
    except ValueError:
        return []


def requirement_like(line: str) -> bool:
    """Whether a whole line is one requirement."""
    from runners.environments.python.declared import requirement_of

    return requirement_of(line) is not None
