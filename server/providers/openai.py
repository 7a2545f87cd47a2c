"""Any server that speaks OpenAI's HTTP API: vLLM, llama.cpp, TGI, LM Studio, DeepSeek, Mistral and the like.

`api` auto asks `/completions`, in a fill-in-the-middle family's own words where the model's name tells one, else with the
file so far, and moves to `/chat/completions` for good when the server has no such route. A key is read from the environment
and goes into one header; it is never logged, stored or shown.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import msgspec
import tenacity

from server import keys
from server import prompt as wording
from server.context import Budget, Context
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.prompt import Prompt
from server.providers.protocol import Request
from server.settings import ProviderSettings

_TRIES = 3
_LONGEST_WAIT_S = 2.0
_NO_ROUTE = frozenset({404, 405, 501})
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class _Again(Exception):  # noqa: N818 - a signal to tenacity, which never leaves this module
    """Worth another try, after `wait_s` if the server named a time."""

    def __init__(self, reason: ProviderError, wait_s: float | None = None) -> None:
        super().__init__(str(reason))
        self.reason, self.wait_s = reason, wait_s


@dataclass(slots=True)
class OpenAI:
    """A model behind HTTP. `client` can carry another transport, for tests."""

    settings: ProviderSettings
    client: httpx.AsyncClient
    name: str = "openai"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    _chats: bool = False

    def prompt(self, context: Context) -> Prompt:
        """The form that the settings name, or that the model's name and the server's routes tell."""
        if self._chats or self.settings.api == "chat":
            return wording.chat(context)
        template = wording.template_of(self.settings.template, self.settings.model)
        return wording.plain(context) if template is None else wording.middle(context, template)

    async def start(self) -> None:
        """Nothing to load: the model lives in its server."""

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer; closing the generator closes the connection, which is how such servers are cancelled."""
        prompt = self.prompt(request.context)
        response = await self._opened(prompt)
        if response.status_code in _NO_ROUTE and self.settings.api == "auto" and not prompt.messages:
            await response.aclose()
            self._chats = True
            response = await self._opened(self.prompt(request.context))
        try:
            await _refuse(response)
            pieces, ends = 0, time.monotonic() + self.settings.timeout_s
            async for text in _texts(response, ends):
                yield text
                pieces += 1
                if pieces >= self.settings.max_tokens:  # a piece is a token at least: a server that never stops
                    return
        except httpx.TimeoutException as error:
            raise ProviderError(f"{self._place}: no end of the answer within {self.settings.timeout_s:g} s") from error
        except httpx.HTTPError as error:
            raise ProviderRefused(f"{self._place}: the answer was cut off ({_told(error)})") from error
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()

    @property
    def _place(self) -> str:
        return f"{self.client.base_url.host}:{self.client.base_url.port or self.client.base_url.scheme}"

    async def _opened(self, prompt: Prompt) -> httpx.Response:
        """The response whose body is still to be read; tried again, briefly, where that can help."""
        try:
            async for attempt in _retrying():
                with attempt:
                    return await self._sent(prompt)
        except _Again as again:
            raise again.reason from None
        raise ProviderError(f"{self._place}: no answer")

    async def _sent(self, prompt: Prompt) -> httpx.Response:
        route = "chat/completions" if prompt.messages else "completions"
        try:
            response = await self.client.send(
                self.client.build_request("POST", route, json=self._question(prompt)), stream=True
            )
        except httpx.TimeoutException as error:
            raise ProviderError(f"{self._place}: no answer within {self.settings.timeout_s:g} s") from error
        except httpx.HTTPError as error:
            raise _Again(ProviderError(f"{self._place}: no connection ({_told(error)})")) from error
        if response.status_code in _AGAIN and not (response.status_code == 501 and not prompt.messages):
            reason = await _refusal(response)
            raise _Again(reason, _named_wait(response.headers))
        return response

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.settings.model or "default",
            "max_tokens": self.settings.max_tokens,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed,
            "stream": True,
        }
        if prompt.stops:
            asked["stop"] = list(prompt.stops)[:4]
        if prompt.messages:
            asked["messages"] = [{"role": message.role, "content": message.content} for message in prompt.messages]
            return asked
        asked["prompt"] = prompt.text
        return asked if prompt.suffix is None else asked | {"suffix": prompt.suffix}


def _retrying() -> tenacity.AsyncRetrying:
    return tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception(_is_worth_waiting),
        stop=tenacity.stop_after_attempt(_TRIES),
        wait=_wait,
        reraise=True,
    )


def _is_worth_waiting(error: BaseException) -> bool:
    return isinstance(error, _Again) and (error.wait_s or 0) <= _LONGEST_WAIT_S


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    named = error.wait_s if isinstance(error, _Again) else None
    return named if named is not None else 0.15 * 3 ** (state.attempt_number - 1)


def _named_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds in Retry-After (RFC 9110, section 10.2.3); a date counts as too long to wait for."""
    value = headers.get("retry-after", "")
    if not value:
        return None
    return float(value) if value.replace(".", "", 1).isdigit() else _LONGEST_WAIT_S + 1


async def _refuse(response: httpx.Response) -> None:
    if response.status_code >= 400:
        raise await _refusal(response)


async def _refusal(response: httpx.Response) -> ProviderRefused:
    body = (await response.aread())[:2000]
    await response.aclose()
    place = f"{response.request.url.host}:{response.request.url.port or response.request.url.scheme}"
    return ProviderRefused(f"{place} answered {response.status_code}: {_message(body)}")


def _message(body: bytes) -> str:
    try:
        told = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return body.decode("utf-8", "replace").strip()[:300] or "no reason given"
    error = told.get("error", told) if isinstance(told, dict) else told
    return str(error.get("message", error) if isinstance(error, dict) else error)[:300]


async def _texts(response: httpx.Response, ends: float) -> AsyncIterator[str]:
    """The pieces of text in a stream of server-sent events (or in one JSON document, from servers that do not stream).

    Raises:
        TimeoutException: the stream goes on after `ends` (monotonic seconds), whatever drips from it.

    """
    if "event-stream" not in response.headers.get("content-type", ""):
        yield _text_of(await response.aread())
        return
    ended: Literal[True, False] = False
    async for line in response.aiter_lines():
        if time.monotonic() > ends:
            raise httpx.ReadTimeout("the answer has no end")
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            return
        ended = ended or _is_last(data)
        if text := _text_of(data.encode()):
            yield text
    if not ended:
        raise ProviderRefused("the stream ended in the middle of the answer")


def _choice(data: bytes | str) -> Mapping[str, Any]:
    try:
        told = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise ProviderRefused(f"the answer is not JSON: {error}") from error
    if not isinstance(told, dict) or "error" in told:
        raise ProviderRefused(f"the server failed while it answered: {_message(msgspec.json.encode(told))}")
    choices = told.get("choices") or [{}]
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise ProviderRefused("the answer has no choices")
    return choices[0]


def _is_last(data: str) -> bool:
    return bool(_choice(data).get("finish_reason"))


def _text_of(data: bytes) -> str:
    choice = _choice(data)
    for place in (choice, choice.get("delta") or {}, choice.get("message") or {}):
        text = place.get("text") or place.get("content")
        if isinstance(text, str):
            return text
    return ""


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> OpenAI:
    """A client of the settings' `base_url`, as `http://127.0.0.1:8080/v1`.

    Raises:
        ProviderMissing: no base URL is named, or it is none.

    """
    if not settings.base_url.startswith(("http://", "https://")):
        raise ProviderMissing("provider 'openai' needs provider.base_url, as in http://127.0.0.1:8080/v1")
    key = keys.found() if settings.use_key else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = httpx.Timeout(settings.timeout_s, connect=min(settings.timeout_s, 2.0))
    base = settings.base_url.rstrip("/") + "/"
    client = httpx.AsyncClient(base_url=base, headers=headers, timeout=timeout, transport=transport, trust_env=False)
    return OpenAI(settings, client)
