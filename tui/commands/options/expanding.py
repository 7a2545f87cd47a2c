"""A command whose options stand in a dataclass, each a field, as typer wants them: each a parameter."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")


def expanded(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command the fields of its dataclass as parameters, in the place of the one parameter that has this dataclass as its type.

    Names, types (`Annotated` with the words of the help) and defaults are those of the fields: `limit: MomentLimit = None`
    becomes the option `--limit`.
    """
    hints = get_type_hints(command, include_extras=True)
    (name, group) = next((name, hint) for name, hint in hints.items() if dataclasses.is_dataclass(hint))
    assert isinstance(group, type)
    fields = list(_parameters(group))

    @functools.wraps(command)
    def run(**given: Any) -> R:
        options = group(**{field.name: given.pop(field.name) for field in fields})
        return command(**given, **{name: options})

    own = [
        one.replace(annotation=hints[one.name])
        for one in inspect.signature(command).parameters.values()
        if one.name != name
    ]
    signature = inspect.Signature([*own, *fields], return_annotation=hints["return"])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return run


def _parameters(group: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
        )
