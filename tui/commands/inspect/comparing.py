"""The command `compare`: folders of runs in; the table, the document, the page or the screen out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from replay.errors import StoreError
from replay.numbers.clusters import common_clusters
from replay.numbers.comparison import ComparedRun, compare, compare_sides
from replay.options import ClusterBy
from replay.run.catalogue.run_entries import state_of
from replay.run.catalogue.run_lookup import find_run, run_name
from replay.run.store import Store
from tui.commands.inspect.inspecting import can_draw
from tui.errors import ConfigurationError, NoTerminalError
from tui.tables.comparison_markdown import comparison_markdown

if TYPE_CHECKING:
    from tui.comparing.model import ComparedRuns


def compare_command(
    sides: Sequence[Sequence[Path]],
    cluster_by: str,
    asked: float,
    *,
    changed: int,
    screen: bool,
    markdown: bool,
    json: bool,
) -> dict[str, Any]:
    """Compare sides by the folders of their runs (`sides_of`), and show it as a table, on the screen or as Markdown; return the document, which with `json` is not shown yet (empty after the screen).

    Raises:
        ConfigurationError: as `compared`; or the outputs exclude each other.
        StoreError: there is no run in a folder.

    """
    if screen + markdown + json > 1:
        raise ConfigurationError("--tui, --markdown and --json exclude each other")
    if screen:
        _look_at(sides, cluster_by, asked)
        return {}
    found = compared(sides, cluster_by, asked)
    if markdown:
        sys.stdout.write(comparison_markdown(found, changed))
    elif not json:
        show(found, changed)
    return found


def check_page(sides: Sequence[Sequence[Path]], out: Path, *, screen: bool) -> None:
    """Refuse a page that cannot be made, before anything is compared.

    Raises:
        ConfigurationError: there are more runs than a page can show, the file is a folder, or the comparison is shown on the screen.

    """
    from tui.commands.inspect.reporting import check_report

    if screen:
        raise ConfigurationError("--html and --tui exclude each other")
    check_report(list(chain(*sides)), out)


def write_page(sides: Sequence[Sequence[Path]], found: Mapping[str, Any], out: Path) -> None:
    """Write the comparison of some sides as a page: the report of their runs.

    Raises:
        ConfigurationError: the file cannot be made.

    """
    from tui.commands.inspect.reporting import write_report

    write_report(list(chain(*sides)), out, found)


def sides_of(named: Sequence[str]) -> list[list[Path]]:
    """The folders of the runs on each side: a side is a run, or several with commas between them.

    Raises:
        StoreError: there is no such run.

    """
    return [_side_of(words) for words in named]


def _side_of(words: str) -> list[Path]:
    with suppress(StoreError):
        return [find_run(words)]  # its name may have commas
    return [find_run(word) for word in words.split(",")]


def _look_at(sides: Sequence[Sequence[Path]], cluster_by: str, asked: float) -> None:
    folders = [folder for side in sides for folder in side]
    if len(folders) != 2:
        raise ConfigurationError("--tui shows two runs")
    look(folders[0], folders[1], cluster_by, asked)


def compared(sides: Sequence[Sequence[Path]], cluster_by: str, asked: float) -> dict[str, Any]:
    """Compare sides with the first of them, by the folders of their runs; `asked` is the least difference that matters, as a share.

    Raises:
        StoreError: there is no run in a folder.
        ConfigurationError: nothing can be clustered by this, a run is named twice, sides have not as many runs, or runs at the same place share no moment.

    """
    by, folders = clusters(cluster_by), list(chain(*sides))
    if len(sides) < 2:
        raise ConfigurationError("compare takes two runs or more: `ghosttape runs` lists those there are")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ConfigurationError("the same run is named twice: compare takes different ones")
    if len({len(side) for side in sides}) > 1:
        numbers = ", ".join(str(len(side)) for side in sides)
        raise ConfigurationError(
            f"each side needs as many runs as the others, to be paired in their order: here are {numbers}"
        )
    runs = [[kept_run(folder) for folder in side] for side in sides]
    for other in runs[1:]:
        for pair in zip(runs[0], other, strict=True):
            _refuse_unshared(*pair)
    return compare_sides(runs, by, asked)


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
            f"{first.name} and {second.name} have no moment in common: compare runs over the same tapes under the same policy (`ghosttape report` shows any runs side by side)"
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
    from tui.tables.comparison_table import comparison_table

    SafeConsole().print(comparison_table(found, changed))
