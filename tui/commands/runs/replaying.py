"""The command `replay`: tapes in, progress on standard error, the table and the summary out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from replay.options import ReplayOptions
from replay.run.sources.tape_source import TapeSource, check_paths, unmatched
from replay.run.summary import summarise_replay
from replay.tapes.line_files import Torn
from replay.tapes.tape import find, read
from tui.commands.runs.engine_run import print_tables, run_sources, show_failed
from tui.console import SafeConsole


async def run(
    names: Sequence[str],
    options: ReplayOptions,
    out: Path | None,
    *,
    speed: float | None = None,
    quiet: bool,
    torn: Torn = "refuse",
) -> dict[str, Any]:
    """Replay and show, at a speed if it is to be watched. With `quiet` nothing is printed on standard output; `torn` as `read` has it."""
    tapes = [read(path, torn=torn) for path in find([bundled(name) for name in names])]
    check_paths(tapes, options.paths)
    for pattern in unmatched(tapes, options.excluded):
        warning = f"warning: --exclude {pattern}: no document of the tapes begins with it or matches it"
        SafeConsole(stderr=True).print(warning, style="yellow", soft_wrap=True)
    sources = [TapeSource(tape, options) for tape in tapes]
    summary, folder = await run_sources(options, sources, summarise_replay, out, speed=speed, waits=not quiet)
    if not quiet:
        show(summary, folder)
    show_failed(summary, folder)
    return summary


def show(summary: dict[str, Any], folder: Path) -> None:
    """Print the table, and how to look closer; where no tape could be played, only why."""
    from tui.tables.replay import nothing_played, replay_table

    if not summary["tapes"] and summary["left_out"]:
        SafeConsole().print(nothing_played(summary), soft_wrap=True)
        return

    held = "Every moment of this run, with the prompt, the repairs and the test output"
    print_tables(summary, replay_table(summary), folder, held)


def bundled(name: str) -> Path:
    """The path of tapes that are named; `demo` means the bundled ones where nothing else is called so."""
    if name == "demo" and not Path(name).exists():
        return Path(str(files("corpora"))) / "demo"
    return Path(name)
