"""What all model servers behind HTTP have in common: opening with retries, streams of JSON, time limits, and errors.

A request is made again, with back-off, where a server is busy (429 and its Retry-After), out of order (5xx) or gone before
the first piece of its answer. After that piece nothing is repeated. Closing a stream closes its connection, which is how
such servers are cancelled. No key is in any message.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx
import httpx_sse
import msgspec
import tenacity

from server import keys
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.providers.events import Event, Said
from server.providers.protocol import Token
from server.providers.refusals import Refusal, beginning, message, named_wait
from server.settings import ProviderSettings

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_AFTERWORD_S = 1.0
"""How long the rest of a stream is waited for, once the answer in it has ended."""


class _Again(Exception):  # noqa: N818 - a signal to tenacity, which never leaves this module
    """Worth another try, after `wait_s` if the server named a time."""

    def __init__(self, reason: ProviderError, wait_s: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason, self.wait_s = reason, wait_s


@dataclass(slots=True)
class _Opened:
    """An answer whose first event is here; `ends` is when the last one must be (loop time, s)."""

    response: httpx.Response
    first: Event
    rest: AsyncGenerator[Event, None]
    ends: float
    hurried: bool = False

    def hurry(self) -> None:
        """All that was wanted is here: what follows it, such as counts, is not waited for long."""
        if not self.hurried:
            self.hurried, self.ends = True, min(self.ends, _clock() + _AFTERWORD_S)

    async def close(self) -> None:
        await self.rest.aclose()
        await self.response.aclose()


@dataclass(slots=True)
class Endpoint:
    """A model server. `sleep` and `now` (seconds since 1970, for dates in Retry-After) are arguments for the sake of tests."""

    client: httpx.AsyncClient
    settings: ProviderSettings
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time
    _leaving: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def place(self) -> str:
        """Host and port, as messages name it."""
        return _place(self.client.base_url)

    async def answer(
        self, route: str, body: Mapping[str, Any], read: Callable[[Event], Said]
    ) -> AsyncGenerator[str, None]:
        """Stream the pieces that `read` finds in the events, `max_tokens` tokens at most: some servers never stop.

        Raises:
            Refusal: the server answered with a status that is no success.
            ProviderRefused: what came is no answer, or it was cut off.
            ProviderError: no connection, or no time left.

        """
        opened = await self._opened(route, body)
        try:
            async for piece in self._pieces(opened, read):
                yield piece
        finally:
            await opened.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=self.settings.connect_s)
        await self.client.aclose()

    async def _pieces(self, opened: _Opened, read: Callable[[Event], Said]) -> AsyncGenerator[str, None]:
        written, most = 0, self.settings.max_tokens
        async with aclosing(self._events(opened)) as events:
            async for event in events:
                said = read(event)
                for piece in said.pieces:
                    if piece and written >= most:
                        return
                    yield piece
                    written += _size(piece)
                if said.last or written >= most:
                    opened.hurry()
        if not opened.hurried:
            raise ProviderRefused(f"{self.place}: the stream ended in the middle of the answer")

    async def _events(self, opened: _Opened) -> AsyncGenerator[Event, None]:
        yield _whole(opened.first)
        try:
            while (event := await _next(opened)) is not None:
                yield _whole(event)
        except (TimeoutError, httpx.HTTPError) as error:
            if not opened.hurried:
                raise self._broken(error) from error

    def _broken(self, error: Exception) -> ProviderError:
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            return ProviderError(f"{self.place}: no end of the answer within {self.settings.timeout_s:g} s")
        return ProviderRefused(f"{self.place}: the answer was cut off ({_told(error)})")

    async def _opened(self, route: str, body: Mapping[str, Any]) -> _Opened:
        retrying = tenacity.AsyncRetrying(
            sleep=self.sleep,
            retry=tenacity.retry_if_exception(self._is_worth_waiting),
            stop=tenacity.stop_after_attempt(self.settings.tries),
            wait=_wait,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    return await self._begun(route, body)
        except _Again as again:
            raise again.reason from None
        raise ProviderError(f"{self.place}: no answer")

    def _is_worth_waiting(self, error: BaseException) -> bool:
        return isinstance(error, _Again) and (error.wait_s or 0) <= self.settings.longest_wait_s

    async def _begun(self, route: str, body: Mapping[str, Any]) -> _Opened:
        """One try: from the connection to the first event."""
        began, longest = _clock(), self.settings.first_s or self.settings.timeout_s
        ends = began + min(longest, self.settings.timeout_s)
        try:
            response = await _before(ends, self._sent(route, body))
        except TimeoutError as error:
            raise ProviderError(f"{self.place}: no answer within {ends - began:g} s") from error
        rest = events_of(response)
        try:
            first = await self._first(response, rest, body, ends)
        except BaseException:
            await rest.aclose()
            await response.aclose()
            raise
        return _Opened(response, first, rest, began + self.settings.timeout_s)

    async def _sent(self, route: str, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return await self._responded(self.client.build_request("POST", route, json=dict(body)))
        except httpx.ConnectTimeout as error:
            waited = self.settings.connect_s
            raise ProviderError(f"{self.place}: no connection within {waited:g} s") from error
        except httpx.HTTPError as error:
            raise _Again(ProviderError(f"{self.place}: no connection ({_told(error)})")) from error

    async def _responded(self, request: httpx.Request) -> httpx.Response:
        """Send a request in a task of its own, which is cancelled with this one, but not before its connection is made.

        A connection that is cancelled while it is made stays in httpcore's pool for ever (encode/httpcore#1093).
        """
        made = asyncio.Event()

        async def heard(event: str, _: object) -> None:
            if event.endswith("send_request_headers.started"):
                made.set()

        request.extensions["trace"] = heard
        sending = asyncio.create_task(self.client.send(request, stream=True))
        try:
            return await asyncio.shield(sending)
        except asyncio.CancelledError:
            leaving = asyncio.create_task(_left(sending, made))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            raise

    async def _first(
        self, response: httpx.Response, rest: AsyncGenerator[Event, None], body: Mapping[str, Any], ends: float
    ) -> Event:
        try:
            if not response.is_success:
                await _before(ends, self._refuse(response, body))
            first: Event | None = await _before(ends, anext(rest, None))
        except TimeoutError as error:
            raise ProviderError(
                f"{self.place}: no answer within {self.settings.first_s or self.settings.timeout_s:g} s"
            ) from error
        except httpx.HTTPError as error:
            raise _Again(ProviderRefused(f"{self.place}: the answer was cut off ({_told(error)})")) from error
        if first is None:
            raise _Again(ProviderRefused(f"{self.place}: the stream ended in the middle of the answer"))
        return first

    async def _refuse(self, response: httpx.Response, body: Mapping[str, Any]) -> None:
        told = keys.masked(message(await beginning(response)))
        refusal = Refusal(self.place, response.status_code, told, body)
        if response.status_code in _AGAIN:
            raise _Again(refusal, named_wait(response.headers, self.now()))
        raise refusal


def endpoint(
    settings: ProviderSettings,
    base_url: str,
    headers: Mapping[str, str],
    transport: httpx.AsyncBaseTransport | None = None,
) -> Endpoint:
    """A model server at a base URL.

    Raises:
        ProviderMissing: that is no base URL.

    """
    if not base_url.startswith(("http://", "https://")):
        raise ProviderMissing(
            f"provider {settings.name!r} needs provider.base_url (--base-url), as in http://127.0.0.1:8080/v1"
        )
    timeout = httpx.Timeout(None, connect=min(settings.timeout_s, settings.connect_s))
    client = httpx.AsyncClient(
        base_url=base_url.rstrip("/") + "/",
        headers=dict(headers),
        timeout=timeout,
        transport=transport,
        trust_env=False,
        verify=base_url.startswith(
            "https:"
        ),  # loading certificates that nobody needs takes 50 ms; nothing is redirected
    )
    return Endpoint(client, settings)


def bearer(settings: ProviderSettings) -> dict[str, str]:
    """The key of the environment as most servers want it."""
    key = keys.found(settings.name) if settings.use_key else ""
    return {"Authorization": f"Bearer {key}"} if key else {}


async def learning(
    ask: Callable[[], AsyncGenerator[str, None]], learns: Callable[[Refusal], bool]
) -> AsyncGenerator[str, None]:
    """Ask, and ask again as long as there is something to learn from a refusal."""
    while True:
        try:
            async with aclosing(ask()) as pieces:
                async for piece in pieces:
                    yield piece
        except Refusal as refusal:
            if not learns(refusal):
                raise
        else:
            return


async def events_of(response: httpx.Response) -> AsyncGenerator[Event, None]:
    """The JSON objects of an answer: server-sent events, JSON lines, or one document from servers that do not stream.

    Raises:
        ProviderRefused: something in it is no JSON object.

    """
    kind = response.headers.get("content-type", "")
    if "event-stream" in kind:
        async with aclosing(httpx_sse.EventSource(response).aiter_sse()) as stream:
            async for event in stream:
                if event.data.strip() == "[DONE]":
                    return
                if event.data.strip():
                    yield _decoded(event.data)
        return
    async for line in _lines(response, "ndjson" in kind or "jsonl" in kind):
        yield _decoded(line)


async def _lines(response: httpx.Response, are_lines: bool) -> AsyncIterator[bytes]:
    """The lines as they come (only a line feed ends one: JSON may hold the others), or all in one."""
    rest = b""
    async for chunk in response.aiter_bytes():
        *whole, rest = (rest + chunk).split(b"\n") if are_lines else (rest + chunk,)
        for line in whole:
            if line.strip():
                yield line
    if rest.strip():
        yield rest


def _decoded(data: bytes | str) -> Event:
    try:
        event = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderRefused(f"the answer is not JSON: {error}") from error
    if not isinstance(event, dict):
        raise ProviderRefused("the answer is not a JSON object")
    return event


def _whole(event: Event) -> Event:
    """The event, unless it tells of an error."""
    if event.get("error"):
        told = message(msgspec.json.encode(event))
        raise ProviderRefused(f"the server failed while it answered: {keys.masked(told)}")
    return event


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    named = error.wait_s if isinstance(error, _Again) else None
    return named if named is not None else 0.15 * 3.0 ** (state.attempt_number - 1)


async def _left(sending: asyncio.Task[httpx.Response], made: asyncio.Event) -> None:
    """End a request that nobody waits for any more."""
    making = asyncio.create_task(made.wait())
    await asyncio.wait({sending, making}, return_when=asyncio.FIRST_COMPLETED)
    making.cancel()
    sending.cancel()
    await asyncio.wait({sending})
    if not sending.cancelled() and sending.exception() is None:
        await sending.result().aclose()


async def _next(opened: _Opened) -> Event | None:
    if _clock() > opened.ends:  # a server that never pauses leaves a time limit no moment to strike
        raise TimeoutError
    event: Event | None = await _before(opened.ends, anext(opened.rest, None))
    return event


async def _before(ends: float, work: Awaitable[Any]) -> Any:
    """What the work gives, if it does before `ends` (loop time, s)."""
    async with asyncio.timeout_at(ends):
        return await work


def _clock() -> float:
    return asyncio.get_running_loop().time()


def _size(piece: str) -> int:
    return piece.tokens if isinstance(piece, Token) else min(1, len(piece))


def _place(url: httpx.URL) -> str:
    return f"{url.host}:{url.port or url.scheme}"


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
