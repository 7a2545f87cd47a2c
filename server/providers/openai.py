"""Any server that speaks OpenAI's HTTP API: vLLM, llama.cpp, TGI, LM Studio, DeepSeek, Mistral and the like.

`api` auto asks `/completions`, in a fill-in-the-middle family's own words where the model's name tells one, else with the
file so far, and moves to `/chat/completions` when the server has no such route, for good once it has answered there. `suffix`
gives what stands after the cursor in a field of its own, for servers that apply the template themselves. What a server does
not take of the parameters that do not change the question (log-probabilities, counts, a seed) is left out from then on.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import httpx

from server import prompt as wording
from server.context import Budget, Context
from server.prompt import Prompt
from server.providers.http import openai_format as choices
from server.providers.http.endpoint import Endpoint, bearer, endpoint
from server.providers.http.negotiation import ApiProfile, chat_messages
from server.providers.http.refusals import StatusError
from server.providers.protocol import AnswerPiece, Request
from server.providers.wrappers.healing import grammar
from server.settings import ProviderSettings

_NO_ROUTE = frozenset({404, 405, 501})
_OPTIONAL = ("logprobs", "stream_options", "seed", "temperature", "stop", "grammar")
_UNKNOWN = re.compile(
    r"support|unknown|unrecognized|unexpected|not permitted|not allowed|extra|deprecated", re.IGNORECASE
)
_MOST_STOPS = 4
"""All are seen to on this side too."""


@dataclass(slots=True)
class OpenAI:
    """A model behind HTTP."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "openai"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    _profile: ApiProfile = field(init=False)

    def __post_init__(self) -> None:
        """Chat from the start where that is wanted; give no share to what the form does not show."""
        self._profile = ApiProfile(chats=wording.is_chat(self.settings))
        self.budget = wording.suited(self.budget, self.settings)

    @property
    def continues(self) -> bool:
        """Whether the prompt is the file itself; a chat is about the file."""
        return not self._profile.chats

    def prompt(self, context: Context) -> Prompt:
        """The form that the settings name, or that the model's name and the server's routes tell."""
        if not self.continues:
            return wording.worded_chat(context, self.settings.chat)
        if self.settings.api == "suffix":
            return wording.beside(context)
        template = wording.template_of(self.settings.template, self.settings.model)
        return wording.plain(context) if template is None else wording.middle(context, template)

    async def start(self) -> None:
        """Nothing to load: the model lives in its server."""

    def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer; closing the generator closes the connection, which is how such servers are cancelled."""
        prompt = request.prompt if self.continues or request.prompt.messages else self.prompt(request.context)
        return self._profile.ask(
            request,
            prompt,
            lambda prompt: self._ask(prompt, request),
            lambda refusal, prompt: self._learn(refusal, prompt, request),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    def _ask(self, prompt: Prompt, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        route = "chat/completions" if prompt.messages else "completions"
        return self.endpoint.answer(
            route, self._question(prompt, request), choices.ChoicesReader().read, prompt.stops, request.admit
        )

    def _learn(self, refusal: StatusError, prompt: Prompt, request: Request) -> Prompt | None:
        """A chat, where there is no other route; the same prompt, where a parameter was named that can be done without."""
        if self.settings.api == "auto" and not prompt.messages and self._lacks_route(refusal):
            return wording.worded_chat(request.context, self.settings.chat)
        named = {name for name in _OPTIONAL if name in refusal.asked and re.search(rf"\b{name}\b", refusal.message)}
        if "max_completion_tokens" in refusal.message:
            named = {"max_tokens"} & refusal.asked.keys()
        if refusal.status not in {400, 422} or not named or not _UNKNOWN.search(refusal.message):
            return None
        self._profile.leave_out(named, self.endpoint.place)
        return prompt

    def _lacks_route(self, refusal: StatusError) -> bool:
        """Whether a refusal is of the route, not of the model, which may not be there (any more, or yet)."""
        model = rf"(?<!\w){re.escape(self.settings.model)}(?!\w)" if self.settings.model else r"(?!)"
        words = re.sub(model, "the model", refusal.message, flags=re.IGNORECASE).lower()
        return refusal.status in _NO_ROUTE and ("chat" in words or "model" not in words)

    def _question(self, prompt: Prompt, request: Request) -> dict[str, Any]:
        chats = bool(prompt.messages)
        limit = "max_completion_tokens" if "max_tokens" in self._profile.lacks else "max_tokens"
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
            asked["messages"] = chat_messages(prompt)
        else:
            asked |= {"prompt": prompt.text} | ({} if prompt.suffix is None else {"suffix": prompt.suffix})
        return self._profile.without_refused(asked)


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> OpenAI:
    """A client of the settings' `base_url`, as `http://127.0.0.1:8080/v1`; `transport` is for tests.

    Raises:
        ProviderMissing: no base URL is named, or it is none.

    """
    return OpenAI(settings, endpoint(settings, settings.base_url, bearer(settings), transport))
