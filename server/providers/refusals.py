"""What a server says when it does not answer: its status, its own words, and when to come back."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec

from server.errors import ProviderRefused

_BODY_BYTES = 2000
_MESSAGE_CHARACTERS = 300


class Refusal(ProviderRefused):
    """The server answered what was `asked` with a status that is no success; `told` is its own message."""

    def __init__(self, place: str, status: int, told: str, asked: Mapping[str, Any]) -> None:
        super().__init__(f"{place} answered {status}: {told}")
        self.status, self.told, self.asked = status, told, asked


def named_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by Retry-After, which holds seconds or a date (RFC 9110, section 10.2.3); None when it is not said."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


async def beginning(response: httpx.Response) -> bytes:
    """The first bytes of a body, as many as a message can need."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= _BODY_BYTES:
            break
    return body[:_BODY_BYTES]


def message(body: bytes) -> str:
    """The words in the body of an error, in JSON or not."""
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode("utf-8", "replace").strip()[:_MESSAGE_CHARACTERS] or "no reason given"
    error = told.get("error", told) if isinstance(told, dict) else told
    return str(error.get("message", error) if isinstance(error, dict) else error)[:_MESSAGE_CHARACTERS]
