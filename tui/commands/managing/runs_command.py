"""The commands of `ghosttape runs`: which runs there are, and what is done with one of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import typer

from replay.run.catalogue.changing import delete_run, refuse_written
from replay.run.catalogue.run_entries import entry_of, listed_runs
from replay.run.catalogue.run_lookup import find_run, run_folders, run_name
from replay.run.folders import RUNS
from replay.run.store import Store
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of
from tui.tables.runs_table import runs_table, size_words


def listed(tag: str) -> list[dict[str, Any]]:
    """Return what a list shows of all runs (of those with a tag), as JSON; the one that was written last comes first."""
    entries = listed_runs(run_folders())
    chosen = [one for one in entries if not tag or tag in one.tags]
    found: list[dict[str, Any]] = msgspec.to_builtins(chosen, enc_hook=str)
    return found


def show_list(entries: Sequence[Mapping[str, Any]]) -> None:
    """Print the list."""
    if not entries:
        typer.echo(f"There is no such run in {RUNS}: `ghosttape replay demo` makes one.", err=True)
        return
    SafeConsole().print(runs_table(entries, time.time()))


def finished_summary(folder: Path) -> dict[str, Any]:
    """Return the summary of a finished run; its `run` is where it is now.

    Raises:
        ConfigurationError: it has not come to its end.
        StoreError: it cannot be read.

    """
    with Store.open(folder) as store:
        summary: dict[str, Any] | None = store.fact("summary")
        state, count = "is being written" if store.is_written else "was stopped before its end", store.count()
    if summary is None:
        raise ConfigurationError(
            f"{run_name(folder)} {state} and has no table yet: `ghosttape tui {folder}` shows its "
            f"{number_of(count, 'moment')}; the same command with --out {folder} goes on"
        )
    return summary | {"run": str(folder)}


def show_run(summary: dict[str, Any], folder: Path) -> None:
    """Print the table of a run again."""
    if "corpus" in summary:
        from tui.commands.runs.evaluating import show_all

        show_all(summary, folder)
        return
    from tui.commands.runs.replaying import show

    show(summary, folder)


def delete(named: Sequence[str], *, yes: bool, force: bool) -> None:
    """Delete runs, after a question unless `yes`; those that are being written only by `force`.

    Raises:
        ConfigurationError: nobody can be asked, or the answer is no.
        StoreError: there is no such run, or it is being written.

    """
    folders = list(dict.fromkeys(find_run(name) for name in named))
    for folder in folders:
        if not force:
            refuse_written(folder)
    if not yes:
        _ask(folders)
    for folder in folders:
        delete_run(folder, force=force)
        typer.echo(f"deleted {folder}", err=True)


def _ask(folders: Sequence[Path]) -> None:
    for entry in map(entry_of, folders):
        tags = f", tags {', '.join(entry.tags)}" if entry.tags else ""
        said = f"{entry.name}: {entry.state}, {number_of(entry.moments, 'moment')}, {size_words(entry.size)}{tags}"
        typer.echo(said, err=True)
    if not sys.stdin.isatty():
        raise ConfigurationError("nothing is deleted, as nobody can be asked here: --yes deletes without a question")
    if not typer.confirm(f"Delete {number_of(len(folders), 'run')} for good?", default=False, err=True):
        raise ConfigurationError("nothing is deleted")
