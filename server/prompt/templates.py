"""The fill-in-the-middle templates of the model families (`templates.toml`), and the family of a model's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import msgspec

from server.context import Snippet
from server.errors import SettingsError
from server.nearest import did_you_mean

_FIELD = re.compile(r"\{(before|after|repo|path|text|others)\}")


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The template of one family; `templates.toml` explains each member."""

    name: str
    names: tuple[str, ...]
    file: str
    stops: tuple[str, ...]
    source: str
    project: str = ""
    other: str = ""

    def fill(self, before: str, after: str) -> str:
        """The prompt whose continuation is the missing middle."""
        return _filled(self.file, {"before": before, "after": after})

    def fill_project(self, others: Iterable[Snippet], this: Snippet, after: str, repo: str) -> str:
        """The prompt with other files; `this` has the path and the text before the cursor."""
        shown = "".join(_filled(self.other, {"path": other.path, "text": other.text}) for other in others)
        values = {"before": this.text, "after": after, "path": this.path, "repo": repo, "others": shown}
        return _filled(self.project, values)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The special tokens of the family, as they occur in a prompt."""
        pieces = _FIELD.split(f"{self.file}{{}}{self.project}{{}}{self.other}")[::2]
        return tuple(sorted({word for piece in pieces for word in re.findall(r"<[^<>\s]+>|\[[A-Z]+\]", piece)}))


def _filled(form: str, values: Mapping[str, str]) -> str:
    """The form with its fields filled in; braces in a value are not fields."""
    return "".join(values[piece] if number % 2 else piece for number, piece in enumerate(_FIELD.split(form)))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    family: tuple[Template, ...]


def _read() -> Mapping[str, Template]:
    text = Path(__file__).with_name("templates.toml").read_text("utf-8")
    return MappingProxyType({family.name: family for family in msgspec.toml.decode(text, type=_File).family})


TEMPLATES: Mapping[str, Template] = _read()
"""Families by name, in the order in which they are tried for a model's name."""


def template_of(name: str, model: str) -> Template | None:
    """The template of this name, else the one that fits the model's name; None if neither exists.

    Raises:
        SettingsError: the name is unknown.

    """
    if name and name not in TEMPLATES:
        known = f"{', '.join(sorted(TEMPLATES))}{did_you_mean(name, TEMPLATES)}"
        raise SettingsError(f"provider.template: {name!r} is none of {known}")
    if name:
        return TEMPLATES[name]
    lowered = model.lower()
    return next((one for one in TEMPLATES.values() if any(re.search(part, lowered) for part in one.names)), None)
