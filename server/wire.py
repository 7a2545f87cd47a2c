r"""Messages out of a stream of bytes, whatever the stream holds (LSP 3.17, "Base Protocol").

`Content-Length: N\r\n` cannot stand inside a JSON text: a string has no bare line ends, and nothing but a string has letters like
these. So where it turns up before a message is whole, the length that was announced was wrong, and reading goes on there. Nothing
that was not a message is kept.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias, cast

LARGEST = 64 << 20
"""Bytes of the largest message that is taken in."""
_HEADER = re.compile(rb"content-length:[ \t]*(\d+)[ \t]*\r\n", re.IGNORECASE)
_NAME, _BEGUN, _LONGEST_LENGTH = b"content-length:", re.compile(rb"content-length:[ \t]*\d*\s*"), 64
_FIELDS = re.compile(rb"\s*(?:[\w-]+:[^\r\n]*\r\n)*")
_LONGEST_HEAD = 8 << 10
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Broken:
    """What came is no message; why not."""

    reason: str


Frame: TypeAlias = bytes | Broken
Receive: TypeAlias = Callable[[Frame], bool]
"""Handles what came; tells whether that began something that goes on beside."""


class Frames:
    """Takes bytes in as they come, and gives the body of each message that is whole."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._held = bytearray()
        self._size: int | None = None
        self._searched = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """The messages that are whole now."""
        self._held += chunk
        while (frame := self._next()) is not None:
            if frame:
                yield frame

    def _next(self) -> Frame | None:
        """One message; nothing (b"") after a step on the way to one, None when more bytes are wanted."""
        return self._head() if self._size is None else self._body(self._size)

    def _head(self) -> Frame | None:
        announced = _HEADER.search(self._held)
        if announced is None:
            return self._skip()
        if _FIELDS.fullmatch(self._held, 0, announced.start()) is None:
            del self._held[: announced.start()]
            return Broken("bytes that belong to no message")
        end = self._held.find(b"\r\n\r\n", announced.end() - 2)
        if end < 0 and len(self._held) - announced.start() < _LONGEST_HEAD:
            return None
        if end < 0:
            del self._held[: announced.end()]
            return Broken("a header without an end")
        *_, last = _HEADER.finditer(self._held, announced.start(), end + 2)
        size = int(last[1][:20])
        del self._held[: end + 4]
        if size > self._largest:
            return Broken(f"Content-Length {size} is more than {self._largest} bytes")
        self._size, self._searched = size, 0
        return b""

    def _skip(self) -> Frame | None:
        """Give up a head without a length, and forget what can be no head, but for its end, in which one may begin."""
        end = self._held.find(b"\r\n\r\n")
        if end >= 0:
            del self._held[: end + 4]
            return Broken("a header without Content-Length")
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
        """The body, or as much of it as there is before the next message's header."""
        body = bytes(memoryview(self._held)[:end])
        wrong = _HEADER.search(body) if b"\r\n" in body else None
        body = body[: wrong.start() if wrong else _header_begun(body)]
        del self._held[: len(body)]
        self._size = None
        return body or Broken("a message without content")


def _header_begun(body: bytes) -> int:
    """Where the next message's header begins that a body ends in, for its length was too great by a little; else its end."""
    if body.endswith(b"}"):
        return len(body)
    last = body[-_LONGEST_LENGTH:].lower()
    rest = last[last.rfind(b"c") :] if b"c" in last else b""
    return len(body) - (len(rest) if _NAME.startswith(rest) or _BEGUN.fullmatch(rest) else 0)


class _Inlet(asyncio.Protocol):
    """Hands messages on as they come, but lets what one of them began have its first turn before the next."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._frames = receive, Frames()
        self._waiting: deque[Frame] = deque()
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.ReadTransport | None = None
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self.drained = asyncio.Event()
        self.drained.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._waiting.extend(self._frames.feed(data))
        if self.drained.is_set():
            self._hand_on()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def _hand_on(self) -> None:
        while self._waiting:
            if self._receive(self._waiting.popleft()) and self._waiting:
                self._pause()
                self._loop.call_soon(self._hand_on)
                return
        self._go_on()

    def _pause(self) -> None:
        if self.drained.is_set():
            self.drained.clear()
            if self._transport is not None:
                self._transport.pause_reading()

    def _go_on(self) -> None:
        if not self.drained.is_set():
            self.drained.set()
            if self._transport is not None:
                self._transport.resume_reading()


async def listen(stdin: BinaryIO, stdout: BinaryIO, receive: Receive) -> None:
    """Hand on each message until the stream ends.

    No thread is needed where the loop can wait for bytes, and where not to block on reading does not unblock the writing too.
    """
    inlet, mine = _Inlet(receive), os.fstat(stdin.fileno())
    waits = os.name == "posix" and (stat.S_ISFIFO(mine.st_mode) or stat.S_ISSOCK(mine.st_mode))
    if waits and not os.path.samestat(mine, os.fstat(stdout.fileno())):
        await _wait_for(stdin, inlet)
    else:
        await _read_beside(stdin, inlet)


async def _wait_for(stdin: BinaryIO, inlet: _Inlet) -> None:
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: inlet, stdin)
    try:
        await inlet.ended
        await inlet.drained.wait()
    finally:
        if not stdin.closed:
            os.set_blocking(stdin.fileno(), True)  # others may hold the same pipe
        transport.close()


async def _read_beside(stdin: BinaryIO, inlet: _Inlet) -> None:
    loop = asyncio.get_running_loop()
    while chunk := await loop.run_in_executor(None, os.read, stdin.fileno(), _CHUNK):
        inlet.data_received(chunk)
        await inlet.drained.wait()
