"""The command `compare`: two folders of runs in, the table or the document out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

from replay.numbers.comparison import ComparedRun, compare
from replay.options import ClusterBy
from replay.run.store import Store
from tui.errors import ConfigurationError


def compared(first: Path, second: Path, cluster_by: str, asked: float) -> dict[str, Any]:
    """Compare two runs by their folders; `asked` is the least difference that matters, as a share.

    Raises:
        StoreError: there is no run in a folder.
        ConfigurationError: nothing can be clustered by this, or the runs share no moment.

    """
    if cluster_by not in get_args(ClusterBy):
        raise ConfigurationError(f"--cluster-by: {cluster_by!r} is none of {', '.join(get_args(ClusterBy))}")
    runs = _kept(first), _kept(second)
    if not set.intersection(*({record.moment.id for record in run.records} for run in runs)):
        raise ConfigurationError(
            f"{first} and {second} have no moment in common: compare runs over the same tapes under the same policy"
        )
    return compare(*runs, cast(ClusterBy, cluster_by), asked)


def _kept(folder: Path) -> ComparedRun:
    with Store.open(folder) as store:
        return ComparedRun(str(folder), store.config, tuple(store.records()))


def show(found: Mapping[str, Any]) -> None:
    """Print the table."""
    from tui.console import SafeConsole
    from tui.tables.comparison import comparison_table

    SafeConsole().print(comparison_table(found))
