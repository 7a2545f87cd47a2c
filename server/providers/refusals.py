"""What a server says when it does not answer: its status, its own words, and when to come back."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import httpx
import msgspec

from server import keys
from server.errors import ProviderRefused

AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses of servers that are busy or out of order."""
_PASSING = frozenset(
    {"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error", "unavailable_error"}
)
"""What servers call the same where they say it in a stream, which has its status behind it."""
_BODY_BYTES = 2000
_MESSAGE_CHARACTERS = 300
_PAGE_CHARACTERS = 80
_PAGE = re.compile(rb"\s*<(!doctype|html)\b", re.IGNORECASE)
_TAGS = re.compile(rb"(?is)<(script|style)\b.*?(</\1\s*>|\Z)|<[^>]*(>|\Z)")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]*)?")


class Refusal(ProviderRefused):
    """The server answered what was `asked` with a status that is no success; `told` is its own message."""

    def __init__(self, place: str, status: int, told: str, asked: Mapping[str, Any], advice: str = "") -> None:
        super().__init__(f"{place} answered {status}: {told}{advice and f' ({advice})'}")
        self.status, self.told, self.asked = status, told, asked


class Breakdown(ProviderRefused):
    """The server told of an error in its stream, which `is_passing` if another try may do better."""

    def __init__(self, error: Any) -> None:
        told = message(msgspec.json.encode({"error": error}))
        super().__init__(f"the server failed while it answered: {told}")
        kinds = [error.get("code"), error.get("type")] if isinstance(error, Mapping) else []
        self.is_passing = any(isinstance(kind, int | str) and kind in AGAIN | _PASSING for kind in kinds)


def named_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by Retry-After, which holds seconds or a date (RFC 9110, section 10.2.3); None when it is not said.

    A date without a zone is one of Greenwich (the same, section 5.6.7).
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def advised(response: httpx.Response, told: str, wait_s: float | None, longest_s: float) -> str:
    """What a person can do about a status: longer patience than `longest_s`, or another URL; nothing where nobody can tell."""
    if wait_s is not None and wait_s > longest_s:
        return f"it asks for {wait_s:g} s of patience, more than longest_wait_s = {longest_s:g}"
    if response.status_code in {404, 405} and "model" not in told.lower():
        return f"asked for {response.request.url.path}: does the base URL lack a /v1, or have one too many?"
    return ""


def html(response: httpx.Response, body: bytes) -> str:
    """The first words of a page that came instead of an answer; nothing when it is none."""
    if "html" not in response.headers.get("content-type", "") and not _PAGE.match(body):
        return ""
    words = _TAGS.sub(b" ", body).decode("utf-8", "replace").split()
    return keys.masked(" ".join(words))[:_PAGE_CHARACTERS] or "an empty page"


async def beginning(response: httpx.Response) -> bytes:
    """The first bytes of a body, as many as a message can need."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= _BODY_BYTES:
            break
    return body[:_BODY_BYTES]


def message(body: bytes) -> str:
    """The words in the body of an error, in JSON or not, without any key: they are cut only when it is masked."""
    return keys.masked(_words(body))[:_MESSAGE_CHARACTERS]


def _words(body: bytes) -> str:
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace").strip() or "no reason given"
    error = told.get("error", told) if isinstance(told, dict) else told
    return str(error.get("message", error) if isinstance(error, dict) else error)
