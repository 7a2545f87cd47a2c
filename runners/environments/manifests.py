"""Files in which projects describe themselves, as tables. A file that cannot be read is an empty table; members may have any shape."""

from __future__ import annotations

import configparser
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, TypeAlias, TypeVar

Files: TypeAlias = Mapping[str, str]
"""Path → text, as a project lies on disk; paths are relative, with forward slashes."""
_T = TypeVar("_T")
_DEEPEST = 200
_LONGEST, _LONGEST_LOCK = 100_000, 4_000_000
_LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "Cargo.lock")


def readable(files: Files) -> Files:
    """The same files, without the texts of those that are longer than any that a person writes: their parsers may take minutes."""
    return {path: text if len(text) <= _limit(path) else "" for path, text in files.items()}


def until_refused(found: Iterable[_T]) -> Iterator[_T]:
    """What a reader finds in texts, up to one that Python itself refuses: numbers of too many digits, nesting that is too deep, half a surrogate pair. Beyond it the reader says nothing.

    Only for what reads texts of strangers: such a text must not end the program.
    """
    try:
        yield from found
    except (ValueError, RecursionError):
        return


def _limit(path: str) -> int:
    return _LONGEST_LOCK if path.endswith(_LOCKS) else _LONGEST


def toml_of(text: str) -> dict[str, Any]:
    """A TOML file."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def json_of(text: str) -> dict[str, Any]:
    """A JSON file."""
    try:
        return table_in({"file": json.loads(text)}, "file")
    except (ValueError, RecursionError):
        return {}


@lru_cache(maxsize=4)
def yaml_of(text: str) -> Mapping[str, Any]:
    """A YAML file; of several documents none, and none that is nested too deeply: the parser in C would end the process. Lock files are long, and asked for often."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _refuse_deep(yaml.parse(text, loader))
        return table_in({"file": yaml.load(text, loader)}, "file")  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return {}


def _refuse_deep(events: Iterable[Any]) -> None:
    """Raise ValueError at the first event of YAML that is nested too deeply."""
    from yaml.events import CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in events:
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")


def ini_of(text: str) -> dict[str, dict[str, str]]:
    """An INI file: section → name → value, lines of a value joined by line breaks."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, default_section="")
    try:
        parser.read_string(text)
        return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}
    except (configparser.Error, ValueError):
        return {}


def table_in(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A member, or a member of a member, that should be a table; an empty table if it is missing or something else."""
    value: Any = table
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings_in(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """The texts of a member that should be a list of texts; none if it is missing or something else."""
    value = table.get(name)
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())


def string_in(table: Mapping[str, Any], name: str) -> str:
    """A member that should be a text; empty if it is missing or something else."""
    value = table.get(name)
    return value if isinstance(value, str) else ""


def lines_of(text: str) -> list[str]:
    """The lines that say something: without comments, and with continued ones joined."""
    joined = text.replace("\\\n", " ")
    found = (line.partition(" #")[0].strip() for line in joined.splitlines())
    return [line for line in found if line and not line.startswith(("#", ";"))]


def at(folder: PurePosixPath | str, name: str) -> str:
    """The path of a file in a folder of the project, as `Files` has it."""
    return str(PurePosixPath(folder) / name)
