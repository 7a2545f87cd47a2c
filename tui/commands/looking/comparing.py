"""The command `compare`: folders of runs in; the table, the document or the screen out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from replay.numbers.clusters import common_clusters
from replay.numbers.comparison import ComparedRun, compare, compare_runs
from replay.options import ClusterBy
from replay.run.catalogue.entries import state_of
from replay.run.catalogue.finding import find_run, run_name
from replay.run.store import Store
from tui.commands.looking.inspecting import can_draw
from tui.errors import ConfigurationError, NoTerminalError
from tui.tables.comparison_markdown import comparison_markdown

if TYPE_CHECKING:
    from tui.comparing.model import ComparedRuns


def compare_command(
    named: Sequence[str], cluster_by: str, asked: float, *, changed: int, screen: bool, markdown: bool, json: bool
) -> dict[str, Any]:
    """Compare runs by their names, and show it as a table, on the screen or as Markdown; return the document, which with `json` is not shown yet (empty after the screen).

    Raises:
        ConfigurationError: as `compared`; or the outputs exclude each other.
        StoreError: there is no such run.

    """
    if screen + markdown + json > 1:
        raise ConfigurationError("--tui, --markdown and --json exclude each other")
    folders = [find_run(name) for name in named]
    if screen and len(folders) != 2:
        raise ConfigurationError("--tui shows two runs")
    if screen:
        look(folders[0], folders[1], cluster_by, asked)
        return {}
    found = compared(folders, cluster_by, asked)
    if markdown:
        sys.stdout.write(comparison_markdown(found, changed))
    elif not json:
        show(found, changed)
    return found


def compared(folders: Sequence[Path], cluster_by: str, asked: float) -> dict[str, Any]:
    """Compare runs with the first of them, by their folders; `asked` is the least difference that matters, as a share.

    Raises:
        StoreError: there is no run in a folder.
        ConfigurationError: nothing can be clustered by this, a run is named twice, or one shares no moment with the first.

    """
    by = clusters(cluster_by)
    if len(folders) < 2:
        raise ConfigurationError("compare takes two runs or more: `ghosttape runs` lists those there are")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ConfigurationError("the same run is named twice: compare takes different ones")
    runs = [kept_run(folder) for folder in folders]
    for run in runs[1:]:
        _refuse_unshared(runs[0], run)
    return compare_runs(runs, by, asked)


def look(first: Path, second: Path, cluster_by: str, asked: float) -> None:
    """Show two runs side by side until the user quits; arguments and errors as of `compared`.

    Raises:
        NoTerminalError: there is no terminal to draw on.

    """
    by = clusters(cluster_by)
    if not can_draw():
        raise NoTerminalError("--tui needs a terminal; without it, `ghosttape compare` prints the figures")
    both = side_by_side(first, second, by, asked)
    from tui.comparing.app import ComparisonApp
    from tui.inspector.app import Inspector

    screen = ComparisonApp(both)
    screen.run()
    while screen.inspected is not None:
        side, moment = screen.inspected
        Inspector((first, second)[side], moment).run()
        screen = ComparisonApp(both, screen.place)
        screen.run()


def side_by_side(first: Path, second: Path, by: ClusterBy | None, asked: float) -> ComparedRuns:
    """Two runs as their screen takes them; arguments and errors as of `compared`."""
    from tui.comparing.model import ComparedRuns, pairs_of

    runs = _both(first, second)
    pairs = pairs_of(*(run.records for run in runs))
    return ComparedRuns(
        compare(*runs, by or common_clusters(run.by for run in runs), asked),
        pairs,
        (runs[0].config, runs[1].config),
        (_origins(first), _origins(second)),
    )


def clusters(named: str) -> ClusterBy | None:
    """What moments are clustered by, by its name; empty: what the runs themselves go by.

    Raises:
        ConfigurationError: nothing can be clustered by this.

    """
    if not named:
        return None
    if named not in get_args(ClusterBy):
        raise ConfigurationError(f"--cluster-by: {named!r} is none of {', '.join(get_args(ClusterBy))}")
    return cast(ClusterBy, named)


def _both(first: Path, second: Path) -> tuple[ComparedRun, ComparedRun]:
    runs = kept_run(first), kept_run(second)
    _refuse_unshared(*runs)
    return runs


def _refuse_unshared(first: ComparedRun, second: ComparedRun) -> None:
    if not {record.moment.id for record in first.records} & {record.moment.id for record in second.records}:
        raise ConfigurationError(
            f"{first.name} and {second.name} have no moment in common: compare runs over the same tapes under the same policy"
        )


def kept_run(folder: Path) -> ComparedRun:
    """A run as it is compared, by its folder.

    Raises:
        StoreError: there is no run in it.

    """
    with Store.open(folder) as store:
        records, summary = tuple(store.records()), store.fact("summary") or {}
        return ComparedRun(run_name(folder), store.config, records, summary, store.cluster_by, state_of(store))


def _origins(folder: Path) -> Mapping[str, str]:
    with Store.open(folder) as store:
        return cast("Mapping[str, str]", store.fact("origins") or {})


def show(found: Mapping[str, Any], changed: int) -> None:
    """Print the table, with so many of the moments that changed."""
    from tui.console import SafeConsole
    from tui.tables.comparison import comparison_table

    SafeConsole().print(comparison_table(found, changed))
