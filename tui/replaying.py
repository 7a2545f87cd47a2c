"""The command `replay`: tapes in, progress on standard error, the table and the summary out."""

from __future__ import annotations

import asyncio
import logging
import re
import shlex
import signal
import time
from collections.abc import Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console

from replay.engine import Engine
from replay.options import Options
from replay.orders import config_of
from replay.playback import Playback
from replay.store import Store
from replay.tape import Tape, find, read
from runners.errors import MachineFails
from tui.errors import InterruptedRunError
from tui.inspecting import RUNS
from tui.keys import keys_for
from tui.progress import Progress


async def run(
    names: Sequence[str], options: Options, out: Path | None, *, speed: float | None = None, quiet: bool
) -> dict[str, Any]:
    """Replay and show, at a speed if it is to be watched. With `quiet` nothing is printed on standard output."""
    playback = Playback(speed)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs what comes after a cancelled request
    end_on_sigterm()
    tapes = [read(path) for path in find([_path(name) for name in names])]
    folder = out or fresh(RUNS / _name(options))
    try:
        with (
            Store.create(folder, config_of(options)) as store,
            Progress(Console(stderr=True), options, playback if speed else None) as progress,
            keys_for(playback, watched=speed is not None),
        ):
            summary = await Engine(options, store, progress.listen, playback=playback).replay(tapes)
    except asyncio.CancelledError as error:
        raise InterruptedRunError(f"interrupted; {kept_in(folder, options)}") from error
    except MachineFails as error:
        raise MachineFails(f"{error}\n{kept_in(folder, options)}") from error
    if not quiet:
        show(summary, tapes, folder)
    return summary


def kept_in(folder: Path, options: Options) -> str:
    """Say of a run that was stopped where it is kept, and how what the model has answered is not asked again."""
    said = f"what was finished is kept in {folder}:\n  ghosttape tui {shlex.quote(str(folder))}"
    record = options.settings.get("provider", {}).get("record", {})
    if not record.get("path") or record["mode"] == "require":
        return said
    file = shlex.quote(record["path"])
    return f"{said}\nThe same command with --replay-answers {file} goes on from there: what is in the file is not asked again."


def end_on_sigterm() -> None:
    """End a run that is told to stop as Ctrl-C ends it: with everything stopped and taken away."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def show(summary: dict[str, Any], tapes: Sequence[Tape], folder: Path) -> None:
    """Print the table, and how to look closer."""
    from tui.ablation import ablation_table
    from tui.table import summary_table

    console = Console()
    console.print(summary_table(summary))
    if "ablation" in summary:
        console.print(ablation_table(summary["ablation"]))
    console.print(
        f"Every moment of this run, with the prompt, the repairs and the test output:\n  ghosttape tui {folder}",
        style="bold",
        highlight=False,
    )


def _path(name: str) -> Path:
    if name == "demo" and not Path(name).exists():
        return Path(str(files("corpora"))) / "demo"
    return Path(name)


def fresh(folder: Path) -> Path:
    """The folder, or the first free one of its name with a number: two runs may begin in the same second."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return folder if not folder.exists() else next(other for other in numbered if not other.exists())


def _name(options: Options) -> str:
    provider = options.settings.get("provider", {}).get("name", "gguf")
    words = f"{time.strftime('%Y%m%d-%H%M%S')}-{provider}-{options.policy}"
    return re.sub(r"[^\w.-]+", "-", words)
