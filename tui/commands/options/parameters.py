"""From declared flags to the parameters of commands, as typer wants them."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer
from typer.core import TyperCommand

from server.settings import ProviderSettings
from tui.declared_flags import Flag, Given, flags_of, is_struct
from tui.outcome import guarded

R = TypeVar("R")
T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class DeclaredFlags:
    """Stands beside the type of a command's parameter: of `Given` for several flags of a struct, of a value for one."""

    flags: tuple[Flag, ...]

    @classmethod
    def of(
        cls, kind: type[msgspec.Struct], *only: str, without: tuple[str, ...] = (), **defaults: Any
    ) -> DeclaredFlags:
        """The flags of a struct: all or some, by the names of their fields; some may have another default in a command."""
        chosen = [flag for flag in flags_of(kind) if flag.name not in without and (flag.name in only or not only)]
        return cls(tuple(dataclasses.replace(flag, default=defaults.get(flag.name, flag.default)) for flag in chosen))


class DeclaredCommand(TyperCommand):
    """A command that reads the help of its declared flags when it is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command and of its flags."""
        self._explain()
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a flag, with its help beside it."""
        self._explain()
        return super().shell_complete(ctx, incomplete)

    def _explain(self) -> None:
        flags: Mapping[str, Flag] = getattr(self.callback, "flags", {})
        for parameter in self.params:
            if parameter.name in flags:
                parameter.help = flags[parameter.name].help  # type: ignore[attr-defined]


def annotation_of(flag: Flag) -> Any:
    """The type of a flag as typer reads it. Its help is read from the source, and only when it is shown (`DeclaredCommand`)."""
    option = flag.option
    declared = typer.Option(
        *filter(None, (flag.words, option.short)),
        metavar=option.metavar,
        envvar=option.env,
        min=option.min,
        max=option.max,
        rich_help_panel=option.panel or None,
    )
    return Annotated[flag.type, declared]


def parameter_of(flag: Flag) -> Parameter:
    """The parameter of a command that takes a flag."""
    default = Parameter.empty if flag.default is msgspec.NODEFAULT else flag.default
    return Parameter(flag.key, Parameter.KEYWORD_ONLY, default=default, annotation=annotation_of(flag))


def command(
    app: typer.Typer, name: str | None = None, **settings: Any
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Add a command whose parameters may be groups of flags, and whose errors end with a line and a status."""

    def add(run: Callable[..., R]) -> Callable[..., R]:
        app.command(name, cls=DeclaredCommand, **settings)(guarded(expanded(run)))
        return run

    return add


def expanded(run: Callable[..., R]) -> Callable[..., R]:
    """Give a command, in the place of each parameter that is a group of flags, these as parameters.

    A group is a struct whose fields declare flags, or `Annotated[Given, DeclaredFlags.of(…)]`.
    """
    hints = get_type_hints(run, include_extras=True)
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    parameters, flags = list[Parameter](), dict[str, Flag]()
    for one in inspect.signature(run).parameters.values():
        hint = hints[one.name]
        declared = next((each for each in get_args(hint)[1:] if isinstance(each, DeclaredFlags)), None)
        if is_struct(hint) or (declared and get_origin(get_args(hint)[0]) is get_origin(Given)):
            group = {flag.key: flag for flag in (declared.flags if declared else flags_of(hint))}
            groups[one.name] = (dict if declared else functools.partial(_filled, hint), [*group])
            parameters += [parameter_of(flag) for flag in group.values()]
            flags |= group
        elif declared:
            parameters.append(one.replace(annotation=annotation_of(declared.flags[0])))
            flags[one.name] = declared.flags[0]
        else:
            parameters.append(one.replace(annotation=hint))

    @functools.wraps(run)
    def call(**given: Any) -> R:
        made = {name: make(**{key: given.pop(key) for key in keys}) for name, (make, keys) in groups.items()}
        return run(**given, **made)

    call.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    call.flags = flags  # type: ignore[attr-defined]
    return call


def _filled(kind: type[T], **given: Any) -> T:
    """A struct of flags with what was given."""
    return kind(**{flag.name: flag.member(given[flag.key]) for flag in flags_of(kind)})


def warn_unused(context: typer.Context, provider: str) -> None:
    """Say on standard error which flags of the command line the provider does not look at.

    What the environment says holds for many commands, and is no mistake where one of them has no use for it.
    """
    from server.providers.registry import PROVIDERS  # with all wrappers of providers

    if provider not in PROVIDERS:  # what a provider of another package reads is not known
        return
    for flag in flags_of(ProviderSettings):
        source, readers = context.get_parameter_source(flag.key), flag.option.read_by or {provider}
        if source is not None and source.name == "COMMANDLINE" and provider not in readers and sys.stderr is not None:
            known = ", ".join(sorted(readers))
            sys.stderr.write(f"ghosttape: warning: provider {provider} does not look at {flag.words} (only {known})\n")
