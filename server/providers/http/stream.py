"""The events that model servers stream: JSON objects, and the text in them."""

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
from server.providers.protocol import AnswerPiece

StreamEvent: TypeAlias = Mapping[str, Any]
"""One JSON object of an answer."""
DONE: StreamEvent = MappingProxyType({"done": "[DONE]"})
"""Stands for `[DONE]`, which ends a stream of OpenAI's API."""
EVENT_BYTES = 4 << 20
"""The largest event. One document with thousands of tokens and their log-probabilities is smaller."""
_LARGEST = 1 << 53


@dataclass(frozen=True, slots=True)
class EventContent:
    """The content of one event: pieces of the answer, and whether the answer ends with them."""

    pieces: Sequence[str] = ()
    last: bool = False


def token_count(value: Any) -> int | None:
    """A value, if it is a possible number of tokens; else None."""
    return value if type(value) is int and 0 <= value < _LARGEST else None


def answer_piece(text: Any, rows: Any) -> tuple[AnswerPiece, ...]:
    """A text as one piece, with its log-probabilities (`[{"logprob": -0.5}]`, one row a token); nothing if there is no text."""
    if not (isinstance(text, str) and text):
        return ()
    known = rows if isinstance(rows, list) else []
    return piece_with_logprobs(text, [row.get("logprob") for row in known if isinstance(row, Mapping)])


def piece_with_logprobs(text: str, logprobs: Sequence[Any]) -> tuple[AnswerPiece]:
    """A text as one piece, with the sum of its tokens' log-probabilities; values that are not numbers are ignored.

    `("a b", [-0.5, -1.0])`: log-probability -1.5, 2 tokens.
    """
    known = [float(value) for value in logprobs if type(value) in {int, float} and abs(value) < _LARGEST]
    return (AnswerPiece(text, sum(known) if known else None, len(known) or 1),)


async def events_of(response: httpx.Response) -> AsyncGenerator[StreamEvent, None]:
    """The JSON objects of a response: server-sent events, JSON lines, or one document from a server that does not stream.

    Raises:
        ProviderRefused: an event is not a JSON object, or is larger than `EVENT_BYTES`.

    """
    kind, metered = response.headers.get("content-type", ""), _Metered(response)
    async with aclosing(_texts(kind, metered)) as texts:
        async for text in texts:
            metered.since = 0
            yield DONE if text.strip() in {"[DONE]", b"[DONE]"} else _decoded(text)


class _Metered(httpx.AsyncByteStream):
    """The bytes of a response. `since` counts those after the last whole event."""

    def __init__(self, response: httpx.Response) -> None:
        self._response, self.since = response, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_bytes():
            self.since += len(chunk)
            if self.since > EVENT_BYTES:
                raise ProviderRefused(f"the answer holds an event of more than {EVENT_BYTES >> 20} MiB")
            yield chunk


async def _texts(kind: str, data: _Metered) -> AsyncGenerator[bytes | str, None]:
    """The texts of the events, which should be JSON."""
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
    """The lines as they arrive, or the whole body. Only a line feed ends a line: JSON strings may contain the other line ends."""
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


def _decoded(data: bytes | str) -> StreamEvent:
    try:
        event = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProviderRefused(f"the answer is not JSON: {error}") from error
    if not isinstance(event, dict):
        raise ProviderRefused("the answer is not a JSON object")
    return event
