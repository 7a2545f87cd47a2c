"""Serve a screen to a browser of this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import shlex
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

import textual_serve
from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from tui.errors import PortError
from tui.terminal_text import one_line

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


# What the server answers: the page, its files, the websocket of a screen, downloads. All the rest, and all
# who do not know the token, get 403.

_PAGE = Path(__file__).with_name("page.html")
_FILES = Path(textual_serve.__file__).with_name("static")
_SIZES = {str(size) for size in range(8, 41)}
_COOKIE = "ghosttape-downloads"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:; "
    "connect-src {websocket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """The answers of one server. `title` is shown in the browser's tab."""

    def __init__(self, guard: Guard, screens: Screens, title: str) -> None:
        self._guard, self._screens, self._title = guard, screens, title
        self._files = {str(path.relative_to(_FILES)): path for path in _FILES.rglob("*") if path.is_file()}

    def application(self) -> web.Application:
        """Make the application, in which every request passes the guard first."""

        async def guarded(request: web.Request, handler: _Handler) -> web.StreamResponse:
            if not self._is_let_in(request):
                raise web.HTTPForbidden(text="403: the address that `ghosttape tui --web` has printed is needed here\n")
            return await handler(request)

        made = web.Application(middlewares=[web.middleware(guarded)])
        made.add_routes(
            [
                web.get("/{token}/", self._page),
                web.get("/{token}/ws", self._websocket),
                web.get("/{token}/static/{name:.+}", self._file),
                web.get("/download/{key}", self._download),
            ]
        )
        return made

    def _is_let_in(self, request: web.Request) -> bool:
        if not self._guard.knows_host(request.headers.get("Host", "")):
            return False
        if request.path.startswith("/download/"):
            return self._guard.knows_download(request.cookies.get(_COOKIE, ""))
        return self._guard.knows_path(request.path)

    async def _page(self, request: web.Request) -> web.Response:
        websocket = f"ws://{request.host}/{quote(self._guard.token)}/ws"
        asked = request.query.get("fontsize", "")
        filled: dict[str, Any] = {"title": escape(one_line(self._title)), "websocket": escape(websocket)}
        text = Template(_PAGE.read_text("utf-8")).substitute(filled, size=asked if asked in _SIZES else "16")
        made = web.Response(text=text, content_type="text/html")
        made.headers.update({name: value.format(websocket=websocket) for name, value in _HEADERS.items()})
        made.set_cookie(_COOKIE, self._guard.download_token, path="/download/", httponly=True, samesite="Strict")
        return made

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        if not self._guard.knows_origin(request.headers.get("Origin", ""), request.host):
            raise web.HTTPForbidden(text="403: only the page of this server may open its websocket\n")
        return await self._screens.serve(request)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        path = self._files.get(request.match_info["name"])
        if path is None:
            raise web.HTTPNotFound
        return web.FileResponse(path, headers={"X-Content-Type-Options": "nosniff"})

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Send a file that a screen delivers: the picture of the screen."""
        key = request.match_info["key"]
        try:
            meta = await self._screens.downloads.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound from None
        name = quote(meta.file_name)
        made = web.StreamResponse(headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"})
        made.content_type = "application/octet-stream"
        await made.prepare(request)
        async for chunk in self._screens.downloads.download(key):
            await made.write(chunk)
        await made.write_eof()
        return made


# Who may talk to the page: only who was given its address, and only from the page itself.

LOOPBACK = "127.0.0.1"
_NAMES = {LOOPBACK, "localhost"}


@dataclass(frozen=True, slots=True)
class Guard:
    """The token of one server, and the questions that each request must answer.

    The token is the first part of the path of every address. Downloads alone have it in a cookie instead: textual-serve's page asks for them at
    a fixed address. That cookie has a token of its own, as browsers send a cookie to every port of a host.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    download_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def knows_host(self, host: str) -> bool:
        """Whether a request names this machine by its loopback name. A name of another kind was made to point here (DNS rebinding)."""
        try:
            return urlsplit(f"//{host}").hostname in _NAMES
        except ValueError:
            return False

    def knows_path(self, path: str) -> bool:
        """Whether the first part of a path is the token; the time that this takes does not tell how much of it is right."""
        return _same(path.split("/", 2)[1] if path.startswith("/") else "", self.token)

    def knows_download(self, cookie: str) -> bool:
        """Whether a cookie carries the token of downloads."""
        return _same(cookie, self.download_token)

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether a websocket is opened by the page of this server. Other pages of the browser have another origin; without one it is no browser."""
        return _same(origin, f"http://{host}")


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())


# A screen in the browser: a process of its own that draws into a websocket.

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
