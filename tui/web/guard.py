"""Who may talk to the page: only who was given its address, and only from the page itself."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

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
