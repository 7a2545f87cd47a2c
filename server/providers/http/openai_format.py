"""OpenAI's form of an answer, which llama.cpp uses too: `choices` with text and log-probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.errors import ProviderRefused
from server.providers.http.event_stream import (
    EventContent,
    StreamEvent,
    answer_piece,
    finish_of,
    is_reason,
    piece_with_logprobs,
    token_count,
)
from server.providers.protocol import AnswerMetadata, AnswerText


class ChoicesReader:
    """Reads the events of one answer, of `/completions` and of `/chat/completions`, streamed or whole."""

    def __init__(self) -> None:
        self._has_text = False

    def read(self, event: StreamEvent) -> EventContent:
        """The text of one event.

        An event without `choices` has none: servers send such ones for usage, for the filter's results on a prompt, and to keep a connection.
        The tokens of the answer in one of them end the answer: some gateways send neither a reason nor `[DONE]` after them.

        Raises:
            ProviderRefused: `choices` is no list.

        """
        choices = event.get("choices") or []
        if not isinstance(choices, list):
            raise ProviderRefused("the answer has no list of choices")
        choice = next((each for each in choices if isinstance(each, dict)), {})
        text = self._text(choice)
        self._has_text = self._has_text or bool(text)
        reasons = (choice.get("finish_reason"), choice.get("finishReason"))  # the second in Gemini's compatible route
        reason = next(filter(is_reason, reasons), None)
        counts = _metadata(event.get("usage"), "refusal" if _is_refused(choice) else reason)
        is_last = bool(reason) or (not choices and any(each.tokens for each in counts))
        return EventContent((*_token(text, choice.get("logprobs")), *counts), is_last)

    def _text(self, choice: Mapping[str, Any]) -> str:
        """The text of a choice. A `message` beside a `delta`, or behind text, says again what was said."""
        delta = choice.get("delta")
        is_whole = not isinstance(delta, dict) and not self._has_text
        for place in (choice, delta, choice.get("message") if is_whole else None):
            text = _joined(place.get("text") or place.get("content")) if isinstance(place, dict) else ""
            if text:
                return text
        return ""


def _joined(content: Any) -> str:
    """A text, or the texts in a list of parts (`[{"type": "text", "text": "x"}]`); parts of thinking are left out."""
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, dict) else part for part in content if not _is_thinking(part)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _is_thinking(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type", "text") not in {"text", "output_text"}


def _is_refused(choice: Mapping[str, Any]) -> bool:
    """Whether the model's words of refusal are in the field for them."""
    return any(
        isinstance(place, dict) and place.get("refusal") for place in (choice.get("delta"), choice.get("message"))
    )


def _token(text: str, logprobs: Any) -> tuple[AnswerText, ...]:
    """The text as one piece. Log-probabilities are in `content` (new form) or `token_logprobs` (old form)."""
    logprobs = logprobs if isinstance(logprobs, Mapping) else {}
    old = logprobs.get("token_logprobs")
    if text and not logprobs.get("content") and isinstance(old, list):
        return piece_with_logprobs(text, old)
    return answer_piece(text, logprobs.get("content"))


def _metadata(usage: Any, reason: Any) -> tuple[AnswerMetadata, ...]:
    """The counts and the reason for the end, as far as an event has them."""
    finish, usage = finish_of(reason), usage if isinstance(usage, dict) else {}
    if not usage and finish is None:
        return ()
    tokens, asked = (token_count(usage.get(name)) for name in ("completion_tokens", "prompt_tokens"))
    return (AnswerMetadata(tokens=tokens, prompt_tokens=asked, finish=finish),)
