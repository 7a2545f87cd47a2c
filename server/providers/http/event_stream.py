"""The events that model servers stream: JSON objects, and the text in them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import httpx
import msgspec

from server.errors import ProviderRefused
from server.providers.protocol import AnswerPiece, AnswerText
from server.request_counts import Finish

StreamEvent: TypeAlias = Mapping[str, Any]
"""One JSON object of an answer."""
DONE: StreamEvent = MappingProxyType({"done": "[DONE]"})
"""Stands for `[DONE]`, which ends a stream of OpenAI's API."""
EVENT_BYTES = 4 << 20
"""The largest event. One document with thousands of tokens and their log-probabilities is smaller."""
_LARGEST = 1 << 53
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_NO_SPACE = re.compile(r"\S")
_FIELD = re.compile(rb"(?:data|event|id|retry|error)?:|data$")
"""A line of server-sent events: a field or a comment."""
_FINISHES: Mapping[str, Finish] = MappingProxyType(
    {
        **dict.fromkeys(("stop", "eos", "eos_token", "word", "stop_sequence", "end_turn"), "stop"),
        **dict.fromkeys(("length", "limit", "max_tokens", "model_length", "model_context_window_exceeded"), "length"),
        **dict.fromkeys(
            ("content_filter", "safety", "recitation", "blocklist", "prohibited_content"), "content-filter"
        ),
        "refusal": "refusal",
    }
)
"""The reasons that OpenAI, llama.cpp, TGI, Ollama, Mistral, Gemini and Anthropic name in their API references."""


@dataclass(frozen=True, slots=True)
class EventContent:
    """The content of one event: pieces of the answer, and whether the answer ends with them."""

    pieces: Sequence[AnswerPiece] = ()
    last: bool = False
    """Whether the answer may be complete here: some gateways say so too early, and more text follows."""
    over: bool = False
    """Whether it is complete here: no text can follow, but counts may."""


def finish_of(reason: Any) -> Finish | None:
    """Why a model stopped, from the server's word for it; None if there is no word. An unknown word is `other`."""
    return _FINISHES.get(reason.lower(), "other") if isinstance(reason, str) and is_reason(reason) else None


def is_reason(value: Any) -> bool:
    """Whether a value says that a model stopped. Some servers write the word "null" or "none" on each event before the end."""
    return bool(value) and not (isinstance(value, str) and value.lower() in {"null", "none"})


def token_count(value: Any) -> int | None:
    """A value, if it is a possible number of tokens; else None."""
    return value if type(value) is int and 0 <= value < _LARGEST else None


def answer_piece(text: Any, rows: Any) -> tuple[AnswerText, ...]:
    """A text as one piece, with its log-probabilities (`[{"logprob": -0.5}]`, one row a token); nothing if there is no text."""
    if not (isinstance(text, str) and text):
        return ()
    known = rows if isinstance(rows, list) else []
    return piece_with_logprobs(text, [row.get("logprob") for row in known if isinstance(row, Mapping)])


def piece_with_logprobs(text: str, logprobs: Sequence[Any]) -> tuple[AnswerText]:
    """A text as one piece, with the sum of its tokens' log-probabilities; values that are not numbers are ignored.

    `("a b", [-0.5, -1.0])`: log-probability -1.5, 2 tokens.
    """
    known = [float(value) for value in logprobs if type(value) in {int, float} and abs(value) < _LARGEST]
    return (AnswerText(text, sum(known) if known else None, len(known) or 1),)


async def events_of(response: httpx.Response) -> AsyncGenerator[StreamEvent, None]:
    """The JSON objects of a response: server-sent events, JSON lines, or one document from a server that does not stream.

    Raises:
        ProviderRefused: an event is not a JSON object, or is larger than `EVENT_BYTES`.

    """
    decoder = EventDecoder(response.headers.get("content-type", ""))
    async for chunk in response.aiter_bytes():
        for event in decoder.take(chunk):
            yield event
    for event in decoder.finish():
        yield event


class EventDecoder:
    """Decodes the bytes of a response as they come, however they are divided.

    The first line decides the form, because servers and proxies label what they send wrongly; the content type decides where the line
    does not. Server-sent events are read as the HTML standard says (section 9.2.6), and further: the last event needs no blank line
    behind it, and a JSON object outside of a field is an event. Several objects in one line or event are several events.
    """

    def __init__(self, content_type: str) -> None:
        self._content_type = content_type
        self._form: Literal["events", "lines", "document"] | None = None
        self._begun: list[bytes] = []
        """The parts of the line that has not ended."""
        self._after_cr = False
        self._data: list[bytes] = []
        """The lines of the event, or of the document, so far."""
        self._name = b""
        self._size = 0
        """Bytes after the last whole event."""
        self._has_events = False

    def take(self, chunk: bytes) -> Iterator[StreamEvent]:
        """The events that end in the next bytes.

        Raises:
            ProviderRefused: one is not a JSON object, or too large.

        """
        self._size += len(chunk)
        if self._size > EVENT_BYTES:
            raise ProviderRefused(f"the answer holds an event of more than {EVENT_BYTES >> 20} MiB")
        if not chunk:
            return
        rest = chunk[1:] if self._after_cr and chunk.startswith(b"\n") else chunk
        self._after_cr = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(rest)
        for end in ended:
            line, self._begun = b"".join([*self._begun, end]), []
            yield from self._line(line)
        self._begun.append(rest)

    def finish(self) -> Iterator[StreamEvent]:
        """The events that the end of the response ends. One that is cut off is left out if others came before it.

        Raises:
            ProviderRefused: what came is not a JSON object.

        """
        line, self._begun = b"".join(self._begun), []
        try:
            if line:
                yield from self._line(line)
            if self._data:
                yield from self._whole()
        except ProviderRefused:
            if not self._has_events:
                raise

    def _line(self, line: bytes) -> Iterator[StreamEvent]:
        if self._form is None:
            line = line.removeprefix(_BOM)
            self._form = self._form_of(line) if line.strip() else None
        if self._form == "document":
            self._data.append(line)
        elif self._form == "events":
            yield from self._field(line)
        elif line.strip():
            yield from self._event(line)

    def _form_of(self, line: bytes) -> Literal["events", "lines", "document"]:
        are_lines = "ndjson" in self._content_type or "jsonl" in self._content_type
        if _FIELD.match(line):
            return "events"
        if line.lstrip().startswith((b"{", b"[")):
            return "lines" if are_lines or _is_json(line) else "document"
        return "events" if "event-stream" in self._content_type else "lines" if are_lines else "document"

    def _field(self, line: bytes) -> Iterator[StreamEvent]:
        """Take a line of server-sent events. Until late in 2025 llama.cpp's server sent failures in a field `error` (ggml-org/llama.cpp#16109)."""
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            yield from self._whole()
        elif name == b"data" and _is_done(value):
            yield from self._whole()
            yield DONE
        elif name in {b"data", b"error"}:
            self._data.append(value)
            self._name = b"error" if name == b"error" else self._name
        elif name == b"event":
            self._name = value
        elif line.lstrip().startswith(b"{"):
            yield from self._event(line)

    def _whole(self) -> Iterator[StreamEvent]:
        """The event whose lines were taken."""
        lines, self._data = self._data, []
        name, self._name = self._name, b""
        yield from self._event(b"\n".join(lines), name)

    def _event(self, text: bytes, name: bytes = b"") -> Iterator[StreamEvent]:
        self._size = 0
        for event in [DONE] if _is_done(text) else _values(text):
            if event is None:  # a sign of life
                continue
            if not isinstance(event, Mapping):
                raise ProviderRefused("the answer is not a JSON object")
            self._has_events = True
            yield {"error": event} if name == b"error" and not event.get("error") else event


def _is_done(text: bytes) -> bool:
    return text.strip().strip(b'"').upper() == b"[DONE]"


def _is_json(text: bytes) -> bool:
    try:
        return bool(_values(text))
    except ProviderRefused:
        return False


def _values(text: bytes) -> list[Any]:
    """The JSON values in a text, mostly one.

    What servers write beside the standard is read too: NaN, half characters as escapes, control characters in strings, bytes that are no UTF-8.
    """
    try:
        return [msgspec.json.decode(text)] if text.strip() else []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:
            return [*_read_leniently(text.decode("utf-8", "replace"))]
        except (ValueError, RecursionError):
            raise ProviderRefused(f"the answer is not JSON: {error}") from error


def _read_leniently(text: str) -> Iterator[Any]:
    """Read value after value where it is: a copy of the rest for each of them takes quadratic time."""
    at, decoder = 0, json.JSONDecoder(strict=False)
    while begin := _NO_SPACE.search(text, at):
        value, at = decoder.raw_decode(text, begin.start())
        yield value
