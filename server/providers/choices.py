"""OpenAI's form of an answer, which llama.cpp has too: `choices` with text, and what is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.errors import ProviderRefused
from server.providers.events import Event, Said, count, token, weighed
from server.providers.protocol import Token, Told


def read(event: Event) -> Said:
    """The text of one event, of `/completions` and of `/chat/completions`, streamed or whole.

    Raises:
        ProviderRefused: it has no `choices` of the known form.

    """
    choices, told = event.get("choices"), _told(event.get("usage"))
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise ProviderRefused("the answer has no choices")
    if not choices:
        return Said(told)
    text = _text(choices[0])
    return Said((*_token(text, choices[0].get("logprobs")), *told), bool(choices[0].get("finish_reason")))


def _text(choice: Mapping[str, Any]) -> str:
    for place in (choice, choice.get("delta"), choice.get("message")):
        text = place.get("text") or place.get("content") if isinstance(place, dict) else ""
        if isinstance(text, str) and text:
            return text
    return ""


def _token(text: str, told: Any) -> tuple[Token, ...]:
    """The text as one piece: `content` is the new form of log-probabilities, `token_logprobs` the old one."""
    told = told if isinstance(told, Mapping) else {}
    old = told.get("token_logprobs")
    if text and not told.get("content") and isinstance(old, list):
        return weighed(text, old)
    return token(text, told.get("content"))


def _told(usage: Any) -> tuple[Told, ...]:
    if not isinstance(usage, dict):
        return ()
    return (Told(tokens=count(usage.get("completion_tokens")), prompt_tokens=count(usage.get("prompt_tokens"))),)
