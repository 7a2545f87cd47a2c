"""Anthropic's Messages API: always a chat; the key is in `ANTHROPIC_API_KEY`.

`prefill` begins the model's turn with the cursor's line, so that it goes on from there. Not every model allows that, nor a
temperature: what one refuses is left out from then on. There are no seeds and no log-probabilities.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import api_keys
from server import prompt as wording
from server.context import Budget, Context
from server.errors import ProviderMissing, ProviderRefused
from server.prompt import ChatMessage, Prompt
from server.providers.http.endpoint import Endpoint, endpoint
from server.providers.http.event_stream import EventContent, StreamEvent, finish_of, is_reason, token_count
from server.providers.http.negotiation import ApiProfile, chat_messages
from server.providers.http.refusals import StatusError
from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText, Request
from server.settings import ProviderSettings

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_NO_KEY = "provider 'anthropic' needs a key for Anthropic's own server: ANTHROPIC_API_KEY, and use_key not false"


@dataclass(slots=True)
class Anthropic:
    """A model of Anthropic's, or of a server that speaks the same."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "anthropic"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    continues: bool = False
    lacks_key: bool = False
    _profile: ApiProfile = field(default_factory=lambda: ApiProfile(chats=True))

    def prompt(self, context: Context) -> Prompt:
        """The chat, with the cursor's line as the beginning of the answer where that is wanted and can be."""
        chat = wording.worded_chat(context, self.settings.chat)
        begun = _line(context).strip()
        if not (self.settings.prefill and begun and "prefill" not in self._profile.lacks):
            return chat
        return Prompt(messages=(*chat.messages, ChatMessage("assistant", begun)), stops=chat.stops)

    async def start(self) -> None:
        """Nothing to load."""

    def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer; closing the generator closes the connection."""
        prompt = self.prompt(request.context) if "prefill" in self._profile.lacks else request.prompt
        return self._profile.ask(
            request,
            prompt,
            lambda prompt: self._ask(prompt, request),
            lambda refusal, prompt: self._learn(refusal, prompt, request.context),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    def _ask(self, prompt: Prompt, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        if self.lacks_key:
            raise ProviderMissing(_NO_KEY)
        answer = self.endpoint.answer("v1/messages", self._question(prompt), Reader().read, prompt.stops, request.admit)
        line = _line(request.context) if _is_begun(prompt) else ""
        return _without_blanks(answer, len(line) - len(line.rstrip()))

    def _learn(self, refusal: StatusError, prompt: Prompt, context: Context) -> Prompt | None:
        """The prompt to ask with, when a refusal has named something that can be done without."""
        message = refusal.message.lower()
        if refusal.status != 400:
            return None
        if _is_begun(prompt) and ("prefill" in message or "assistant message" in message):
            self._profile.leave_out({"prefill"}, self.endpoint.place)
            return self.prompt(context)
        if "temperature" in refusal.asked and "temperature" in message:
            self._profile.leave_out({"temperature"}, self.endpoint.place)
            return prompt
        return None

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.settings.model,
            "max_tokens": self.settings.max_tokens,
            "stream": True,
            "system": "\n".join(message.content for message in prompt.messages if message.role == "system"),
            "messages": [turn for turn in chat_messages(prompt) if turn["role"] != "system"],
            "stop_sequences": [stop for stop in prompt.stops if stop.strip()],  # others are refused
            "temperature": min(self.settings.temperature, 1.0),
        }
        return self._profile.without_refused(asked)


class Reader:
    """Reads the events of one answer; usage comes in two of them."""

    def __init__(self) -> None:
        self._asked: int | None = None

    def read(self, event: StreamEvent) -> EventContent:
        """The text of one event, or the counts of the last ones."""
        match event.get("type"):
            case "content_block_start" | "content_block_delta":  # the text of a block may begin with its start
                text = _of(event, "delta" if "delta" in event else "content_block").get("text")
                return EventContent((AnswerText(text),) if isinstance(text, str) and text else ())
            case "message_start":
                self._asked = token_count(_of(_of(event, "message"), "usage").get("input_tokens"))
            case "message_delta":
                written, reason = (
                    token_count(_of(event, "usage").get("output_tokens")),
                    _of(event, "delta").get("stop_reason"),
                )
                counts = AnswerMetadata(tokens=written, prompt_tokens=self._asked, finish=finish_of(reason))
                return EventContent((counts,), last=is_reason(reason))
            case "message_stop":
                return EventContent(last=True, over=True)
            case "message":
                return _whole(event)
        return EventContent()


def _whole(message: StreamEvent) -> EventContent:
    """An answer that was not streamed."""
    blocks, usage = message.get("content") or [], _of(message, "usage")
    if not isinstance(blocks, list):
        raise ProviderRefused("the answer has no content")
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    text = "".join(text for text in texts if isinstance(text, str))
    metadata = AnswerMetadata(
        tokens=token_count(usage.get("output_tokens")),
        prompt_tokens=token_count(usage.get("input_tokens")),
        finish=finish_of(message.get("stop_reason")),
    )
    return EventContent((AnswerText(text), metadata) if text else (metadata,), last=True)


def _of(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = event.get(name)
    return value if isinstance(value, Mapping) else {}


def _line(context: Context) -> str:
    """The line of the cursor, up to it."""
    return context.before.rsplit("\n", 1)[-1]


def _is_begun(prompt: Prompt) -> bool:
    """Whether a prompt begins the model's own turn."""
    return prompt.messages[-1].role == "assistant"


async def _without_blanks(answer: AsyncGenerator[AnswerPiece, None], most: int) -> AsyncGenerator[AnswerPiece, None]:
    """An answer without the blanks at its beginning that stand left of the cursor already, `most` at most.

    The API takes no turn that ends in one, so they were not said, and the model says them again.
    """
    async with aclosing(answer) as pieces:
        async for piece in pieces:
            if not most or isinstance(piece, AnswerMetadata):
                yield piece
                continue
            text = piece.text
            rest = text.lstrip(" \t")
            rest = text[most:] if len(text) - len(rest) > most else rest
            most = 0 if rest else most - len(text)
            if rest == text:
                yield piece
            elif rest:
                yield AnswerText(rest)


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> Anthropic:
    """A client of Anthropic's API, or of the settings' `base_url` (with or without `/v1`).

    Raises:
        ProviderMissing: no model is named, that is no URL, or Anthropic's own server is to be asked without a key. Where
            answers may come from a record, the key is missed only when one does not.

    """
    if not settings.model:
        raise ProviderMissing("provider 'anthropic' needs provider.model (--model): the name of a model in its API")
    key = api_keys.key_of(settings.name) if settings.use_key else ""
    headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
    base = settings.base_url.rstrip("/").removesuffix("/v1") or BASE_URL
    lacks_key = base == BASE_URL and not key
    if lacks_key and not (settings.record.path and settings.record.mode != "write"):
        raise ProviderMissing(_NO_KEY)
    return Anthropic(settings, endpoint(settings, base, headers, transport), lacks_key=lacks_key)
