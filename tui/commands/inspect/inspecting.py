"""The command `tui`: which run to look at, and whether it can be looked at here."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import webbrowser
from functools import partial
from pathlib import Path
from threading import Thread

from replay.errors import StoreError
from replay.run.catalogue.run_lookup import LAST, find_run, last_run
from replay.run.store import Store
from tui.errors import NoTerminalError


def inspect(named: str) -> None:
    """Open the inspector on a run; on the latest one when none is named.

    Raises:
        StoreError: there is no run there.
        NoTerminalError: there is no terminal to draw on.

    """
    chosen = find_run(named or LAST)
    Store.open(chosen).close()
    if not can_draw():
        raise NoTerminalError(
            "the inspector needs a terminal; without one, `ghosttape replay --json` prints the figures"
        )
    from tui.inspector.app import run

    run(chosen)


def follow(named: str) -> None:
    """Open the live screen on a run that any process writes, has written, or will write; on the latest one when none is named.

    Raises:
        StoreError: none is named, and there is none; or the name is that of several.
        NoTerminalError: there is no terminal to draw on.

    """
    chosen = _followed(named)
    if not can_draw():
        raise NoTerminalError(
            "--follow needs a terminal; without one, `ghosttape replay` says how far it is in plain lines"
        )
    from tui.live.app import LiveApp

    LiveApp(chosen).run()


def serve(named: str, *, live: bool, port: int, open_page: bool) -> None:
    """Serve the inspector, or the live screen, to a browser of this machine until Ctrl-C; print the address.

    Raises:
        StoreError: there is no run there.
        PortError: the port is taken.

    """
    chosen = (_followed(named) if live else find_run(named or LAST)).absolute()
    if not live:
        Store.open(chosen).close()
    from replay.editor.command import console_script
    from tui.web.serving import serve as serve_command

    command = [console_script(), "tui", *(["--follow"] if live else []), "--", str(chosen)]
    asyncio.run(serve_command(command, f"ghosttape {chosen.name}", port, partial(_ready, open_page=open_page)))


def _followed(named: str) -> Path:
    """The run of a name; else the folder of that path, as a run may begin there."""
    if named in {"", LAST}:
        return last_run()
    try:
        return find_run(named)
    except StoreError:
        return Path(named)


def _ready(address: str, *, open_page: bool) -> None:
    sys.stdout.write(f"{address}\nOnly who has this address can open it. Ctrl-C ends it.\n")
    sys.stdout.flush()
    if open_page:
        webbrowser.open(address)


def can_draw() -> bool:
    """Whether there is a terminal, or a browser that a server has connected us to. A screen in a browser ends with its server."""
    if os.environ.get("TEXTUAL_DRIVER"):
        Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        return True
    return sys.stdin.isatty() and sys.stdout.isatty()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)
