"""GitHub's REST API (version 2022-11-28): asks page by page, waits for its limits, and says why it refuses."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import httpx
import msgspec

from corpora.errors import FetchError
from server.api_keys import GITHUB_TOKENS, fits_header, masked

ADDRESS = "https://api.github.com"
ADDRESS_VARIABLE = "GITHUB_API_URL"
"""The environment variable that names another address, as in GitHub's own workflows: that of a GitHub of one's own."""
_NAME = re.compile(r"^(?:https://github\.com/)?([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_TIMEOUT_S = 30.0
_TRIES = 4
_LONG_S = 10.0
_LIMITED = (httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS)
_T = TypeVar("_T")


def github_name(text: str) -> str:
    """`OWNER/NAME` of a repository that is named so or by its address; empty where it is neither.

    Example: `https://github.com/pypa/packaging.git` is `pypa/packaging`.
    """
    found = _NAME.match(text)
    return found[1] if found and not {".", ".."} & set(found[1].split("/")) else ""


def github_client(
    token: str, transport: httpx.AsyncBaseTransport | None = None, address: str = ADDRESS
) -> httpx.AsyncClient:
    """A client of the API; `token` may be empty: then GitHub allows 10 searches a minute and 60 other requests an hour."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return httpx.AsyncClient(
        base_url=address, headers=headers, timeout=_TIMEOUT_S, transport=transport, follow_redirects=True
    )


def client_of(environment: Mapping[str, str] = os.environ) -> httpx.AsyncClient:
    """A client with the token and the address that the environment names.

    Raises:
        FetchError: the token has characters that are not allowed in a header; the message names only the variable.

    """
    return github_client(_token_in(environment), address=environment.get(ADDRESS_VARIABLE, "") or ADDRESS)


def _token_in(environment: Mapping[str, str]) -> str:
    """The token without white space around it; empty if there is none."""
    for name in GITHUB_TOKENS:
        if token := environment.get(name, "").strip():
            if not fits_header(token):
                raise FetchError(f"the token in {name} has characters that are not allowed in a header: set it again")
            return token
    return ""


def _quiet(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class GitHubApi:
    """Asks GitHub. What fails on the way or at the server is asked again, up to four times in all; a limit is waited for if it ends soon."""

    client: httpx.AsyncClient
    longest_wait_s: float = 90.0
    """A limit that ends later is an error that says when it ends."""
    notify: Callable[[str], None] = _quiet
    """Gets why it waits."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time
    """Seconds since 1970, as GitHub counts."""

    async def get(self, path: str, as_type: type[_T], **query: str | int) -> _T:
        """What a path holds.

        Raises:
            FetchError: GitHub cannot be reached, refuses, or answers otherwise than documented.

        """
        return _decoded(path, await self._answer(path, query), as_type)

    async def pages(self, path: str, as_type: type[_T], **query: str | int) -> AsyncIterator[_T]:
        """The pages of a list, by the address that each names for the next.

        Raises:
            FetchError: as for `get`, or the next page is on another server, which must not get the token.

        """
        answer = await self._answer(path, query)
        while True:
            yield _decoded(path, answer, as_type)
            following = answer.links.get("next", {}).get("url", "")
            if not following:
                return
            if _origin(httpx.URL(following)) != _origin(self.client.base_url):
                raise FetchError(f"GitHub names a next page of {path} on another server: {masked(following)}")
            answer = await self._answer(following, {})

    async def text(self, path: str, form: str, without: tuple[int, ...] = (), **query: str | int) -> str | None:
        """What a path holds, in a media type, as text; None where its status is one of `without`.

        Raises:
            FetchError: as for `get`.

        """
        answer = await self._answer(path, query, {"Accept": form}, without)
        return answer.text if answer.is_success else None

    async def _answer(
        self,
        path: str,
        query: Mapping[str, str | int],
        headers: Mapping[str, str] | None = None,
        without: tuple[int, ...] = (),
    ) -> httpx.Response:
        failure, wait_s = "", 0.0
        for number in range(_TRIES):
            await self._pause(wait_s)
            wait_s = 2.0**number
            try:
                answer = await self.client.get(path, params=query or None, headers=headers)
            except httpx.HTTPError as error:
                failure = f"GitHub cannot be reached: {masked(str(error)) or type(error).__name__}"
                continue
            if answer.is_success or answer.status_code in without:
                return answer
            failure = self._refusal(path, answer)
            if not answer.is_server_error:
                limited_s = self._wait_s(answer)
                if limited_s is None or limited_s > self.longest_wait_s:
                    break
                wait_s = limited_s
        raise FetchError(failure)

    async def _pause(self, wait_s: float) -> None:
        if wait_s > _LONG_S:
            self.notify(f"GitHub's limit ends in {wait_s:.0f} s")
        if wait_s:
            await self.sleep(wait_s)

    def _wait_s(self, answer: httpx.Response) -> float | None:
        """How long GitHub wants to be left alone; None where it does not say so."""
        if answer.status_code not in _LIMITED:
            return None
        if (after := answer.headers.get("retry-after", "")).isdigit():
            return float(after)
        reset = answer.headers.get("x-ratelimit-reset", "")
        if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
            return max(0.0, float(reset) - self.now()) + 1
        return None

    def _refusal(self, path: str, answer: httpx.Response) -> str:
        """Why GitHub refused, and what to do."""
        limited = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
        if (answer.status_code in _LIMITED and limited) or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            wait_s = self._wait_s(answer)
            until = (
                "for now" if wait_s is None else f"until {datetime.fromtimestamp(self.now() + wait_s, UTC):%H:%M} UTC"
            )
            told = "wait" if "authorization" in self.client.headers else f"wait, or set {GITHUB_TOKENS[0]}"
            return f"GitHub allows no more requests {until} (status {answer.status_code}): {told}"
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            return f"GitHub refuses the token in {' or '.join(GITHUB_TOKENS)}"
        if answer.status_code == httpx.codes.NOT_FOUND:
            return f"GitHub: status 404 for {path}: there is no such thing, or the token may not see it"
        return f"GitHub: status {answer.status_code} for {path}"


def _origin(address: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port; the port is None where it is that of the scheme."""
    return address.scheme, address.host, address.port


def _decoded(path: str, answer: httpx.Response, as_type: type[_T]) -> _T:
    try:
        return msgspec.json.decode(answer.content, type=as_type)
    except msgspec.DecodeError as error:
        raise FetchError(f"GitHub answers {path} otherwise than documented: {error}") from error
