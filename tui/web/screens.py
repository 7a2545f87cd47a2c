"""A screen in the browser: a process of its own that draws into a websocket."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Sequence
from contextlib import suppress

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

_PATIENCE_S = 3.0
"""How long a screen may take to close."""
_REFUSED = "This message is no JSON that can be read, or is nested too deeply: it was left out."
_LARGEST = 1_000
"""Columns and lines beyond which no browser window goes."""


class Screens:
    """The screens that are open: one for each websocket. Each is started by `command` (a program by its absolute path, and its words)."""

    def __init__(self, command: Sequence[str]) -> None:
        self._line = (
            f"exec {shlex.join(command)}"  # textual-serve gives it to a shell, which then is no process between
        )
        self._open: dict[web.WebSocketResponse, AppService] = {}
        self.downloads = DownloadManager()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Show a screen in a browser's websocket until one of the two is closed."""
        socket = web.WebSocketResponse(heartbeat=15)
        await socket.prepare(request)
        screen = self._open[socket] = self._made(socket)
        try:
            await screen.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
            await _pass_on(socket, screen)
        finally:
            await asyncio.shield(self._end(socket))
        return socket

    async def close(self) -> None:
        """Close all screens, and wait for the ends of their processes."""
        await asyncio.gather(*(self._end(socket) for socket in list(self._open)))

    def _made(self, socket: web.WebSocketResponse) -> AppService:
        async def close() -> None:
            await socket.close()

        return AppService(
            self._line,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=self.downloads,
        )

    async def _end(self, socket: web.WebSocketResponse) -> None:
        """Ask the screen to close; a process that does not is killed."""
        screen = self._open.pop(socket, None)
        if screen is None:
            return
        process = screen._process  # noqa: SLF001 - textual-serve would wait for it for ever
        with suppress(TimeoutError):
            await asyncio.wait_for(screen.stop(), _PATIENCE_S)
        if process is not None:
            await _ended(process)
        await socket.close()


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait until a process has ended, also one that waits for somebody to read what it writes."""
    for insist in (None, process.terminate, process.kill):
        if insist is not None and process.returncode is None:
            insist()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE_S)
            return


async def _pass_on(socket: web.WebSocketResponse, screen: AppService) -> None:
    """Pass on keys, mouse and sizes from the browser: JSON lists of a kind and a value. What cannot be read is refused, and the session goes on."""
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            continue
        try:
            match json.loads(message.data):
                case ["stdin", str(keys)]:
                    await screen.send_bytes(keys.encode("utf-8", "replace"))
                case ["resize", {"width": int(width), "height": int(height)}]:
                    await screen.set_terminal_size(_cells(width, 80), _cells(height, 24))
                case ["ping", value]:
                    await socket.send_json(["pong", value])
                case ["blur", *_]:
                    await screen.blur()
                case ["focus", *_]:
                    await screen.focus()
        except (ValueError, RecursionError):
            await socket.send_json(["refused", _REFUSED])


def _cells(given: str | int | None, default: int) -> int:
    """Return a number of columns or lines that a screen can have."""
    try:
        return max(1, min(_LARGEST, int(given or default)))
    except ValueError:
        return default
