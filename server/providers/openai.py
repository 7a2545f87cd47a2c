"""Any server that speaks OpenAI's HTTP API: vLLM, llama.cpp, TGI, LM Studio, DeepSeek, Mistral and the like.

`api` auto asks `/completions`, in a fill-in-the-middle family's own words where the model's name tells one, else with the
file so far, and moves to `/chat/completions` for good when the server has no such route. `suffix` gives what stands after
the cursor in a field of its own, for servers that apply the template themselves. What a server does not take of the
parameters that do not change the question (log-probabilities, counts, a seed) is left out from then on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import prompt as wording
from server.context import Budget, Context
from server.prompt import Prompt
from server.providers import choices
from server.providers.healing import grammar
from server.providers.http import Endpoint, bearer, endpoint, learning
from server.providers.protocol import Request, Told
from server.providers.refusals import Refusal
from server.settings import ProviderSettings

_NO_ROUTE = frozenset({404, 405, 501})
_OPTIONAL = ("logprobs", "stream_options", "seed", "temperature", "stop", "grammar")
_UNKNOWN = re.compile(
    r"support|unknown|unrecognized|unexpected|not permitted|not allowed|extra|deprecated", re.IGNORECASE
)
_MOST_STOPS = 4
_log = logging.getLogger("ghosttape.server")


@dataclass(slots=True)
class OpenAI:
    """A model behind HTTP."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "openai"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    _chats: bool = False
    _spurned: set[str] = field(default_factory=set)

    @property
    def continues(self) -> bool:
        """Whether the prompt is the file itself; a chat is about the file."""
        return self.settings.api != "chat" and not self._chats

    def prompt(self, context: Context) -> Prompt:
        """The form that the settings name, or that the model's name and the server's routes tell."""
        if not self.continues:
            return wording.chat(context)
        if self.settings.api == "suffix":
            return wording.beside(context)
        template = wording.template_of(self.settings.template, self.settings.model)
        return wording.plain(context) if template is None else wording.middle(context, template)

    async def start(self) -> None:
        """Nothing to load: the model lives in its server."""

    def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer; closing the generator closes the connection, which is how such servers are cancelled."""
        return learning(lambda: self._ask(request), self._learns)

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    async def _ask(self, request: Request) -> AsyncGenerator[str, None]:
        prompt = request.prompt if self.continues or request.prompt.messages else self.prompt(request.context)
        if prompt != request.prompt:
            yield Told(prompt=prompt.shown())
        route = "chat/completions" if prompt.messages else "completions"
        async with aclosing(self.endpoint.answer(route, self._question(prompt, request), choices.read)) as pieces:
            async for piece in pieces:
                yield piece

    def _learns(self, refusal: Refusal) -> bool:
        """Whether a refusal names something that can be done otherwise, which it then is for good."""
        if refusal.status in _NO_ROUTE and self.settings.api == "auto" and "messages" not in refusal.asked:
            self._chats = True
            return True
        named = {name for name in _OPTIONAL if name in refusal.asked and re.search(rf"\b{name}\b", refusal.told)}
        if "max_completion_tokens" in refusal.told:
            named = {"max_tokens"} & refusal.asked.keys()
        if refusal.status not in {400, 422} or not named or not _UNKNOWN.search(refusal.told):
            return False
        self._spurned |= named
        _log.warning("%s does not take %s: left out from now on", self.endpoint.place, ", ".join(sorted(named)))
        return True

    def _question(self, prompt: Prompt, request: Request) -> dict[str, Any]:
        chats = bool(prompt.messages)
        limit = "max_completion_tokens" if "max_tokens" in self._spurned else "max_tokens"
        asked: dict[str, Any] = {
            "model": self.settings.model or "default",
            limit: self.settings.max_tokens,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed + request.sample,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.settings.logprobs:
            asked["logprobs"] = True if chats else 1
        if prompt.stops:
            asked["stop"] = list(prompt.stops)[:_MOST_STOPS]
        if request.begins and not chats:
            asked["grammar"] = grammar(request.begins)  # llama.cpp's; others ignore it, or refuse it once
        if chats:
            asked["messages"] = [{"role": message.role, "content": message.content} for message in prompt.messages]
        else:
            asked |= {"prompt": prompt.text} | ({} if prompt.suffix is None else {"suffix": prompt.suffix})
        return {name: value for name, value in asked.items() if name not in self._spurned}


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> OpenAI:
    """A client of the settings' `base_url`, as `http://127.0.0.1:8080/v1`; `transport` is for tests.

    Raises:
        ProviderMissing: no base URL is named, or it is none.

    """
    return OpenAI(settings, endpoint(settings, settings.base_url, bearer(settings), transport))
