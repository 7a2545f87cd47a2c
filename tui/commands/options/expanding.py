"""A command whose options stand in dataclasses, each a field, as typer wants them: each a parameter."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")


def expanded(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command, in the place of each parameter whose type is a dataclass, the fields of that as parameters.

    Names, types (`Annotated` with the words of the help) and defaults are those of the fields: `limit: MomentLimit = None`
    becomes the option `--limit`.
    """
    hints = get_type_hints(command, include_extras=True)
    own = [one.replace(annotation=hints[one.name]) for one in inspect.signature(command).parameters.values()]
    groups: dict[str, Any] = {one.name: one.annotation for one in own if dataclasses.is_dataclass(one.annotation)}
    parameters = [each for one in own for each in (_fields(one.annotation) if one.name in groups else (one,))]

    @functools.wraps(command)
    def run(**given: Any) -> R:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        return command(**given, **made)

    run.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _fields(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        default = Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])
