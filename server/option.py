"""How a choice of a person is declared: once, beside the field that holds it.

    samples: Annotated[int, Option(min=1, panel="Model")] = 1
    '''Answers asked for at each moment or task: pass@k for k up to this.'''

From this one field come the flag `--samples` with its type, default and bounds, its text in `--help` (the first paragraph of the docstring below
the field) and its panel there, the key of an experiment's file, and whether it is part of the identity of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What is declared of a field beyond its name, type, default and docstring."""

    flag: str | None = None
    """The flag, as `--project` or `--ask-missed/--no-ask-missed`. None: as the field is called; empty: there is none."""
    short: str = ""
    """A second name (`-o`)."""
    metavar: str | None = None
    """What stands for the value in `--help`; None: its type."""
    env: str | None = None
    """The variable of the environment that counts where the flag is not given."""
    min: float | None = None
    max: float | None = None
    panel: str = ""
    """The panel of `--help` that shows the flag."""
    table: str = ""
    """The one table of an experiment's file that may name it (`providers`, `prompts`). Empty: it is a key of `[options]` if it has a flag."""
    read_by: frozenset[str] = frozenset()
    """The providers that read it; empty: all. Whoever gives its flag for another provider is warned."""
    is_negated: bool = False
    """The flag turns the field off (`--no-tests`)."""
    is_path: bool = False
    """A relative path starts at the current folder, in an experiment's file at the folder of that."""
    is_list: bool = False
    """Several values are given in one word, separated by commas; without it the flag is repeated."""
    is_derived: bool = False
    """Without the flag the value comes from the other options, and not from the default of the field."""
    changes_results: bool = True
    """Whether it can change a record of a run. What cannot is no part of a run's identity."""
    is_later: bool = False
    """Runs were made by versions without it. At its default it is no part of a run's identity, so that these go on."""


@cache
def hints_of(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a struct's fields, each `Annotated` as it is declared."""
    return get_type_hints(kind, include_extras=True)


@cache
def declarations(kind: type[msgspec.Struct]) -> Mapping[str, Option]:
    """The declarations of a struct by the names of its fields; fields without one are left out."""
    found = {
        name: [each for each in get_args(hint)[1:] if isinstance(each, Option)] for name, hint in hints_of(kind).items()
    }
    return {name: options[0] for name, options in found.items() if options}


def identity(options: msgspec.Struct) -> dict[str, Any]:
    """The options that identify a run, as JSON values: a run is continued only under the same."""
    kept: dict[str, Any] = msgspec.to_builtins(options)
    declared = declarations(type(options))
    for field in msgspec.structs.fields(options):
        value, option = getattr(options, field.name), declared.get(field.name, Option())
        if not option.changes_results or (option.is_later and value == field.default):
            kept.pop(field.name)
        elif isinstance(value, msgspec.Struct):
            kept[field.name] = identity(value)
    return kept
