"""Error responses of model servers: the status, the server's message, and when to try again."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import httpx
import msgspec

from server import api_keys
from server.errors import ProviderRefused

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which another try can succeed: the server is busy or failed."""
_PASSING = frozenset(
    {"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error", "unavailable_error"}
)
"""The same as names of errors in a stream, whose status was sent before."""
_BODY_BYTES = 2000
_MESSAGE_CHARACTERS = 300
_PAGE_CHARACTERS = 80
_PAGE = re.compile(rb"\s*<(!doctype|html)\b", re.IGNORECASE)
_TAGS = re.compile(rb"(?is)<(script|style)\b.*?(</\1\s*>|\Z)|<[^>]*(>|\Z)")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]*)?")


class StatusError(ProviderRefused):
    """The server answered the request body `asked` with a status of failure; `message` is the server's message."""

    def __init__(self, place: str, status: int, message: str, asked: Mapping[str, Any], advice: str = "") -> None:
        super().__init__(f"{place} answered {status}: {message}{advice and f' ({advice})'}")
        self.status, self.message, self.asked = status, message, asked


class WebPageError(ProviderRefused):
    """The server answered with a web page, not with what its interface says."""


class StreamError(ProviderRefused):
    """The server reported an error in its stream. `is_passing`: another try can succeed."""

    def __init__(self, error: Any) -> None:
        super().__init__(f"the server failed while it answered: {_shown(_message_in(error))}")
        kinds = [error.get("code"), error.get("type")] if isinstance(error, Mapping) else []
        self.is_passing = any(isinstance(kind, int | str) and kind in RETRIED_STATUSES | _PASSING for kind in kinds)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds to wait by Retry-After, which is a number or a date (RFC 9110, section 10.2.3); None without the header.

    A date without a zone is UTC (section 5.6.7). `Wed, 21 Oct 2015 07:28:00 GMT` at 07:27:30: 30 s.
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def advice_for(response: httpx.Response, message: str, wait_s: float | None, longest_s: float) -> str:
    """What a person can do about a status: raise `longest_wait_s`, or correct the URL; empty if neither applies."""
    if wait_s is not None and wait_s > longest_s:
        return f"it asks to wait {wait_s:g} s, more than longest_wait_s = {longest_s:g}"
    if response.status_code in {404, 405} and "model" not in message.lower():
        return f"the request was for {response.request.url.path}: is a /v1 missing in the base URL, or surplus?"
    return ""


def page_words(response: httpx.Response, body: bytes) -> str:
    """The first words of a web page that came instead of an answer; empty if the body is not a web page."""
    if "html" not in response.headers.get("content-type", "") and not _PAGE.match(body):
        return ""
    words = _TAGS.sub(b" ", body).decode("utf-8", "replace").split()
    return api_keys.masked(" ".join(words))[:_PAGE_CHARACTERS] or "an empty page"


async def read_beginning(response: httpx.Response) -> bytes:
    """The first bytes of a body, enough for a message."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= _BODY_BYTES:
            break
    return body[:_BODY_BYTES]


def error_message(body: bytes) -> str:
    """The message in the body of an error, in JSON or plain text. Keys are masked before it is cut, so that no part of a key remains."""
    return _shown(_words(body))


def _words(body: bytes) -> str:
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace").strip() or "no reason given"
    return _message_in(decoded.get("error", decoded) if isinstance(decoded, dict) else decoded)


def _message_in(error: Any) -> str:
    return str(error.get("message", error) if isinstance(error, Mapping) else error)


def _shown(message: str) -> str:
    return api_keys.masked(message)[:_MESSAGE_CHARACTERS]
