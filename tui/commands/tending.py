"""The command `watch`: the tapes of a folder, replayed as they appear or grow."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from tui.errors import ConfigurationError
from tui.folders.replays import FolderReplays
from tui.folders.words import told
from tui.live.starting import has_screen

_NOT_HERE = ("--out", "--json", "--live")


def watch(folder: Path, words: Sequence[str], *, live: bool) -> None:
    """Watch a folder until Ctrl-C, on the live screen or with a line for each thing that happens.

    Raises:
        ConfigurationError: an option is none of `ghosttape replay`, or has no sense here.

    """
    for word in words:
        if word.partition("=")[0] in _NOT_HERE:
            raise ConfigurationError(f"watch chooses {word.partition('=')[0]} itself: leave it out")
    if live and has_screen():
        from tui.folders.screen import WatchApp

        screen = WatchApp(folder, list(words))
        screen.run()
        if screen.problem:
            raise ConfigurationError(screen.problem)
        return
    _say(f"tapes that appear in {folder}, or grow there, are replayed; Ctrl-C ends it")
    asyncio.run(FolderReplays(folder, words, lambda event: _say(told(event))).run())


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
