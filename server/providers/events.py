"""What model servers send: one JSON object after the other, and what each says."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import httpx
import httpx_sse
import msgspec

from server.errors import ProviderRefused
from server.providers.protocol import Token

Event: TypeAlias = Mapping[str, Any]
"""One JSON object of an answer."""
DONE: Event = MappingProxyType({"done": "[DONE]"})
"""Stands for `[DONE]`, with which OpenAI and its like end a stream."""
EVENT_BYTES = 4 << 20
"""The most that one event may take: an answer of thousands of tokens in one document, with all that is told of each, is smaller."""
_LARGEST = 1 << 53


@dataclass(frozen=True, slots=True)
class Said:
    """What one event says: pieces of the answer, and whether the answer ends with them."""

    pieces: Sequence[str] = ()
    last: bool = False


def count(value: Any) -> int | None:
    """A number of tokens, if it is one."""
    return value if type(value) is int and 0 <= value < _LARGEST else None


def token(text: Any, rows: Any) -> tuple[Token, ...]:
    """A text as one piece, with what `rows` (`[{"logprob": -0.5}]`, one a token) tell of it; nothing where there is no text."""
    if not (isinstance(text, str) and text):
        return ()
    told = rows if isinstance(rows, list) else []
    return weighed(text, [row.get("logprob") for row in told if isinstance(row, Mapping)])


def weighed(text: str, logprobs: Sequence[Any]) -> tuple[Token]:
    """A text as one piece, with the sum of its tokens' log-probabilities; what is no number among them is passed over."""
    known = [float(value) for value in logprobs if type(value) in {int, float} and abs(value) < _LARGEST]
    return (Token(text, sum(known) if known else None, len(known) or 1),)


async def events_of(response: httpx.Response) -> AsyncGenerator[Event, None]:
    """The JSON objects of an answer: server-sent events, JSON lines, or one document from servers that do not stream.

    Raises:
        ProviderRefused: something in it is no JSON object, or is larger than `EVENT_BYTES`.

    """
    kind, metered = response.headers.get("content-type", ""), _Metered(response)
    async with aclosing(_texts(kind, metered)) as texts:
        async for text in texts:
            metered.since = 0
            yield DONE if text.strip() in {"[DONE]", b"[DONE]"} else _decoded(text)


class _Metered(httpx.AsyncByteStream):
    """The bytes of an answer. `since` counts those that came after the last whole event."""

    def __init__(self, response: httpx.Response) -> None:
        self._response, self.since = response, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_bytes():
            self.since += len(chunk)
            if self.since > EVENT_BYTES:
                raise ProviderRefused(f"the answer holds an event of more than {EVENT_BYTES >> 20} MiB")
            yield chunk


async def _texts(kind: str, data: _Metered) -> AsyncGenerator[bytes | str, None]:
    """What should be JSON, piece by piece."""
    if "event-stream" in kind:
        source = httpx_sse.EventSource(httpx.Response(200, headers={"content-type": kind}, stream=data))
        async with aclosing(source.aiter_sse()) as stream:
            async for event in stream:
                if event.data.strip():
                    yield event.data
        return
    async for line in _lines(data, "ndjson" in kind or "jsonl" in kind):
        yield line


async def _lines(data: _Metered, are_lines: bool) -> AsyncIterator[bytes]:
    """The lines as they come (only a line feed ends one: JSON may hold the others), or all in one."""
    rest: list[bytes] = []
    async for chunk in data:
        if not (are_lines and b"\n" in chunk):
            rest.append(chunk)
            continue
        *whole, left = b"".join([*rest, chunk]).split(b"\n")
        rest = [left]
        for line in whole:
            if line.strip():
                yield line
    if last := b"".join(rest).strip():
        yield last


def _decoded(data: bytes | str) -> Event:
    try:
        event = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProviderRefused(f"the answer is not JSON: {error}") from error
    if not isinstance(event, dict):
        raise ProviderRefused("the answer is not a JSON object")
    return event
