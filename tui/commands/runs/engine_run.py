"""What the commands `replay` and `evaluate` share: a run of an engine, its progress, and what is said when it is stopped."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from replay.errors import ProviderFailsError
from replay.options import RunOptions
from replay.play.playback import Playback
from replay.run.engine import Engine, Summarise
from replay.run.folders import new_folder
from replay.run.run_spending import keep_cost, own_use
from replay.run.sharing import Sharing
from replay.run.sources.seam import Source
from runners.errors import MachineFails
from tui.commands.options.configuration import file_of
from tui.console import SafeConsole
from tui.errors import InterruptedRunError, LackingError
from tui.live.starting import WATCHED, warn_of_sandbox
from tui.summary_figures import cost_words, number_of
from tui.watching.progress import Progress
from tui.watching.watch_keys import keys_for

if TYPE_CHECKING:
    from corpora.codealign.suggestion_adherence import InstructionAdherence


async def run_sources(
    options: RunOptions,
    sources: Sequence[Source],
    summarise: Summarise,
    out: Path | None,
    *,
    speed: float | None = None,
    how_to_go_on: Callable[[Path], str] | None = None,
    waits: bool = True,
    sharing: Sharing | None = None,
) -> tuple[dict[str, Any], Path]:
    """Play sources and show how far it is; give the summary and the folder of the run. It `waits` for a model server that fails, if there is a terminal, or the live screen.

    `sharing` is what the run has in common with others of an experiment.

    Raises:
        InterruptedRunError, MachineFails, ProviderFailsError: the run was stopped; says where it is kept, and how it is continued (`how_to_go_on`, given the folder).
        LackingError: the folder was removed in the meantime.

    """
    go_on = how_to_go_on or how_to_continue
    playback, folder = Playback(speed), out or new_folder(options)
    warn_of_sandbox(SafeConsole(stderr=True), options)
    _end_on_signals()
    try:
        with (
            Progress(SafeConsole(stderr=True), options, playback if speed else None) as progress,
            keys_for(playback, watched=speed is not None),
        ):
            watched = (waits and progress.console.is_terminal) or WATCHED in os.environ
            engine = Engine(
                options,
                progress.listen,
                summarise,
                playback=playback,
                waits=watched,
                sharing=sharing,
                adherence=adherence_of(options),
            )
            summary = await engine.run(sources, folder)
    except asyncio.CancelledError as error:
        raise InterruptedRunError(f"interrupted; {go_on(folder)}") from error
    except (MachineFails, ProviderFailsError) as error:
        kept = f"\n{go_on(folder)}" if (folder / "run.sqlite").exists() else ""
        raise type(error)(f"{error}{kept}") from error
    if not (folder / "run.sqlite").exists():
        raise LackingError(
            f"{folder} was removed while the run was going on, and the run with it: the same command makes it anew"
        )
    if sharing is None:
        _count_cost(options, folder, summary)
    return summary, folder


def _count_cost(options: RunOptions, folder: Path, summary: dict[str, Any]) -> None:
    """Put into the summary what was asked of a provider that may cost something."""
    if options.is_free:
        return
    use = own_use(folder, options.settings.provider.model, file_of(Path()).prices)
    if use.input_tokens or use.untold:
        keep_cost(folder, summary, use)


def adherence_of(options: RunOptions) -> InstructionAdherence | None:
    """What checks suggestions against the instructions of a run; None where none was chosen."""
    if not options.instructions:
        return None
    from corpora.codealign.catalogue import instruction
    from corpora.codealign.suggestion_adherence import InstructionAdherence

    chosen = [instruction(id_) for id_ in options.instructions]
    return InstructionAdherence(chosen) if chosen else None


def print_tables(summary: Mapping[str, Any], table: RenderableType, folder: Path, held: str) -> None:
    """Print the table of a run, that of its ablation if it has one, and how to look closer: at what the run's folder has `held`."""
    from tui.tables.ablation_table import ablation_table

    console = SafeConsole()
    console.print(table)
    if "ablation" in summary:
        console.print(ablation_table(summary["ablation"]))
    if words := cost_words(summary):
        console.print(words)
    console.print(f"{held}:\n  ghosttape tui {folder}", style="bold", highlight=False)


def show_failed(summary: Mapping[str, Any], folder: Path) -> None:
    """Say how many requests failed, and how they are asked again."""
    if failed := summary["endings"].get("failed", 0):
        said = f"{number_of(failed, 'request')} failed, and nothing is decided there."
        again = f"The same command with --out {shlex.quote(str(folder))} asks again."
        SafeConsole(stderr=True).print(f"{said} {again}", style="yellow", soft_wrap=True)


def how_to_continue(folder: Path) -> str:
    """Say of a run that was stopped where it is kept, and how it goes on."""
    name = shlex.quote(str(folder))
    return (
        f"what was finished is kept in {folder}:\n  ghosttape tui {name}\n"
        f"The same command with --out {name} goes on from there."
    )


def _end_on_signals() -> None:
    """End a run on Ctrl-C and on SIGTERM: it says so at once, stops what runs, and takes it away."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is not None:
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
        loop.add_signal_handler(signal.SIGINT, _interrupt, task)


def _interrupt(task: asyncio.Task[Any]) -> None:
    first = not task.cancelling()
    if sys.stderr is not None:
        said = "stopping: the tests that run are ended, and what is finished is kept" if first else "still stopping"
        sys.stderr.write(f"\nghosttape: {said} …\n")
    if first:
        task.cancel()
