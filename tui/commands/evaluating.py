"""The command `evaluate`: a corpus in, progress on standard error, the table and the summary out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from corpora.options import LENGTH, EvaluateOptions
from corpora.source import CorpusSource
from server.settings import ProviderSettings, Settings
from tui.commands.configuration import settings_of
from tui.commands.running import run_sources
from tui.console import SafeConsole
from tui.errors import ConfigurationError


def evaluate_settings(
    settings: str, flags: Mapping[str, Any], repairs: str | None, *, published: str, ablate: str = ""
) -> Settings:
    """The server's settings for an evaluation: answers may have `LENGTH` tokens, unless anything names another number.

    Published answers are judged as they were published, without repairs, unless repairs are named or compared (`ablate`).

    Raises:
        SettingsError, ConfigurationError: a flag is malformed, or names something unknown.

    """
    if published and (flags.get("name") not in {"", "recorded"} or flags.get("answers")):
        raise ConfigurationError("--published takes the answers from the corpus: leave --provider and --answers out")
    named = {**flags, "name": "recorded", "required": True} if published else flags
    base = Settings(provider=ProviderSettings(max_tokens=LENGTH))
    as_published = structs.replace(base, repairs=()) if published and not ablate else base
    return settings_of(settings, named, base=as_published, repairs=repairs)


def words(text: str) -> tuple[str, ...]:
    """The words of a flag that takes several, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


async def run(options: EvaluateOptions, out: Path | None, *, quiet: bool) -> dict[str, Any]:
    """Evaluate and show; a folder that holds a run of the same configuration is continued. With `quiet` nothing is printed."""
    source = CorpusSource.of(options)
    options = source.options
    summary, folder = await run_sources(options, [source], source.summarise, out)
    if not quiet:
        show(summary, folder)
    show_untested(summary, folder)
    return summary


def show_all(summary: Mapping[str, Any], folder: Path) -> None:
    """Print the table, and what could not be tested."""
    show(summary, folder)
    show_untested(summary, folder)


def show_untested(summary: Mapping[str, Any], folder: Path) -> None:
    """Say how many answers could not be tested, and how they can be."""
    if failed := summary["verdicts"].get("infrastructure", 0):
        again = f"The same command with --out {shlex.quote(str(folder))} tests them."
        SafeConsole(stderr=True).print(
            f"{failed:,} answers could not be tested here, which is not their fault, and count nowhere.\n{again}",
            style="yellow",
            soft_wrap=True,
        )


def show(summary: Mapping[str, Any], folder: Path) -> None:
    """Print the table, and how to look closer."""
    from tui.tables.ablation import ablation_table
    from tui.tables.scores import scores_table

    console = SafeConsole()
    console.print(scores_table(summary))
    if "ablation" in summary:
        console.print(ablation_table(summary["ablation"]))
    console.print(
        f"Every task of this run, with the prompt, the program and its log:\n  ghosttape tui {folder}",
        style="bold",
    )
