"""Keys on the terminal while a replay is watched."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from replay.play.playback import Playback

MINUTE_MS = 60_000.0
_FASTER = 2.0


def actions(playback: Playback) -> Mapping[str, Callable[[], None]]:
    """What each key does."""
    return {
        " ": lambda: playback.resume() if playback.is_paused else playback.pause(),
        ".": playback.step,
        "+": lambda: playback.set_speed((playback.speed or 1.0) * _FASTER),
        "-": lambda: playback.set_speed((playback.speed or 1.0) / _FASTER),
        ">": lambda: playback.seek(playback.now + MINUTE_MS),
    }


@contextmanager
def keys_for(playback: Playback, *, watched: bool) -> Iterator[None]:
    """Read keys while a replay runs, if it is watched on a terminal; the terminal is put back as it was."""
    if not watched or not sys.stdin.isatty():
        yield
        return
    terminal, known = sys.stdin.fileno(), actions(playback)
    before = termios.tcgetattr(terminal)
    loop = asyncio.get_running_loop()

    def read() -> None:
        for key in os.read(terminal, 64).decode("utf-8", "replace"):
            if key in known:
                known[key]()

    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
