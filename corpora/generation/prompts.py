"""The prompts for new tasks, one for each language and category (`prompts.toml`)."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from server.prompt import ChatMessage


class _Prompts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: str
    categories: dict[str, str]
    languages: dict[str, str]


@cache
def _prompts() -> _Prompts:
    return msgspec.toml.decode((resources.files("corpora.generation") / "prompts.toml").read_bytes(), type=_Prompts)


def cell_messages(language: str, category: str) -> tuple[ChatMessage, ...]:
    """The chat that asks for one task of a language (LSP identifier) and a category."""
    prompts = _prompts()
    asked = f"{prompts.categories[category]}\n\n{prompts.languages[language]}\n\nWrite one task, as one JSON object."
    return ChatMessage("system", prompts.rules.strip()), ChatMessage("user", asked)
