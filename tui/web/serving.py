"""Serve a screen to a browser of this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Sequence

from aiohttp import web

from tui.errors import PortError
from tui.web.screens import Screens
from tui.web.site import LOOPBACK, Guard, Site

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def serve(command: Sequence[str], title: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve a screen for each page that is opened, on the loopback address alone, until SIGINT, SIGTERM or SIGHUP; one that is ignored at the start (SIGHUP under nohup) is ignored.

    `command` starts the screen (absolute path first). `port` 0 takes a free one. `ready` gets the address of the page, with its token.

    Raises:
        PortError: the port is taken, or not to be had.

    """
    guard, screens = Guard(), Screens(command)
    runner = web.AppRunner(Site(guard, screens, title).application(), access_log=None, shutdown_timeout=1.0)
    with _listening(port) as listening:
        await runner.setup()
        try:
            await web.SockSite(runner, listening).start()
            ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}/{guard.token}/")
            await _end_signal()
        finally:
            await screens.close()
            await runner.cleanup()


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise PortError(
            f"--port {port}: {error.strerror or error}: name another one, or none for a free one"
        ) from error


async def _end_signal() -> None:
    loop, asked_to_end = asyncio.get_running_loop(), asyncio.Event()
    heard = [sign for sign in _SIGNALS if signal.getsignal(sign) is not signal.SIG_IGN]
    for sign in heard:
        loop.add_signal_handler(sign, asked_to_end.set)
    try:
        await asked_to_end.wait()
    finally:
        for sign in heard:
            loop.remove_signal_handler(sign)
