"""The command `evaluate`: a corpus in, progress on standard error, the table and the summary out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.evaluation_options import EvaluateOptions
from corpora.labels.groups import LabelName
from corpora.run.source import CorpusSource
from tui.commands.runs.engine_run import print_tables, run_sources, show_failed
from tui.console import SafeConsole


async def run(
    options: EvaluateOptions, out: Path | None, by: Sequence[LabelName] = (), *, quiet: bool
) -> dict[str, Any]:
    """Evaluate and show, by these labels too; a folder that holds a run of the same configuration is continued. With `quiet` nothing is printed."""
    source = CorpusSource.of(options)
    options = source.options
    summary, folder = await run_sources(options, [source], source.summarise, out, waits=not quiet)
    if not quiet:
        show(summary, folder, by)
    show_untested(summary, folder)
    show_failed(summary, folder)
    return summary


def show_all(summary: Mapping[str, Any], folder: Path, by: Sequence[LabelName] = ()) -> None:
    """Print the table, and what could not be tested."""
    show(summary, folder, by)
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


def show(summary: Mapping[str, Any], folder: Path, by: Sequence[LabelName]) -> None:
    """Print the table, by these labels too, and how to look closer."""
    from tui.tables.evaluation_table import scores_table

    print_tables(
        summary, scores_table(summary, by), folder, "Every task of this run, with the prompt, the program and its log"
    )
