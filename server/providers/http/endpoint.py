"""A client for model servers behind HTTP: retries, streams of JSON, limits, and errors.

A request is sent again, with back-off, when the server is busy (429 and its Retry-After), fails (5xx) or closes the connection before
the first piece of its answer. A refusal that names a time is no failed try: many requests that wait for the same time come at once
then, and the last of them is refused again through no fault of its own. After the first piece nothing is repeated. Closing a stream closes its connection, which cancels the
request at the server. No message contains a key.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, TypeAlias, TypeVar

import anyio
import anyio.lowlevel
import httpx
import tenacity

from server import api_keys
from server.errors import ProviderError, ProviderMissing, ProviderRefused, ProviderUnreachable
from server.providers.http.event_stream import DONE, EventContent, StreamEvent, events_of
from server.providers.http.limits import OutputLimit, until_stop, whole_characters
from server.providers.http.refusals import (
    RETRIED_STATUSES,
    StatusError,
    StreamError,
    WebPageError,
    advice_for,
    error_message,
    page_words,
    read_beginning,
    retry_after_s,
)
from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText, answer_text
from server.settings import ProviderSettings

if find_spec("sniffio") is None:
    # httpcore imports it for each connection: in vain, in half a millisecond, and with a KeyError where garbage that is collected in
    # the middle of it does the same (python/cpython#106176).
    sys.modules["sniffio"] = None  # type: ignore[assignment]

# How a request ends whose asker leaves: its connection is closed, and never stays in the pool.
#
# httpcore closes connections under the shields of anyio. A cancellation of asyncio itself does not heed them, and one that comes while a
# connection closes leaves it in the pool for ever; a hundred such, and no request gets a connection any more. So what reads an answer
# runs in a task of its own, and is cancelled by a scope of anyio.

T = TypeVar("T")


class LeavingTasks:
    """Tasks that may outlive their asker, because they close connections."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def add(self, task: asyncio.Task[Any]) -> None:
        """Hold a task until it ends. Its error is its asker's, if there is still one."""
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def ended(self, longest_s: float) -> None:
        """Wait until all have ended, at most so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=longest_s)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen: asyncio would log it


async def read_apart(items: AsyncGenerator[T, None], leaving: LeavingTasks) -> AsyncGenerator[T, None]:
    """The items of a generator that a task of its own runs. The task is cancelled when the reader leaves, and then ends by itself."""
    queue: asyncio.Queue[T | None] = asyncio.Queue()
    scope = anyio.CancelScope()
    reading = asyncio.create_task(_read(items, queue, scope))
    leaving.add(reading)
    try:
        while (item := await queue.get()) is not None:
            yield item
        await reading
    finally:
        scope.cancel()


async def _read(items: AsyncGenerator[T, None], queue: asyncio.Queue[T | None], scope: anyio.CancelScope) -> None:
    try:
        with scope:
            async with aclosing(items):
                await anyio.lowlevel.checkpoint_if_cancelled()  # who left at once has asked nothing
                async for item in items:
                    queue.put_nowait(item)
    finally:
        queue.put_nowait(None)


async def sent(client: httpx.AsyncClient, request: httpx.Request, leaving: LeavingTasks) -> httpx.Response:
    """Send a request in a task of its own. When this task is cancelled, that one is too, but only after its connection is open.

    A connection that is cancelled while it opens stays in httpcore's pool for ever (encode/httpcore#1093).
    """
    made = asyncio.Event()

    async def heard(event: str, _: object) -> None:
        if event.endswith("send_request_headers.started"):
            made.set()

    request.extensions["trace"] = heard
    sending = asyncio.create_task(client.send(request, stream=True))
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        leaving.add(asyncio.create_task(_left(sending, made)))
        raise


async def _left(sending: asyncio.Task[httpx.Response], made: asyncio.Event) -> None:
    """Cancel a request after its connection is open."""
    making = asyncio.create_task(made.wait())
    await asyncio.wait({sending, making}, return_when=asyncio.FIRST_COMPLETED)
    making.cancel()
    sending.cancel()
    await asyncio.wait({sending})
    if not sending.cancelled() and sending.exception() is None:
        await sending.result().aclose()


EventReader: TypeAlias = Callable[[StreamEvent], EventContent]
Admit: TypeAlias = Callable[[], Awaitable[None]] | None
TRAILER_TIMEOUT_S = 1.0
"""How long to wait for the rest of a stream after the answer in it has ended."""
_INSTEAD_CHARACTERS = 300


class _Again(Exception):  # noqa: N818 - a signal to tenacity that never leaves this module
    """Another try can succeed, after `wait_s` if the server named a time."""

    def __init__(self, reason: ProviderError, wait_s: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason, self.wait_s = reason, wait_s


@dataclass(slots=True)
class _Times:
    """Deadlines (loop time, s) for the first piece and for the whole answer, over all tries."""

    first: float
    whole: float

    def put_off(self, seconds: float) -> None:
        """Do not count a wait that the server asked for; it has a limit of its own."""
        self.first, self.whole = self.first + seconds, self.whole + seconds


@dataclass(slots=True)
class _Opened:
    """An answer whose first piece has arrived; `ends` is the deadline for the last one (loop time, s)."""

    response: httpx.Response
    begun: Sequence[EventContent]
    rest: AsyncGenerator[StreamEvent, None]
    ends: float
    is_shortened: bool = False
    _whole: float = field(init=False)

    def __post_init__(self) -> None:
        self._whole = self.ends

    def shorten_deadline(self) -> None:
        """Set a short deadline for what follows the answer, such as counts; again with each event that some servers all call the last."""
        self.is_shortened, self.ends = True, min(self._whole, clock() + TRAILER_TIMEOUT_S)

    async def close(self) -> None:
        await _close(self.rest, self.response)


@dataclass(slots=True)
class Endpoint:
    """A model server. Tests replace `sleep` and `now` (seconds since 1970, for dates in Retry-After)."""

    client: httpx.AsyncClient
    settings: ProviderSettings
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time
    _leaving: LeavingTasks = field(default_factory=LeavingTasks)
    _held_until: float = 0.0
    """The time (of the event loop, s) before which the server wants no request: it said so to one of several."""

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return _place(self.client.base_url)

    async def answer(
        self,
        route: str,
        body: Mapping[str, Any],
        read: EventReader,
        stops: Sequence[str] = (),
        admit: Admit = None,
    ) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the pieces that `read` finds in the events, up to the first of `stops` and to `max_tokens`.

        `admit` is awaited before each try (`Request.admit`); what it waits is in no limit of time.
        Both limits apply on this side too: some servers never stop, and some know no stop sequences, or only four.

        Raises:
            Refusal: the server answered with a status of failure.
            ProviderRefused: the response is not an answer, or was cut off.
            ProviderError: there is no connection, or the time is up.

        """
        async with aclosing(read_apart(self._answered(route, body, read, stops, admit), self._leaving)) as pieces:
            async for piece in pieces:
                yield piece

    async def _answered(
        self, route: str, body: Mapping[str, Any], read: EventReader, stops: Sequence[str], admit: Admit
    ) -> AsyncGenerator[AnswerPiece, None]:
        opened = await self._opened(route, body, read, admit)
        try:
            whole = whole_characters(self._pieces(opened, read))
            async with aclosing(until_stop(whole, stops)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            await opened.close()

    async def is_alive(self, within_s: float) -> bool:
        """Whether the server says anything at all to a request that costs nothing, within a time (s)."""
        try:
            with anyio.fail_after(within_s):
                response = await self.client.send(self.client.build_request("GET", "models"), stream=True)
                await response.aclose()
        except (TimeoutError, httpx.HTTPError):
            return False
        return True

    async def close(self) -> None:
        """Close the connections."""
        await self._leaving.ended(self.settings.connect_s)
        await self.client.aclose()

    async def _pieces(self, opened: _Opened, read: EventReader) -> AsyncGenerator[AnswerPiece, None]:
        allowance = OutputLimit.of(self.settings.max_tokens)
        async with aclosing(self._events(opened, read)) as events:
            async for said in events:
                for piece in said.pieces:
                    if isinstance(piece, AnswerText) and piece.text and allowance.is_spent:
                        yield AnswerMetadata(finish="length")
                        return
                    yield allowance.taken(piece)
                if said.last or allowance.is_spent:
                    opened.shorten_deadline()
        if not opened.is_shortened:
            raise self._ended()

    async def _events(self, opened: _Opened, read: EventReader) -> AsyncGenerator[EventContent, None]:
        is_over = False
        for said in opened.begun:
            yield said
            is_over = said.over
        try:
            while (event := await next_event(opened.rest, opened.ends)) is not None:
                said = self._decode(event, read)
                yield (
                    EventContent([each for each in said.pieces if isinstance(each, AnswerMetadata)], last=True)
                    if is_over
                    else said
                )
                is_over = is_over or said.over
        except ProviderError:
            if not opened.is_shortened:  # whatever comes behind a complete answer takes nothing from it
                raise
        except (TimeoutError, httpx.HTTPError) as error:
            if not opened.is_shortened:
                raise self._broken(error) from error

    def _decode(self, event: StreamEvent, read: EventReader) -> EventContent:
        """The content of an event.

        Raises:
            ProviderRefused: the event is an error, or malformed.

        """
        if event is DONE:
            return EventContent(last=True, over=True)
        if error := event.get("error") or (event if event.get("object") == "error" else None):  # vLLM's has no member
            raise StreamError(error)
        try:
            return read(event)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
            # the error's text may repeat what the server sent, and so a key
            raise ProviderRefused(f"{self.place}: a malformed answer") from None

    def _broken(self, error: Exception) -> ProviderError:
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            return ProviderError(f"{self.place}: no end of the answer within {self.settings.timeout_s:g} s")
        return ProviderRefused(f"{self.place}: the answer was cut off ({_error_text(error)})")

    def _ended(self) -> ProviderRefused:
        return ProviderRefused(f"{self.place}: the stream ended in the middle of the answer")

    @property
    def _longest(self) -> float:
        """How long to wait for the first piece (s)."""
        return min(self.settings.first_s or self.settings.timeout_s, self.settings.timeout_s)

    async def _opened(self, route: str, body: Mapping[str, Any], read: EventReader, admit: Admit) -> _Opened:
        times = _Times(clock() + self._longest, clock() + self.settings.timeout_s)
        retrying = tenacity.AsyncRetrying(
            sleep=self.sleep,
            retry=tenacity.retry_if_exception(self._is_worth_waiting),
            stop=self._is_spent,
            wait=self._wait,
            before_sleep=lambda state: self._hold(_named(state) or 0.0, times),
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    if attempt.retry_state.attempt_number == 1:
                        await self._released(times)
                    await _admitted(admit, times)
                    return await self._begun(route, body, read, times)
        except _Again as again:
            raise again.reason from None
        raise ProviderError(f"{self.place}: no answer")

    def _hold(self, wait_s: float, times: _Times) -> None:
        """Take in how long the server wants no request: this one waits, and so do those that come meanwhile."""
        times.put_off(wait_s)
        self._held_until = max(self._held_until, clock() + wait_s)

    async def _released(self, times: _Times) -> None:
        """Wait until the server wants requests again."""
        if (wait_s := self._held_until - clock()) > 0:
            times.put_off(wait_s)
            await self.sleep(wait_s)

    def _is_spent(self, state: tenacity.RetryCallState) -> bool:
        """Whether a request has had its tries; one that the server names a time for also has had the longest waits between them."""
        settings, named = self.settings, _named(state) or 0.0
        waited = state.idle_for >= (settings.tries - 1) * settings.longest_wait_s
        return state.attempt_number >= settings.tries and (waited or named <= 0.0)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Seconds before the next try: those that the server names, and after the usual tries no less than our own back-off."""
        named, ours = _named(state), 0.15 * 3.0 ** (state.attempt_number - 1)
        return ours if named is None else max(named, ours) if state.attempt_number >= self.settings.tries else named

    def _is_worth_waiting(self, error: BaseException) -> bool:
        return isinstance(error, _Again) and (error.wait_s or 0) <= self.settings.longest_wait_s

    async def _begun(self, route: str, body: Mapping[str, Any], read: EventReader, times: _Times) -> _Opened:
        """Try once: from the connection to the first piece."""
        try:
            response = await before(times.first, self._sent(route, body))
            rest = events_of(response)
            try:
                if not response.is_success:
                    await before(times.first, self._refuse(response, body))
                await before(times.first, self._no_page(response))
                begun = await self._first(rest, read, times.first)
            except BaseException:  # a cancellation too: the connection is closed, and the error goes on
                await _close(rest, response)
                raise
        except TimeoutError as error:
            raise ProviderError(f"{self.place}: no answer within {self._longest:g} s") from error
        return _Opened(response, begun, rest, times.whole)

    async def _sent(self, route: str, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return await sent(self.client, self._request(route, body), self._leaving)
        except httpx.ConnectTimeout as error:
            waited = self.settings.connect_s
            raise ProviderUnreachable(f"{self.place}: no connection within {waited:g} s") from error
        except httpx.HTTPError as error:
            raise _Again(ProviderUnreachable(f"{self.place}: no connection ({_error_text(error)})")) from error

    def _request(self, route: str, body: Mapping[str, Any]) -> httpx.Request:
        headers = {"Content-Type": "application/json"}
        return self.client.build_request("POST", route, content=_encoded(body), headers=headers)

    async def _first(
        self, rest: AsyncGenerator[StreamEvent, None], read: EventReader, ends: float
    ) -> Sequence[EventContent]:
        """The events up to the first piece, or up to the end of an answer without pieces.

        An event that is the last one before there was text may be wrong: some gateways give a model that still thinks a reason to stop.
        """
        begun: list[EventContent] = []
        instead: Any = None
        try:
            while (event := await next_event(rest, ends)) is not None:
                said = self._decode(event, read)
                begun += [said] if said.pieces or said.last else []
                if said.over or answer_text(said.pieces):
                    return begun
                instead = event.get("detail") or event.get("message")
        except StreamError as error:
            if error.is_passing:
                raise _Again(error) from error
            raise
        except TimeoutError:
            if not any(said.last for said in begun):
                raise
        except httpx.HTTPError as error:
            if not any(said.last for said in begun):
                raise _Again(self._broken(error)) from error
        if any(said.last for said in begun):
            return begun
        if isinstance(instead, str):
            raise ProviderRefused(f"{self.place}: no answer, but {api_keys.masked(instead)[:_INSTEAD_CHARACTERS]!r}")
        raise _Again(self._ended())

    async def _refuse(self, response: httpx.Response, body: Mapping[str, Any]) -> None:
        try:
            began = await read_beginning(response)
        except httpx.HTTPError as error:
            raise _Again(self._broken(error)) from error
        page, busy = page_words(response, began), response.status_code in RETRIED_STATUSES
        message = f"a web page: {page}" if page else error_message(began)
        wait_s = retry_after_s(response.headers, self.now()) if busy else None
        advice = advice_for(response, message, wait_s, self.settings.longest_wait_s)
        refusal = StatusError(self.place, response.status_code, message, body, advice)
        if busy:
            raise _Again(refusal, wait_s)
        raise refusal

    async def _no_page(self, response: httpx.Response) -> None:
        """Refuse a web page, which proxies send with any status."""
        if "html" not in response.headers.get("content-type", ""):
            return
        try:
            page = page_words(response, await read_beginning(response))
        except httpx.HTTPError as error:
            raise _Again(self._broken(error)) from error
        asked = response.request.url.path
        raise WebPageError(f"{self.place} answered {asked} with a web page, not JSON: {page} (is the base URL right?)")


def endpoint(
    settings: ProviderSettings,
    base_url: str,
    headers: Mapping[str, str],
    transport: httpx.AsyncBaseTransport | None = None,
) -> Endpoint:
    """A model server at a base URL.

    Raises:
        ProviderMissing: the base URL is missing or malformed.

    """
    if not base_url.startswith(("http://", "https://")):
        wanted = "(--base-url), as in http://127.0.0.1:8080/v1"
        if base_url:
            raise ProviderMissing(f"provider {settings.name!r}: provider.base_url is not a URL: give one {wanted}")
        raise ProviderMissing(f"provider {settings.name!r} needs provider.base_url {wanted}")
    timeout = httpx.Timeout(None, connect=min(settings.timeout_s, settings.connect_s))
    client = httpx.AsyncClient(
        base_url=base_url.rstrip("/") + "/",
        headers=dict(headers),
        timeout=timeout,
        transport=transport,
        trust_env=False,
        verify=base_url.startswith("https:"),  # loading certificates takes 50 ms; redirects are not followed
    )
    return Endpoint(client, settings)


def bearer(settings: ProviderSettings) -> dict[str, str]:
    """The key from the environment as a header of most servers."""
    key = api_keys.key_of(settings.name) if settings.use_key else ""
    return {"Authorization": f"Bearer {key}"} if key else {}


def _encoded(body: Mapping[str, Any]) -> bytes:
    """A body as JSON in UTF-8. Two halves of a surrogate pair are joined; a single half is replaced."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _named(state: tenacity.RetryCallState) -> float | None:
    """The seconds that the server asked to wait."""
    error = state.outcome.exception() if state.outcome else None
    return error.wait_s if isinstance(error, _Again) else None


async def _admitted(admit: Admit, times: _Times) -> None:
    if admit is not None:
        began = clock()
        await admit()
        times.put_off(clock() - began)


async def _close(rest: AsyncGenerator[StreamEvent, None], response: httpx.Response) -> None:
    with anyio.CancelScope(shield=True):
        await rest.aclose()
        await response.aclose()


def _place(url: httpx.URL) -> str:
    return f"{url.host}:{url.port or url.scheme}"


def _error_text(error: Exception) -> str:
    return api_keys.masked(str(error)) or type(error).__name__


# Waits that end at a time of the event loop (s).


def clock() -> float:
    """Give the time of the event loop (s)."""
    return asyncio.get_running_loop().time()


async def before(ends: float, work: Awaitable[Any]) -> Any:
    """Wait for a result.

    Raises:
        TimeoutError: there is none at the time `ends`.

    """
    with anyio.fail_after(ends - clock()):
        return await work


async def next_event(events: AsyncGenerator[StreamEvent, None], ends: float) -> StreamEvent | None:
    """Wait for the next event of a stream; None behind the last.

    Raises:
        TimeoutError: there is none at the time `ends`.

    """
    if clock() > ends:  # a server that never pauses gives the timeout below no chance to act
        raise TimeoutError
    event: StreamEvent | None = await before(ends, anext(events, None))
    return event
