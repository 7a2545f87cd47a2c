"""Anthropic's Messages API: always a chat; the key is in `ANTHROPIC_API_KEY`.

`prefill` begins the model's turn with the cursor's line, so that it goes on from there. Not every model allows that, nor a
temperature: what one refuses is left out from then on. There are no seeds and no log-probabilities.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import keys
from server import prompt as wording
from server.context import Budget, Context
from server.errors import ProviderMissing
from server.prompt import Message, Prompt
from server.providers.events import Event, Said
from server.providers.http import Endpoint, endpoint, learning
from server.providers.protocol import Request, Token, Told
from server.providers.refusals import Refusal
from server.settings import ProviderSettings

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_log = logging.getLogger("ghosttape.server")


@dataclass(slots=True)
class Anthropic:
    """A model of Anthropic's, or of a server that speaks the same."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "anthropic"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    continues: bool = False
    _spurned: set[str] = field(default_factory=set)

    def prompt(self, context: Context) -> Prompt:
        """The chat, with the cursor's line as the beginning of the answer where that is wanted and can be."""
        chat = wording.chat(context)
        begun = context.before.rsplit("\n", 1)[-1].strip()
        if not (self.settings.prefill and begun and "prefill" not in self._spurned):
            return chat
        return Prompt(messages=(*chat.messages, Message("assistant", begun)), stops=chat.stops)

    async def start(self) -> None:
        """Nothing to load."""

    def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer; closing the generator closes the connection."""
        return learning(lambda: self._ask(request), self._learns)

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    async def _ask(self, request: Request) -> AsyncGenerator[str, None]:
        prompt = self.prompt(request.context) if "prefill" in self._spurned else request.prompt
        if prompt != request.prompt:
            yield Told(prompt=prompt.shown())
        async with aclosing(self.endpoint.answer("v1/messages", self._question(prompt), Reader().read)) as pieces:
            async for piece in pieces:
                yield piece

    def _learns(self, refusal: Refusal) -> bool:
        """Whether a refusal names something that can be left out, which it then is for good."""
        told, asked = refusal.told.lower(), refusal.asked
        prefilled = asked["messages"][-1]["role"] == "assistant"
        if refusal.status != 400:
            return False
        if prefilled and ("prefill" in told or "assistant message" in told):
            self._spurned.add("prefill")
        elif "temperature" in asked and "temperature" in told:
            self._spurned.add("temperature")
        else:
            return False
        _log.warning("%s: left out from now on: %s", self.endpoint.place, refusal.told)
        return True

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.settings.model,
            "max_tokens": self.settings.max_tokens,
            "stream": True,
            "system": "\n".join(message.content for message in prompt.messages if message.role == "system"),
            "messages": [
                {"role": message.role, "content": message.content}
                for message in prompt.messages
                if message.role != "system"
            ],
            "stop_sequences": [stop for stop in prompt.stops if stop.strip()],  # others are refused
            "temperature": min(self.settings.temperature, 1.0),
        }
        return {name: value for name, value in asked.items() if name not in self._spurned}


class Reader:
    """Reads the events of one answer; usage comes in two of them."""

    def __init__(self) -> None:
        self._asked: int | None = None

    def read(self, event: Event) -> Said:
        """The text of one event, or the counts of the last ones."""
        match event.get("type"):
            case "content_block_delta":
                text = _of(event, "delta").get("text")
                return Said((Token(text),) if isinstance(text, str) and text else ())
            case "message_start":
                self._asked = _of(_of(event, "message"), "usage").get("input_tokens")
            case "message_delta":
                return Said((Told(tokens=_of(event, "usage").get("output_tokens"), prompt_tokens=self._asked),))
            case "message_stop":
                return Said(last=True)
            case "message":
                return _whole(event)
        return Said()


def _whole(message: Event) -> Said:
    """An answer that was not streamed."""
    blocks, usage = message.get("content") or [], _of(message, "usage")
    text = "".join(block.get("text") or "" for block in blocks if isinstance(block, dict))
    told = Told(tokens=usage.get("output_tokens"), prompt_tokens=usage.get("input_tokens"))
    return Said((Token(text), told) if text else (told,), last=True)


def _of(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = event.get(name)
    return value if isinstance(value, Mapping) else {}


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> Anthropic:
    """A client of Anthropic's API, or of the settings' `base_url` (with or without `/v1`).

    Raises:
        ProviderMissing: no model is named, or that is no URL.

    """
    if not settings.model:
        raise ProviderMissing("provider 'anthropic' needs provider.model (--model): the name of a model in its API")
    key = keys.found(settings.name) if settings.use_key else ""
    headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
    base = settings.base_url.rstrip("/").removesuffix("/v1") or BASE_URL
    return Anthropic(settings, endpoint(settings, base, headers, transport))
