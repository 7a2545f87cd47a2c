"""A model in Ollama, by its own API: `/api/generate` with a suffix, or raw with a family's template, or `/api/chat`.

`api` auto asks raw where the model's name tells a fill-in-the-middle family, else with `suffix`, and moves to chat for good
when the model does not support insertion. Answers are JSON lines.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import prompt as wording
from server.context import CHARACTERS_A_TOKEN, Budget, Context
from server.errors import ProviderMissing
from server.prompt import Prompt
from server.providers.http.endpoint import Endpoint, bearer, endpoint
from server.providers.http.event_stream import EventContent, StreamEvent, answer_piece, finish_of, token_count
from server.providers.http.negotiation import ApiProfile, chat_messages
from server.providers.http.refusals import StatusError
from server.providers.protocol import AnswerMetadata, AnswerPiece, Request
from server.settings import ProviderSettings

BASE_URL = "http://127.0.0.1:11434"
_NO_INSERT = "does not support insert"
_LEAST_WINDOW = 4096
"""Tokens: the budget and an answer of the usual length, with room for marks and rules."""
_DENSE = 0.75
"""Characters a token in the densest code, as part of the usual ones."""


@dataclass(slots=True)
class Ollama:
    """A model in an Ollama server."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "ollama"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    _profile: ApiProfile = field(init=False)
    _window: int = _LEAST_WINDOW

    def __post_init__(self) -> None:
        """Chat from the start where that is wanted; give no share to what the form does not show."""
        self._profile = ApiProfile(chats=wording.is_chat(self.settings))
        self.budget = wording.suited(self.budget, self.settings)

    @property
    def continues(self) -> bool:
        """Whether the prompt is the file itself; a chat is about the file."""
        return not self._profile.chats

    def prompt(self, context: Context) -> Prompt:
        """The form that the settings name, or that the model's name tells."""
        if not self.continues:
            return wording.worded_chat(context, self.settings.chat)
        template = wording.template_of(self.settings.template, self.settings.model)
        if self.settings.api == "suffix" or (template is None and self.settings.api == "auto"):
            return wording.beside(context)
        return wording.plain(context) if template is None else wording.middle(context, template)

    async def start(self) -> None:
        """Nothing to load: the server loads the model when it is asked for the first time."""

    def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer; closing the generator closes the connection, and Ollama stops."""
        prompt = request.prompt if self.continues or request.prompt.messages else self.prompt(request.context)
        return self._profile.ask(
            request,
            prompt,
            lambda prompt: self._ask(prompt, request),
            lambda refusal, _: (
                wording.worded_chat(request.context, self.settings.chat) if self._needs_chat(refusal) else None
            ),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    def _ask(self, prompt: Prompt, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        route = "api/chat" if prompt.messages else "api/generate"
        return self.endpoint.answer(route, self._question(prompt, request.sample), read, prompt.stops, request.admit)

    def _needs_chat(self, refusal: StatusError) -> bool:
        return _NO_INSERT in refusal.message and self.settings.api == "auto" and "suffix" in refusal.asked

    def _window_for(self, prompt: Prompt) -> int:
        """How many tokens the model is to take in: Ollama cuts off the beginning of what is longer than its default.

        It never shrinks, and grows by doubling, because Ollama loads the model again for another one.
        """
        characters = len(prompt.text) + len(prompt.suffix or "") + sum(len(each.content) for each in prompt.messages)
        needed = int(characters / (CHARACTERS_A_TOKEN * _DENSE)) + self.settings.max_tokens
        while self._window < needed:
            self._window *= 2
        return self._window

    def _question(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.settings.model,
            "stream": True,
            "logprobs": self.settings.logprobs,
            "options": {
                "num_predict": self.settings.max_tokens,
                "temperature": self.settings.temperature,
                "seed": self.settings.seed + sample,
                "stop": list(prompt.stops),
                "num_ctx": self._window_for(prompt),
                **self.settings.options,
            },
        }
        if prompt.messages:
            return asked | {"messages": chat_messages(prompt)}
        if prompt.suffix is None:
            return asked | {"prompt": prompt.text, "raw": True}
        return asked | {"prompt": prompt.text, "suffix": prompt.suffix}


def read(event: StreamEvent) -> EventContent:
    """The text of one line, of `/api/generate` or `/api/chat`; the last one counts tokens and says why the model stopped."""
    message, last = event.get("message"), bool(event.get("done"))
    text = event.get("response") or (message.get("content") if isinstance(message, dict) else "")
    counts = AnswerMetadata(
        tokens=token_count(event.get("eval_count")),
        prompt_tokens=token_count(event.get("prompt_eval_count")),
        finish=finish_of(event.get("done_reason")),
    )
    pieces = answer_piece(text, event.get("logprobs"))
    return EventContent((*pieces, counts) if last else pieces, last, over=last)


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> Ollama:
    """A client of the Ollama server at the settings' `base_url` (default: this machine, port 11434).

    Raises:
        ProviderMissing: no model is named, or that is no URL.

    """
    if not settings.model:
        raise ProviderMissing(
            "provider 'ollama' needs provider.model (--model), as in qwen2.5-coder:1.5b-base; `ollama list` shows them"
        )
    base = settings.base_url.rstrip("/").removesuffix("/v1").removesuffix("/api") or BASE_URL
    return Ollama(settings, endpoint(settings, base, bearer(settings), transport))
