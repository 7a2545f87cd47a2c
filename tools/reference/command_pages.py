"""The commands of `ghosttape`, one page each, read from the command tree that the command line itself uses."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer

from tools.reference.page_markdown import bullets, page, paragraph, table

_KINDS = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "PATH"}


def command_pages(app: typer.Typer) -> Mapping[str, str]:
    """Return the pages by name: one for each command of the top, with those below it, and `README.md` with a list of all."""
    tree: Any = typer.main.get_command(app)
    pages = {f"{name}.md": _page(name, command) for name, command in tree.commands.items()}
    rows = [
        (f"[`ghosttape {' '.join(words)}`]({words[0]}.md)", _first(command))
        for words, command in _walk(tree, ())
        if not _is_group(command)
    ]
    about = "Here you look up every command; each page has all of its options."
    return {"README.md": page("Commands", about, table(("command", "what it does"), rows)), **pages}


def _walk(group: Any, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        yield (*above, name), command
        if _is_group(command):
            yield from _walk(command, (*above, name))


def _is_group(command: Any) -> bool:
    return hasattr(command, "commands")


def _page(name: str, command: Any) -> str:
    parts = [_body(command)]
    if _is_group(command):
        for words, below in _walk(command, (name,)):
            parts.append(f"## {' '.join(words[1:])}\n\n{paragraph(_first(below))}\n\n{_body(below)}")
    return page(f"ghosttape {name}", _first(command), *parts)


def _body(command: Any) -> str:
    """Return the rest of the help, and the parameters by panel."""
    rest = inspect.cleandoc(command.help or "").split("\n\n")[1:]
    parts = [_text(part) for part in rest]
    panels: dict[str, list[str]] = {}
    for parameter in command.params:
        if parameter.name != "help" and not getattr(parameter, "hidden", False):
            panel = getattr(parameter, "rich_help_panel", None)
            panels.setdefault(panel if isinstance(panel, str) else "", []).append(_parameter(parameter))
    for panel, items in panels.items():
        parts += [f"**{panel}**"] if panel else []
        parts.append(bullets(items))
    return "\n\n".join(parts)


def _text(part: str) -> str:
    """Return a part of a help text, whose lists begin with `* `."""
    lines = part.splitlines()
    head = [line for line in lines if not line.startswith("* ")]
    items = [line[2:] for line in lines if line.startswith("* ")]
    return "\n\n".join(filter(None, [paragraph(" ".join(head)), bullets(items)]))


def _parameter(parameter: Any) -> str:
    """Return a parameter as `` `--limit INTEGER`: words. (default: 10) ``."""
    is_option = any(each.startswith("-") for each in parameter.opts)
    value = parameter.metavar or _value(parameter)
    names = (
        ", ".join([*parameter.opts, *parameter.secondary_opts])
        if is_option
        else parameter.metavar or parameter.name.upper()
    )
    shown = f"`{names} {value}`" if is_option and value else f"`{names}`"
    notes = []
    if default := _default(parameter):
        notes.append(f"default: {default}")
    if parameter.envvar:
        names_ = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar
        notes.append("environment: " + ", ".join(f"`{each}`" for each in names_))
    if parameter.required:
        notes.append("required")
    return f"{shown}: {parameter.help or ''}" + (f" ({'; '.join(notes)})" if notes else "")


def _default(parameter: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    if callable(value) or value is None or value is False or value in ("", (), [], "{}"):
        return ""
    return f"`{value}`" if not isinstance(value, bool) else ""


def _value(parameter: Any) -> str:
    """Return what stands for a parameter's value: choices, or the kind of value; empty for a switch."""
    return _kind(getattr(getattr(parameter, "type_descriptor", None), "annotation", str))


def _kind(annotation: Any) -> str:
    inner = [each for each in get_args(annotation) if each is not type(None)]
    if get_origin(annotation) is Literal:
        return "|".join(map(str, inner))
    if get_origin(annotation) in (list, tuple, Union, types.UnionType) and inner:
        return _kind(inner[0])
    return "" if annotation is bool else _KINDS.get(annotation, "TEXT")


def _first(command: Any) -> str:
    """Return the first paragraph of a command's help."""
    return " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())
