"""The command `tui`: which run to look at, and whether it can be looked at here."""

from __future__ import annotations

import sys
from pathlib import Path

from replay.run.folders import RUNS
from replay.run.store import Store
from tui.errors import NoRunError, NoTerminalError


def inspect(folder: Path | None) -> None:
    """Open the inspector on a run; on the latest one when none is named.

    Raises:
        StoreError, NoRunError: there is no run there.
        NoTerminalError: there is no terminal to draw on.

    """
    chosen = folder or latest()
    Store.open(chosen).close()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminalError(
            "the inspector needs a terminal; without one, `ghosttape replay --json` prints the figures"
        )
    from tui.inspector.app import run

    run(chosen)


def follow(folder: Path | None) -> None:
    """Open the live screen on a run that any process writes, has written, or will write; on the latest one when none is named.

    Raises:
        NoRunError: none is named, and there is none.
        NoTerminalError: there is no terminal to draw on.

    """
    chosen = folder or latest()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminalError(
            "--follow needs a terminal; without one, `ghosttape replay` says how far it is in plain lines"
        )
    from tui.live.app import LiveApp

    LiveApp(chosen).run()


def latest() -> Path:
    """The run that was made last.

    Raises:
        NoRunError: there is none in `.ghosttape/runs`.

    """
    runs = [path.parent for path in RUNS.glob("*/run.sqlite")]
    if not runs:
        raise NoRunError(f"there is no run in {RUNS}: make one with `ghosttape replay demo`, or name a run's folder")
    return max(runs, key=lambda path: max(file.stat().st_mtime for file in path.glob("run.sqlite*")))
