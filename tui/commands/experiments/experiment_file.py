"""The file of an experiment: read, and each wrong key refused with its file, its line and a near name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from corpora.experiments.matrix import AXES
from replay.numbers.costs import Price
from replay.options import FolderTests
from server.nearest import did_you_mean
from server.option import declarations
from server.settings import ContextSettings, ProviderSettings, explain_error
from tui.errors import ConfigurationError

_PLACE = re.compile(r" - at `\$\.?([^`]*)`")
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")
_PROMPT = tuple(
    name
    for kind in (ContextSettings, ProviderSettings)
    for name, option in declarations(kind).items()
    if option.table == "prompts"
)
"""What a table `[prompts.NAME]` may name: tokens by section of the context, and what the provider makes of them."""


class Axes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[matrix]`: what is combined. An axis that is not named has one value, which the options say."""

    providers: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    latencies: tuple[str, ...] = ()
    samples: tuple[int, ...] = ()

    def values(self) -> dict[str, tuple[Any, ...]]:
        """The values by the names that axes have in `corpora.experiments.matrix`."""
        named = zip(AXES[1:], msgspec.structs.astuple(self), strict=True)
        return {axis: tuple(dict.fromkeys(values)) for axis, values in named}


class FileLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[limits]`: where the experiment ends, before one is passed."""

    max_questions: int | None = None
    max_cost: float | None = None


class ExperimentText(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a file says. Tables of flags are checked where the options are made (`tui.commands.experiments.experiment_cells`)."""

    name: str = ""
    """The name of the experiment's folder; empty: that of the file."""
    tapes: tuple[str, ...] = ()
    """Tapes, or folders of tapes; `demo` means the bundled ones."""
    corpora: tuple[str, ...] = ()
    """Benchmarks, mined corpora by their file, or names of tables `[corpus.NAME]`."""
    matrix: Axes = Axes()
    options: dict[str, Any] = {}
    """Flags of `replay` and `evaluate` that all cells share."""
    providers: dict[str, dict[str, Any]] = {}
    prompts: dict[str, dict[str, Any]] = {}
    corpus: dict[str, dict[str, Any]] = {}
    cells: dict[str, dict[str, Any]] = {}
    """Further cells, or names for cells of the matrix: one value for each axis."""
    leave_out: tuple[dict[str, Any], ...] = ()
    """Combinations that are not wanted."""
    limits: FileLimits = FileLimits()
    prices: dict[str, Price] = {}
    """What a million tokens of a model cost, by the model's name."""
    server: dict[str, Any] = {}
    policies: dict[str, dict[str, Any]] = {}
    tests: FolderTests | None = None


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """A file that was read."""

    path: Path
    text: str
    content: ExperimentText

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.content.name or self.path.stem

    @property
    def folder(self) -> Path:
        """The folder of the file: relative paths in it start there."""
        return self.path.parent

    def refuse(self, reason: str, *place: str) -> NoReturn:
        """Refuse what stands at a place (the names of tables and keys).

        Raises:
            ConfigurationError: names file and line, the place and the reason.

        """
        _refuse(self.path, self.text, place, reason)

    def check_keys(self, table: Mapping[str, Any], known: Iterable[str], *place: str) -> None:
        """Refuse a key of a table that is none of the known ones; `-` and `_` count as the same."""
        names = sorted(known)
        for key in table:
            if folded(key) not in names:
                near = did_you_mean(folded(key), names) or f": choose of {', '.join(shown(name) for name in names)}"
                self.refuse(f"unknown key {key!r}{near.replace('_', '-')}", *place, key)


def read(path: Path) -> ExperimentFile:
    """Read the file of an experiment.

    Raises:
        ConfigurationError: there is none, it is no TOML, or it says what no experiment knows; with file and line.

    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise ConfigurationError(f"{path}: {reason}") from error
    try:
        found = ExperimentFile(path, text, msgspec.toml.decode(text, type=ExperimentText))
    except msgspec.ValidationError as error:
        _refuse(path, text, *_of_error(error))
    except (ValueError, RecursionError) as error:  # of TOML, which names the line
        raise ConfigurationError(f"{path}: {error}") from error
    _check(found)
    return found


def _of_error(error: msgspec.ValidationError) -> tuple[list[str], str]:
    """The place and the words of an error of msgspec."""
    said = explain_error(error, ExperimentText)
    at, key = _PLACE.search(said), _UNKNOWN.search(said)
    place = re.findall(r"[\w-]+", at[1]) if at else []
    words = _PLACE.sub("", said).replace("Object contains unknown field", "unknown key")
    return place + ([key[1]] if key else []), words


def _refuse(path: Path, text: str, place: Sequence[str], reason: str) -> NoReturn:
    line = line_of(text, place)
    table = f"[{'.'.join(place[:-1])}]: " if len(place) > 1 else ""
    raise ConfigurationError(f"{path}:{line or 1}: {table}{reason}")


def _check(file: ExperimentFile) -> None:
    """Refuse what is no table of flags."""
    content = file.content
    if not content.tapes and not content.corpora:
        file.refuse('an experiment needs tapes or corpora: name them as in tapes = ["demo"], above the first table')
    for name, table in content.prompts.items():
        file.check_keys(table, _PROMPT, "prompts", name)
    for name in content.corpus:
        if name not in content.corpora:
            file.refuse(f"the list corpora does not name {name!r}, so this table says nothing", "corpus", name)
    for name, table in content.cells.items():
        file.check_keys(table, AXES, "cells", name)
    for rule in content.leave_out:
        file.check_keys(rule, (*AXES, "reason"), "leave-out")
    for axis in ("providers", "prompts"):
        unused = [name for name in getattr(content, axis) if name not in _named(content, axis)]
        if unused:
            file.refuse(f"neither [matrix] nor a cell names {unused[0]!r}, so this table says nothing", axis, unused[0])


def _named(content: ExperimentText, axis: str) -> set[str]:
    in_cells = {cell.get(axis.removesuffix("s")) for cell in content.cells.values()}
    return {*getattr(content.matrix, axis), *filter(None, in_cells)}


def folded(key: str) -> str:
    """A key as the fields of options are called."""
    return key.replace("-", "_")


def shown(name: str) -> str:
    """The name of a field as a flag is written."""
    return name.replace("_", "-")


# Where a key stands in a TOML file, for messages: parsers of TOML give values without their places.

_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


def line_of(text: str, path: Sequence[str]) -> int:
    """The line (from 1) at which a key stands, or else the innermost table or key around it; 0 if there is none.

    `seed = 4` in the third line, below `[options]`: 3 for `("options", "seed")`. `-` and `_` count as the same.
    """
    wanted, found, depth = [_folded(part) for part in path], 0, 0
    for number, place in _places(text):
        if len(place) > depth and place == wanted[: len(place)]:
            found, depth = number, len(place)
    return found


def _places(text: str) -> Iterator[tuple[int, list[str]]]:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            yield number, table
        elif key := _KEY.match(line):
            yield number, table + _parts(key[1])


def _parts(dotted: str) -> list[str]:
    return [_folded("".join(part)) for part in _PART.findall(dotted)]


def _folded(key: str) -> str:
    return key.replace("_", "-")
