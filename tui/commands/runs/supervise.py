"""The command `watch`: the tapes of a folder, replayed as they appear or grow."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tui.errors import ConfigurationError, InterruptedRunError
from tui.folders.replays import FolderReplays
from tui.folders.watch_text import event_line
from tui.live.starting import has_screen

_NOT_HERE = ("--out", "--json", "--live")


def watch(folder: Path, words: Sequence[str], *, live: bool) -> None:
    """Watch a folder until Ctrl-C, SIGTERM or SIGHUP, on the live screen or with a line for each thing that happens.

    Raises:
        ConfigurationError: an option is none of `ghosttape replay`, or has no sense here.

    """
    for word in words:
        if word.partition("=")[0] in _NOT_HERE:
            raise ConfigurationError(f"watch chooses {word.partition('=')[0]} itself: leave it out")
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(
            f"{folder} is no folder: watch takes a folder of tapes; `ghosttape replay` plays a file"
        )
    if live and has_screen():
        asyncio.run(_on_screen(folder, words))
        return
    _say(f"tapes that appear in {folder}, or grow there, are replayed; Ctrl-C ends it")
    asyncio.run(_in_lines(folder, words))


async def _on_screen(folder: Path, words: Sequence[str]) -> None:
    from tui.folders.folder_screen import WatchApp

    screen = WatchApp(folder, list(words))
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, screen.interrupt
    )  # a terminal that is gone ends it at once
    await screen.run_async()
    await screen.ended()
    if screen.problem:
        raise ConfigurationError(screen.problem)
    if screen.is_interrupted:
        raise InterruptedRunError("interrupted; what was finished is kept")


async def _in_lines(folder: Path, words: Sequence[str]) -> None:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    for sign in (signal.SIGTERM, signal.SIGHUP):
        if task is not None and signal.getsignal(sign) is not signal.SIG_IGN:  # as under nohup
            loop.add_signal_handler(sign, _cancel_once, task)
    await FolderReplays(folder, words, lambda event: _say(event_line(event))).run()


def _cancel_once(task: asyncio.Task[None]) -> None:
    if not task.cancelling():
        task.cancel()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
