"""OpenAI's form of an answer, which llama.cpp uses too: `choices` with text and log-probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.errors import ProviderRefused
from server.providers.http.stream import EventContent, StreamEvent, answer_piece, piece_with_logprobs, token_count
from server.providers.protocol import AnswerMetadata, AnswerPiece


def read(event: StreamEvent) -> EventContent:
    """The text of one event, of `/completions` and of `/chat/completions`, streamed or whole.

    Raises:
        ProviderRefused: the event has no valid `choices`.

    """
    choices, usage = event.get("choices"), _usage(event.get("usage"))
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise ProviderRefused("the answer has no choices")
    if not choices:
        return EventContent(usage)
    text = _text(choices[0])
    return EventContent((*_token(text, choices[0].get("logprobs")), *usage), bool(choices[0].get("finish_reason")))


def _text(choice: Mapping[str, Any]) -> str:
    for place in (choice, choice.get("delta"), choice.get("message")):
        text = place.get("text") or place.get("content") if isinstance(place, dict) else ""
        if isinstance(text, str) and text:
            return text
    return ""


def _token(text: str, logprobs: Any) -> tuple[AnswerPiece, ...]:
    """The text as one piece. Log-probabilities are in `content` (new form) or `token_logprobs` (old form)."""
    logprobs = logprobs if isinstance(logprobs, Mapping) else {}
    old = logprobs.get("token_logprobs")
    if text and not logprobs.get("content") and isinstance(old, list):
        return piece_with_logprobs(text, old)
    return answer_piece(text, logprobs.get("content"))


def _usage(usage: Any) -> tuple[AnswerMetadata, ...]:
    if not isinstance(usage, dict):
        return ()
    return (
        AnswerMetadata(
            tokens=token_count(usage.get("completion_tokens")), prompt_tokens=token_count(usage.get("prompt_tokens"))
        ),
    )
