"""A model in Ollama, by its own API: `/api/generate` with a suffix, or raw with a family's template, or `/api/chat`.

`api` auto asks raw where the model's name tells a fill-in-the-middle family, else with `suffix`, and moves to chat for good
when the model does not support insertion. Answers are JSON lines.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import prompt as wording
from server.context import Budget, Context
from server.errors import ProviderMissing
from server.prompt import Prompt
from server.providers.events import Event, Said
from server.providers.http import Endpoint, bearer, endpoint, learning
from server.providers.protocol import Request, Token, Told
from server.providers.refusals import Refusal
from server.settings import ProviderSettings

BASE_URL = "http://127.0.0.1:11434"
_NO_INSERT = "does not support insert"


@dataclass(slots=True)
class Ollama:
    """A model in an Ollama server."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "ollama"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    _chats: bool = False

    @property
    def continues(self) -> bool:
        """Whether the prompt is the file itself; a chat is about the file."""
        return self.settings.api != "chat" and not self._chats

    def prompt(self, context: Context) -> Prompt:
        """The form that the settings name, or that the model's name tells."""
        if not self.continues:
            return wording.chat(context)
        template = wording.template_of(self.settings.template, self.settings.model)
        if self.settings.api == "suffix" or (template is None and self.settings.api == "auto"):
            return wording.beside(context)
        return wording.plain(context) if template is None else wording.middle(context, template)

    async def start(self) -> None:
        """Nothing to load: the server loads the model when it is asked for the first time."""

    def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer; closing the generator closes the connection, and Ollama stops."""
        return learning(lambda: self._ask(request), self._learns)

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    async def _ask(self, request: Request) -> AsyncGenerator[str, None]:
        prompt = request.prompt if self.continues or request.prompt.messages else self.prompt(request.context)
        if prompt != request.prompt:
            yield Told(prompt=prompt.shown())
        route = "api/chat" if prompt.messages else "api/generate"
        async with aclosing(self.endpoint.answer(route, self._question(prompt, request.sample), read)) as pieces:
            async for piece in pieces:
                yield piece

    def _learns(self, refusal: Refusal) -> bool:
        if _NO_INSERT not in refusal.told or self.settings.api != "auto" or "suffix" not in refusal.asked:
            return False
        self._chats = True
        return True

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
            },
        }
        if prompt.messages:
            messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
            return asked | {"messages": messages}
        if prompt.suffix is None:
            return asked | {"prompt": prompt.text, "raw": True}
        return asked | {"prompt": prompt.text, "suffix": prompt.suffix}


def read(event: Event) -> Said:
    """The text of one line, of `/api/generate` or `/api/chat`; the last one counts tokens."""
    message = event.get("message")
    text = event.get("response") or (message.get("content") if isinstance(message, dict) else "")
    known = [float(row["logprob"]) for row in event.get("logprobs") or [] if isinstance(row, dict) and "logprob" in row]
    last = bool(event.get("done"))
    told = (Told(tokens=event.get("eval_count"), prompt_tokens=event.get("prompt_eval_count")),) if last else ()
    if not (isinstance(text, str) and text):
        return Said(told, last)
    return Said((Token(text, sum(known) if known else None, max(1, len(known))), *told), last)


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
