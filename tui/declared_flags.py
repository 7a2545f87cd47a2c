"""The flags that options declare (`server.option`): what each is called, and the way from its value to the options and back."""

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from server.option import Option, declarations, hints_of
from server.settings import ProviderSettings

Given: TypeAlias = Mapping[str, Any]
"""The values of flags by their keys: `{"no_tests": True}`. A flag that is not in it has its default."""


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """What can be chosen of a command and is no option of a run: each field is a flag, also one without an `Option`."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag, as the field of an options struct declares it."""

    owner: type[msgspec.Struct]
    place: tuple[str, ...]
    """Where the field is among the options: `("settings", "provider", "name")`."""
    option: Option
    type: Any
    """The type of its value on the command line: `str`, `int | None`, `list[str] | None`."""
    default: Any
    is_layered: bool
    """Whether a file may decide its field, so that a flag with its default decides nothing."""

    @property
    def name(self) -> str:
        """The name of the field."""
        return self.place[-1]

    @property
    def words(self) -> str:
        """How it is written: `--no-tests`, `--ask-missed/--no-ask-missed`."""
        return self.option.flag or f"--{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Its key in the file of an experiment, and the name of its parameter."""
        key = self.words.partition("/")[0].removeprefix("--").replace("-", "_")
        return f"{key}_" if keyword.iskeyword(key) else key

    @property
    def help(self) -> str:
        """The first paragraph of the docstring below its field."""
        return _docstrings(self.owner).get(self.name, "").partition("\n\n")[0]

    def member(self, value: Any) -> Any:
        """The value of the field that a value of the flag means."""
        if self.option.is_negated:
            return not value
        if self.option.is_list and not self.is_layered:
            return words(value)
        if any(get_origin(each) is list for each in get_args(self.type)):
            return tuple(map(self._rooted, value or ()))
        return self._rooted(value)

    def to_words(self, value: Any) -> Iterator[str]:
        """The words of a command line that give the field a value: `--no-tests`, or `--path src --path lib`."""
        on, _, off = self.words.partition("/")
        if self.type in {bool, bool | None}:
            yield from [on] if bool(value) != self.option.is_negated else [off] if off else []
        elif self.option.is_list:
            yield from [on, ",".join(value)] if value else []
        elif isinstance(value, list | tuple):
            yield from (word for each in value for word in (on, str(each)))
        elif value not in {None, ""}:
            yield from (on, str(value))

    def _rooted(self, value: Any) -> Any:
        return str(Path(value).absolute()) if self.option.is_path and value else value


@functools.cache
def flags_of(kind: type[msgspec.Struct]) -> tuple[Flag, ...]:
    """The flags of options, those of nested ones among them (`--provider` of `ReplayOptions`)."""
    return tuple(_flags(kind, ()))


def members_of(kind: type[msgspec.Struct], given: Given) -> dict[str, Any]:
    """The options that flags mean, nested as the options are; what a file or other options may decide is in it only where its flag is given."""
    members: dict[str, Any] = {}
    for flag in flags_of(kind):
        value = given.get(flag.key, flag.default)
        if value == flag.default and (flag.is_layered or flag.option.is_derived):
            continue
        table = members
        for name in flag.place[:-1]:
            table = table.setdefault(name, {})
        table[flag.name] = flag.member(value)
    return members


def words_of(kind: type[msgspec.Struct], config: Mapping[str, Any]) -> Iterator[str]:
    """The words of a command line for options as they are kept beside a run, without switches that are off and values that are empty."""
    for flag in flags_of(kind):
        table: Any = functools.reduce(lambda table, name: table.get(name) or {}, flag.place[:-1], config)
        if flag.name in table:
            yield from flag.to_words(table[flag.name])


def words(text: str) -> tuple[str, ...]:
    """The words of a flag that takes several, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _flags(kind: type[msgspec.Struct], place: tuple[str, ...]) -> Iterator[Flag]:
    hints, declared = hints_of(kind), declarations(kind)
    is_layered = bool(place) or issubclass(kind, ProviderSettings)
    for field in msgspec.structs.fields(kind):
        option, hint = declared.get(field.name, Option() if issubclass(kind, Flags) else None), hints[field.name]
        if option is None:
            for struct in (each for each in (hint, *get_args(hint)) if is_struct(each)):
                yield from _flags(struct, (*place, field.name))
        elif option.flag != "":
            own = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            wanted = _type(own, option, optional=option.is_derived or is_layered)
            default = None if type(None) in get_args(wanted) else False if option.is_negated else field.default
            default = "" if wanted is str and (is_layered or option.is_list) else default
            yield Flag(kind, (*place, field.name), option, wanted, default, is_layered)


def is_struct(kind: Any) -> bool:
    """Whether a type is a struct, whose fields may be flags."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _type(kind: Any, option: Option, *, optional: bool) -> Any:
    """The type of a flag's value, by that of its field: no choice of names is typer's, and several values are a list or one word."""
    parts = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    chosen = [each for each in parts if each not in {type(None), UnsetType}]
    wanted, is_optional = (str if str in chosen else chosen[0]), len(chosen) < len(parts)
    if get_origin(wanted) is tuple:
        return (str | None if optional else str) if option.is_list else list[get_args(wanted)[0]] | None  # type: ignore[misc]
    if get_origin(wanted) is Literal:
        wanted = type(get_args(wanted)[0])
    if optional and wanted is str and not option.is_derived:
        return str | None if is_optional else str  # an empty word says nothing
    return wanted | None if is_optional or optional else wanted


@functools.cache
def _docstrings(kind: type) -> Mapping[str, str]:
    """The docstrings below the fields of a class, read from its source; none where that is missing."""
    try:
        (defined,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, SyntaxError):
        return {}
    assert isinstance(defined, ast.ClassDef)
    inherited = {
        name: text for base in kind.__mro__[1:2] if base is not object for name, text in _docstrings(base).items()
    }
    own = {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(defined.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
    return {**inherited, **own}
