"""Flags that the chosen provider does not look at: said, so that nobody believes that they did something."""

from __future__ import annotations

import sys

import typer

from server.settings import ProviderSettings
from tui.declared_flags import flags_of


def warn_unused(context: typer.Context, provider: str) -> None:
    """Say on standard error which flags of the command line the provider does not look at.

    What the environment says holds for many commands, and is no mistake where one of them has no use for it.
    """
    for flag in flags_of(ProviderSettings):
        source, readers = context.get_parameter_source(flag.key), flag.option.read_by or {provider}
        if source is not None and source.name == "COMMANDLINE" and provider not in readers and sys.stderr is not None:
            known = ", ".join(sorted(readers))
            sys.stderr.write(f"ghosttape: warning: provider {provider} does not look at {flag.words} (only {known})\n")
