"""Whether a model server can answer at all, found out with one small question before anything else is done; and what to do if it cannot."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

import anyio
from msgspec import structs

from server.api_keys import NAMES
from server.context import Surroundings, choose
from server.errors import ProviderError, ProviderMissing, ProviderUnreachable
from server.providers.protocol import Provider, Request, answer_text
from server.providers.registry import make
from server.settings import SERVERS, AnswerRecord, ProviderSettings

if TYPE_CHECKING:
    from server.providers.http.endpoint import Endpoint

_FINAL = frozenset({401, 402, 403, 404, 405, 407, 410})
"""Statuses that every other question would get too."""
_LOOK_UP_S = 4.0
"""How long (s) the look-up of a name may take."""
_BEFORE, _AFTER = "def double(x):\n    return ", "\n"
_ANSWERED = re.compile(r" answered (\d{3})(?!\d)")


async def probe(settings: ProviderSettings, *, within_s: float = 6.0, alive_s: float = 2.5) -> str:
    """Ask the settings' model server for the first piece of one answer; return a warning, empty if it answers.

    A server that gives no answer within `within_s` may be loading its model: it is asked something that costs nothing, for `alive_s`, and
    only one that is silent then too is given up. A failure that another question might not meet (a server that is busy or fails, a prompt that it does not take) is a warning.

    Raises:
        ProviderError: every question would fail: no connection, no answer to anything, a wrong URL, key or model. The message says what to do.

    """
    provider = make(structs.replace(settings, record=AnswerRecord()))
    try:
        await _find(settings, provider)
        with anyio.fail_after(within_s):
            await _first_piece(provider)
    except TimeoutError:
        return await _waited(settings, provider, within_s, alive_s)
    except ProviderError as error:
        if not _is_final(error):
            return f"a first small question failed: {error}"
        raise ProviderError(advised(str(error), settings)) from error
    finally:
        await provider.close()
    return ""


async def _find(settings: ProviderSettings, provider: Provider) -> None:
    """Look the host's name up, apart from everything else: a look-up that hangs cannot be cancelled, and would hold up the end of the program.

    Raises:
        ProviderError: no name server answers in time. A name that does not exist is found out again where the request is sent.

    """
    endpoint = _endpoint(provider)
    if endpoint is None:
        return
    host, loop, looked = endpoint.client.base_url.host, asyncio.get_running_loop(), asyncio.Event()

    def look() -> None:
        with suppress(OSError, UnicodeError):
            socket.getaddrinfo(host, None)
        with suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(looked.set)

    threading.Thread(target=look, daemon=True).start()
    try:
        await asyncio.wait_for(looked.wait(), _LOOK_UP_S)
    except TimeoutError as error:
        reason = f"{host}: no name server answers within {_LOOK_UP_S:g} s"
        raise ProviderUnreachable(reason) from error


async def _waited(settings: ProviderSettings, provider: Provider, waited_s: float, alive_s: float) -> str:
    endpoint = _endpoint(provider)
    if endpoint is None or await endpoint.is_alive(alive_s):
        return f"the model server took more than {waited_s:g} s for a first small question: it may be loading its model"
    reason = f"{endpoint.place}: no answer to anything within {waited_s + alive_s:g} s"
    raise ProviderError(advised(reason, settings))


async def _first_piece(provider: Provider) -> None:
    around = Surroundings("double.py", "python", _BEFORE, _AFTER)
    context = choose(around, provider.budget)
    request = Request(_BEFORE, _AFTER, "line", context, provider.prompt(context), language="python")
    async with aclosing(provider.complete(request)) as pieces:
        async for piece in pieces:
            if answer_text([piece]):
                return


def _endpoint(provider: Provider) -> Endpoint | None:
    inner: object = provider
    while (within := getattr(inner, "inner", None)) is not None:
        inner = within
    return getattr(inner, "endpoint", None)


def _is_final(error: ProviderError) -> bool:
    from server.providers.http.refusals import StatusError, WebPageError

    if isinstance(error, StatusError):
        return error.status in _FINAL
    return isinstance(error, ProviderUnreachable | ProviderMissing | WebPageError)


def advised(reason: str, settings: ProviderSettings) -> str:
    """The reason of a failure, with what a person can do about it.

    `h:80 answered 401: no` becomes `h:80 answered 401: no: the key is wrong or missing: set it in GHOSTTAPE_API_KEY or OPENAI_API_KEY`.
    """
    return f"{reason.rstrip('.')}: {remedy(reason, settings)}"


def remedy(reason: str, settings: ProviderSettings) -> str:
    """What a person can do about a provider that fails for a reason."""
    if settings.name not in SERVERS:
        return "look at what the provider needs (docs/providers.md)"
    found = _ANSWERED.search(reason)
    status = int(found[1]) if found else 0
    if status in {401, 403, 407}:
        return _about_key(settings)
    if status == 402:
        return "the account has no credit left"
    if status in {404, 405, 410} and _is_about_model(reason, settings):
        return "name a model that the server has with --model"
    if status in {404, 405, 410} or "web page" in reason:
        return "name the right URL with --base-url"
    if status:
        return "look at the model server's own log"
    if "name server" in reason:
        return "look at the network, or name another server with --base-url"
    return "start the model server, or name another one with --base-url"


def _about_key(settings: ProviderSettings) -> str:
    if not settings.use_key:
        return "a server that only ghosttape.toml names gets no key: name it with --base-url"
    return f"the key is wrong or missing: set it in {' or '.join(NAMES[settings.name])}"


def _is_about_model(reason: str, settings: ProviderSettings) -> bool:
    """Whether a refusal is of the model, and not of the route, which is advised about where it came."""
    named = rf"|(?<!\w){re.escape(settings.model)}(?!\w)" if settings.model else ""
    return "base URL" not in reason and re.search(rf"model{named}", reason, re.IGNORECASE) is not None
