r"""Splits a stream of bytes into messages, also if parts of the stream are malformed (LSP 3.17, "Base Protocol").

`Content-Length: N\r\n` cannot occur inside JSON: strings contain no bare line ends, and only strings contain such letters. If it occurs
before a message is complete, the announced length was wrong, and the next message begins there. Bytes that belong to no message are
dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

LARGEST_MESSAGE_BYTES = 64 << 20
"""The largest message in bytes."""
_HEADER = re.compile(rb"content-length:[ \t]*(\d+)[ \t]*\r\n", re.IGNORECASE)
_NAME, _BEGUN, _LONGEST_LENGTH = b"content-length:", re.compile(rb"content-length:[ \t]*\d*\s*"), 64
_FIELDS = re.compile(rb"\s*(?:[\w-]+:[^\r\n]*\r\n)*")
_LONGEST_HEAD = 8 << 10


@dataclass(frozen=True, slots=True)
class InvalidFrame:
    """Bytes that are not a message, and the reason."""

    reason: str


Frame: TypeAlias = bytes | InvalidFrame


class FrameReader:
    """Takes bytes as they arrive, and yields the body of each complete message."""

    def __init__(self, largest: int = LARGEST_MESSAGE_BYTES) -> None:
        self._largest = largest
        self._held = bytearray()
        self._size: int | None = None
        self._searched = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Take bytes; yield the messages that are now complete."""
        self._held += chunk
        while (frame := self._next()) is not None:
            if frame:
                yield frame

    def _next(self) -> Frame | None:
        """One message; `b""` after a step that completes none; None when more bytes are needed."""
        return self._head() if self._size is None else self._body(self._size)

    def _head(self) -> Frame | None:
        announced = _HEADER.search(self._held)
        if announced is None:
            return self._skip()
        if _FIELDS.fullmatch(self._held, 0, announced.start()) is None:
            del self._held[: announced.start()]
            return InvalidFrame("bytes that belong to no message")
        end = self._held.find(b"\r\n\r\n", announced.end() - 2)
        if end < 0 and len(self._held) - announced.start() < _LONGEST_HEAD:
            return None
        if end < 0:
            del self._held[: announced.end()]
            return InvalidFrame("a header without an end")
        *_, last = _HEADER.finditer(self._held, announced.start(), end + 2)
        size = int(last[1][:20])
        del self._held[: end + 4]
        if size > self._largest:
            return InvalidFrame(f"Content-Length {size} is more than {self._largest} bytes")
        self._size, self._searched = size, 0
        return b""

    def _skip(self) -> Frame | None:
        """Report a complete header without a length; drop bytes that cannot be a header, except the end, where one may begin."""
        end = self._held.find(b"\r\n\r\n")
        if end >= 0:
            del self._held[: end + 4]
            return InvalidFrame("a header without Content-Length")
        if len(self._held) > _LONGEST_HEAD:
            del self._held[:-_LONGEST_LENGTH]
        return None

    def _body(self, size: int) -> Frame | None:
        if len(self._held) >= size:
            return self._taken(size)
        wrong = _HEADER.search(self._held, max(self._searched - _LONGEST_LENGTH, 0))
        self._searched = len(self._held)
        return None if wrong is None else self._taken(wrong.start())

    def _taken(self, end: int) -> Frame:
        """The body, or the part of it before the next message's header."""
        body = bytes(memoryview(self._held)[:end])
        wrong = _HEADER.search(body) if b"\r\n" in body else None
        body = body[: wrong.start() if wrong else _header_begun(body)]
        del self._held[: len(body)]
        self._size = None
        return body or InvalidFrame("a message without content")


def _header_begun(body: bytes) -> int:
    """The index at which the next header begins inside a body whose length was slightly too large; else the body's length."""
    if body.endswith(b"}"):
        return len(body)
    last = body[-_LONGEST_LENGTH:].lower()
    rest = last[last.rfind(b"c") :] if b"c" in last else b""
    return len(body) - (len(rest) if _NAME.startswith(rest) or _BEGUN.fullmatch(rest) else 0)
