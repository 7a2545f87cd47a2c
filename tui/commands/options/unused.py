"""Flags that the chosen provider does not look at: said, so that nobody believes that they did something."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import typer

_SERVERS = frozenset({"openai", "llamacpp", "ollama", "anthropic"})
READ_BY: Mapping[str, frozenset[str]] = {
    "model": _SERVERS | {"gguf"},
    "base_url": _SERVERS,
    "command": frozenset({"lsp"}),
    "answers": frozenset({"recorded", "oracle"}),
    "text": frozenset({"fixed"}),
}
"""Parameter of a command: the providers that read it."""
_FLAGS = {"base_url": "--base-url", "command": "--server"}


def warn_unused(context: typer.Context, provider: str) -> None:
    """Say on standard error which flags of the command line the provider does not look at.

    What the environment says holds for many commands, and is no mistake where one of them has no use for it.
    """
    for name, readers in READ_BY.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and provider not in readers and sys.stderr is not None:
            flag, known = _FLAGS.get(name, f"--{name}"), ", ".join(sorted(readers))
            sys.stderr.write(f"ghosttape: warning: provider {provider} does not look at {flag} (only {known})\n")
