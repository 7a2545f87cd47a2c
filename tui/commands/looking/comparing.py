"""The command `compare`: two folders of runs in; the table, the document or the screen out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from replay.numbers.comparison import ComparedRun, compare
from replay.options import ClusterBy
from replay.run.store import Store
from tui.commands.looking.inspecting import can_draw
from tui.errors import ConfigurationError, NoTerminalError

if TYPE_CHECKING:
    from tui.comparing.model import ComparedRuns


def compared(first: Path, second: Path, cluster_by: str, asked: float) -> dict[str, Any]:
    """Compare two runs by their folders; `asked` is the least difference that matters, as a share.

    Raises:
        StoreError: there is no run in a folder.
        ConfigurationError: nothing can be clustered by this, or the runs share no moment.

    """
    by, runs = _clusters(cluster_by), _both(first, second)
    return compare(*runs, by, asked)


def look(first: Path, second: Path, cluster_by: str, asked: float) -> None:
    """Show two runs side by side until the user quits; arguments and errors as of `compared`.

    Raises:
        NoTerminalError: there is no terminal to draw on.

    """
    by = _clusters(cluster_by)
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


def side_by_side(first: Path, second: Path, by: ClusterBy, asked: float) -> ComparedRuns:
    """Two runs as their screen takes them; arguments and errors as of `compared`."""
    from tui.comparing.model import ComparedRuns, pairs_of

    runs = _both(first, second)
    pairs = pairs_of(*(run.records for run in runs))
    return ComparedRuns(
        compare(*runs, by, asked), pairs, (runs[0].config, runs[1].config), (_origins(first), _origins(second))
    )


def _clusters(named: str) -> ClusterBy:
    if named not in get_args(ClusterBy):
        raise ConfigurationError(f"--cluster-by: {named!r} is none of {', '.join(get_args(ClusterBy))}")
    return cast(ClusterBy, named)


def _both(first: Path, second: Path) -> tuple[ComparedRun, ComparedRun]:
    runs = _kept(first), _kept(second)
    if not set.intersection(*({record.moment.id for record in run.records} for run in runs)):
        raise ConfigurationError(
            f"{first} and {second} have no moment in common: compare runs over the same tapes under the same policy"
        )
    return runs


def _kept(folder: Path) -> ComparedRun:
    with Store.open(folder) as store:
        return ComparedRun(str(folder), store.config, tuple(store.records()))


def _origins(folder: Path) -> Mapping[str, str]:
    with Store.open(folder) as store:
        return cast("Mapping[str, str]", store.fact("origins") or {})


def show(found: Mapping[str, Any]) -> None:
    """Print the table."""
    from tui.console import SafeConsole
    from tui.tables.comparison import comparison_table

    SafeConsole().print(comparison_table(found))
