"""What all model servers behind HTTP have in common: opening with retries, streams of JSON, limits, and errors.

A request is made again, with back-off, where a server is busy (429 and its Retry-After), out of order (5xx) or gone before
the first piece of its answer. After that piece nothing is repeated. Closing a stream closes its connection, which is how
such servers are cancelled. No key is in any message.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import httpx
import tenacity

from server import keys
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.providers.events import DONE, Event, Said, events_of
from server.providers.limits import Allowance, until_stop
from server.providers.refusals import AGAIN, Breakdown, Refusal, advised, beginning, html, message, named_wait
from server.settings import ProviderSettings

Reader: TypeAlias = Callable[[Event], Said]
_AFTERWORD_S = 1.0
"""How long the rest of a stream is waited for, once the answer in it has ended."""


class _Again(Exception):  # noqa: N818 - a signal to tenacity, which never leaves this module
    """Worth another try, after `wait_s` if the server named a time."""

    def __init__(self, reason: ProviderError, wait_s: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason, self.wait_s = reason, wait_s


@dataclass(slots=True)
class _Times:
    """When the first piece of an answer, and all of it, must be here, over all tries (loop time, s)."""

    first: float
    whole: float

    def put_off(self, seconds: float) -> None:
        """Leave out a time for which the server itself asked: that has a limit of its own."""
        self.first, self.whole = self.first + seconds, self.whole + seconds


@dataclass(slots=True)
class _Opened:
    """An answer of which the first piece is here; `ends` is when the last one must be (loop time, s)."""

    response: httpx.Response
    begun: Sequence[Said]
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
        self, route: str, body: Mapping[str, Any], read: Reader, stops: Sequence[str] = ()
    ) -> AsyncGenerator[str, None]:
        """Stream the pieces that `read` finds in the events, up to the first of `stops`, and as many as `max_tokens` allows.

        Some servers never stop, and some know nothing of stop sequences, or only of four.

        Raises:
            Refusal: the server answered with a status that is no success.
            ProviderRefused: what came is no answer, or it was cut off.
            ProviderError: no connection, or no time left.

        """
        opened = await self._opened(route, body, read)
        try:
            async with aclosing(until_stop(self._pieces(opened, read), stops)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            await opened.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=self.settings.connect_s)
        await self.client.aclose()

    async def _pieces(self, opened: _Opened, read: Reader) -> AsyncGenerator[str, None]:
        allowance = Allowance.of(self.settings.max_tokens)
        async with aclosing(self._sayings(opened, read)) as sayings:
            async for said in sayings:
                for piece in said.pieces:
                    if piece and allowance.is_spent:
                        return
                    yield allowance.taken(piece)
                if said.last or allowance.is_spent:
                    opened.hurry()
        if not opened.hurried:
            raise self._ended()

    async def _sayings(self, opened: _Opened, read: Reader) -> AsyncGenerator[Said, None]:
        for said in opened.begun:
            yield said
        try:
            while (event := await _next(opened.rest, opened.ends)) is not None:
                yield self._said(event, read)
        except (TimeoutError, httpx.HTTPError) as error:
            if not opened.hurried:
                raise self._broken(error) from error

    def _said(self, event: Event, read: Reader) -> Said:
        """What an event says.

        Raises:
            ProviderRefused: it tells of an error, or is not of the form that `read` knows.

        """
        if event is DONE:
            return Said(last=True)
        if event.get("error"):
            raise Breakdown(event["error"])
        try:
            return read(event)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
            # its text may hold what the server made up, or was told: a key
            raise ProviderRefused(f"{self.place}: a malformed answer") from None

    def _broken(self, error: Exception) -> ProviderError:
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            return ProviderError(f"{self.place}: no end of the answer within {self.settings.timeout_s:g} s")
        return ProviderRefused(f"{self.place}: the answer was cut off ({_told(error)})")

    def _ended(self) -> ProviderRefused:
        return ProviderRefused(f"{self.place}: the stream ended in the middle of the answer")

    @property
    def _longest(self) -> float:
        """How long the first piece is waited for (s)."""
        return min(self.settings.first_s or self.settings.timeout_s, self.settings.timeout_s)

    async def _opened(self, route: str, body: Mapping[str, Any], read: Reader) -> _Opened:
        times = _Times(_clock() + self._longest, _clock() + self.settings.timeout_s)
        retrying = tenacity.AsyncRetrying(
            sleep=self.sleep,
            retry=tenacity.retry_if_exception(self._is_worth_waiting),
            stop=tenacity.stop_after_attempt(self.settings.tries),
            wait=_wait,
            before_sleep=lambda state: times.put_off(_named(state) or 0.0),
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    return await self._begun(route, body, read, times)
        except _Again as again:
            raise again.reason from None
        raise ProviderError(f"{self.place}: no answer")

    def _is_worth_waiting(self, error: BaseException) -> bool:
        return isinstance(error, _Again) and (error.wait_s or 0) <= self.settings.longest_wait_s

    async def _begun(self, route: str, body: Mapping[str, Any], read: Reader, times: _Times) -> _Opened:
        """One try: from the connection to the first piece."""
        try:
            response = await _before(times.first, self._sent(route, body))
            rest = events_of(response)
            try:
                if not response.is_success:
                    await _before(times.first, self._refuse(response, body))
                await _before(times.first, self._no_page(response))
                begun = await self._first(rest, read, times.first)
            except BaseException:
                await rest.aclose()
                await response.aclose()
                raise
        except TimeoutError as error:
            raise ProviderError(f"{self.place}: no answer within {self._longest:g} s") from error
        return _Opened(response, begun, rest, times.whole)

    async def _sent(self, route: str, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return await self._responded(self._request(route, body))
        except httpx.ConnectTimeout as error:
            waited = self.settings.connect_s
            raise ProviderError(f"{self.place}: no connection within {waited:g} s") from error
        except httpx.HTTPError as error:
            raise _Again(ProviderError(f"{self.place}: no connection ({_told(error)})")) from error

    def _request(self, route: str, body: Mapping[str, Any]) -> httpx.Request:
        headers = {"Content-Type": "application/json"}
        return self.client.build_request("POST", route, content=_encoded(body), headers=headers)

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

    async def _first(self, rest: AsyncGenerator[Event, None], read: Reader, ends: float) -> Sequence[Said]:
        """What is said up to the first piece, or the end of an answer without any."""
        told: Sequence[Said] = ()
        try:
            while (event := await _next(rest, ends)) is not None:
                said = self._said(event, read)
                if said.last or any(said.pieces):
                    return (*told, said)
                told = (said,) if said.pieces else told
        except Breakdown as error:
            if error.is_passing:
                raise _Again(error) from error
            raise
        except httpx.HTTPError as error:
            raise _Again(self._broken(error)) from error
        raise _Again(self._ended())

    async def _refuse(self, response: httpx.Response, body: Mapping[str, Any]) -> None:
        try:
            began = await beginning(response)
        except httpx.HTTPError as error:
            raise _Again(self._broken(error)) from error
        page, busy = html(response, began), response.status_code in AGAIN
        told = f"a web page: {page}" if page else message(began)
        wait_s = named_wait(response.headers, self.now()) if busy else None
        advice = advised(response, told, wait_s, self.settings.longest_wait_s)
        refusal = Refusal(self.place, response.status_code, told, body, advice)
        if busy:
            raise _Again(refusal, wait_s)
        raise refusal

    async def _no_page(self, response: httpx.Response) -> None:
        """Refuse a page for people, such as proxies and the like send with every status."""
        if "html" not in response.headers.get("content-type", ""):
            return
        try:
            told = html(response, await beginning(response))
        except httpx.HTTPError as error:
            raise _Again(self._broken(error)) from error
        asked = response.request.url.path
        raise ProviderRefused(
            f"{self.place} answered {asked} with a web page, not JSON: {told} (is the base URL right?)"
        )


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
        wanted = "(--base-url), as in http://127.0.0.1:8080/v1"
        if base_url:
            raise ProviderMissing(f"provider {settings.name!r}: provider.base_url is no URL: name one {wanted}")
        raise ProviderMissing(f"provider {settings.name!r} needs provider.base_url {wanted}")
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


def _encoded(body: Mapping[str, Any]) -> bytes:
    """A body as JSON. Halves of surrogate pairs, which UTF-8 has not, are put together, or replaced where they are alone."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _wait(state: tenacity.RetryCallState) -> float:
    named = _named(state)
    return named if named is not None else 0.15 * 3.0 ** (state.attempt_number - 1)


def _named(state: tenacity.RetryCallState) -> float | None:
    """The wait that the server asked for."""
    error = state.outcome.exception() if state.outcome else None
    return error.wait_s if isinstance(error, _Again) else None


async def _left(sending: asyncio.Task[httpx.Response], made: asyncio.Event) -> None:
    """End a request that nobody waits for any more."""
    making = asyncio.create_task(made.wait())
    await asyncio.wait({sending, making}, return_when=asyncio.FIRST_COMPLETED)
    making.cancel()
    sending.cancel()
    await asyncio.wait({sending})
    if not sending.cancelled() and sending.exception() is None:
        await sending.result().aclose()


async def _next(events: AsyncGenerator[Event, None], ends: float) -> Event | None:
    if _clock() > ends:  # a server that never pauses leaves a time limit no moment to strike
        raise TimeoutError
    event: Event | None = await _before(ends, anext(events, None))
    return event


async def _before(ends: float, work: Awaitable[Any]) -> Any:
    """What the work gives, if it does before `ends` (loop time, s)."""
    async with asyncio.timeout_at(ends):
        return await work


def _clock() -> float:
    return asyncio.get_running_loop().time()


def _place(url: httpx.URL) -> str:
    return f"{url.host}:{url.port or url.scheme}"


def _told(error: Exception) -> str:
    return keys.masked(str(error)) or type(error).__name__
