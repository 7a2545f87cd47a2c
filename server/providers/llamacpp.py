"""The llama.cpp server by its own route `/infill`: it knows the fill-in-the-middle words of the model that it serves.

What stands before and after the cursor goes in two fields, pieces of other files in a third; the server cuts and arranges them.
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
from server.providers.http.endpoint import Endpoint, bearer, endpoint
from server.providers.http.event_stream import EventContent, StreamEvent, answer_piece, finish_of, token_count
from server.providers.http.refusals import StatusError
from server.providers.protocol import AnswerMetadata, AnswerPiece, Request
from server.providers.wrappers.healing import grammar
from server.settings import ProviderSettings

_HINT = (
    "the model that it serves has no fill-in-the-middle words: serve one that has them (Qwen2.5-Coder, StarCoder2, CodeGemma, "
    "Granite), or use --provider openai --base-url {base}v1"
)


@dataclass(slots=True)
class LlamaCpp:
    """A llama.cpp server over HTTP."""

    settings: ProviderSettings
    endpoint: Endpoint
    name: str = "llamacpp"
    budget: Budget = field(default_factory=lambda: Budget(before=1500, after=500, snippets=600, edits=200))
    continues: bool = True

    def prompt(self, context: Context) -> Prompt:
        """Both sides of the cursor; the server words them."""
        return wording.infill(context)

    async def start(self) -> None:
        """Nothing to load: the model lives in its server."""

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer; closing the generator closes the connection, and the server stops at its next token."""
        try:
            answer = self.endpoint.answer("infill", self._question(request), read, request.prompt.stops, request.admit)
            async with aclosing(answer) as pieces:
                async for piece in pieces:
                    yield piece
        except StatusError as refusal:
            if refusal.status != 501:
                raise
            hint = _HINT.format(base=self.endpoint.client.base_url)
            raise ProviderMissing(f"{refusal}: {hint}") from refusal

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    def _question(self, request: Request) -> dict[str, Any]:
        return {
            "input_prefix": request.prompt.text,
            "input_suffix": request.prompt.suffix or "",
            "input_extra": [{"filename": file.path, "text": file.text} for file in request.prompt.files],
            "prompt": "",
            "n_predict": self.settings.max_tokens,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed + request.sample,
            "stop": list(request.prompt.stops),
            "n_probs": 1 if self.settings.logprobs else 0,
            "cache_prompt": True,
            "stream": True,
            "return_progress": True,  # a server that writes while it reads notices that nobody listens any more
        } | ({"grammar": grammar(request.begins)} if request.begins else {})


def read(event: StreamEvent) -> EventContent:
    """The text of one event, with its tokens' log-probabilities; the last one counts, and says why the model stopped.

    Versions before `stop_type` have a flag for each reason.
    """
    last = bool(event.get("stop"))
    flag = next((name for name in ("limit", "word", "eos") if event.get(f"stopped_{name}")), None)
    counts = AnswerMetadata(
        tokens=token_count(event.get("tokens_predicted")),
        prompt_tokens=token_count(event.get("tokens_evaluated")),
        finish=finish_of(event.get("stop_type")) or finish_of(flag),
    )
    pieces = answer_piece(event.get("content"), event.get("completion_probabilities"))
    return EventContent((*pieces, counts) if last else pieces, last, over=last)


def make(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> LlamaCpp:
    """A client of the llama.cpp server at the settings' `base_url` (with or without `/v1`).

    Raises:
        ProviderMissing: that is no URL.

    """
    base = settings.base_url.rstrip("/").removesuffix("/v1") or "http://127.0.0.1:8080"
    return LlamaCpp(settings, endpoint(settings, base, bearer(settings), transport))
