"""What the server answers: the page, its files, the websocket of a screen, downloads. All the rest, and all who do not know the token, get 403."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

import textual_serve
from aiohttp import web

from tui.terminal_text import one_line
from tui.web.screens import Screens

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
