"""Reads messages from standard input without a thread where the event loop can wait for bytes."""

from __future__ import annotations

import asyncio
import os
import stat
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, TypeAlias, cast

from server.wire.framing import Frame, FrameReader

Receive: TypeAlias = Callable[[Frame], bool]
"""Handles a frame; returns whether that started a task."""
_CHUNK = 1 << 18


class _FrameProtocol(asyncio.Protocol):
    """Passes messages on as they come. A task that a message starts gets its first turn before the next message is passed on."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._frames = receive, FrameReader()
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
    """Pass each message on until the stream ends.

    The event loop waits for bytes where it can: on pipes, sockets and terminals. It cannot on a regular file, nor where input and
    output are one pipe or socket (non-blocking reads would make the writes non-blocking too); a thread reads there.
    """
    protocol, mode = _FrameProtocol(receive), os.fstat(stdin.fileno()).st_mode
    if os.name == "posix" and stdin.isatty():
        await _read_terminal(stdin, protocol)
    elif os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and not _is_same(stdin, stdout):
        await _read_pipe(stdin, protocol)
    else:
        await _read_in_thread(stdin, protocol)


async def listen_to(chunks: AsyncIterator[bytes], receive: Receive) -> None:
    """Pass each message on until the bytes end: `listen` for bytes of this process."""
    frames = FrameReader()
    async for chunk in chunks:
        for frame in frames.feed(chunk):
            if receive(frame):
                await asyncio.sleep(0)


def _is_same(stdin: BinaryIO, stdout: BinaryIO) -> bool:
    return os.path.samestat(os.fstat(stdin.fileno()), os.fstat(stdout.fileno()))


async def _read_terminal(stdin: BinaryIO, protocol: _FrameProtocol) -> None:
    """Read lines as a person types them. The terminal stays blocking, because standard output and other programs share it."""

    def read_line() -> None:
        try:
            line = os.read(stdin.fileno(), _CHUNK)
        except OSError:  # the terminal was closed
            line = b""
        if line:
            protocol.data_received(line)
        else:
            protocol.connection_lost(None)

    loop = asyncio.get_running_loop()
    loop.add_reader(stdin.fileno(), read_line)
    try:
        await protocol.ended
    finally:
        loop.remove_reader(stdin.fileno())


async def _read_pipe(stdin: BinaryIO, protocol: _FrameProtocol) -> None:
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, stdin)
    try:
        await protocol.ended
        await protocol.drained.wait()
    finally:
        if not stdin.closed:
            os.set_blocking(stdin.fileno(), True)  # other processes may hold the same pipe
        transport.close()


async def _read_in_thread(stdin: BinaryIO, protocol: _FrameProtocol) -> None:
    loop = asyncio.get_running_loop()
    while chunk := await loop.run_in_executor(None, os.read, stdin.fileno(), _CHUNK):
        protocol.data_received(chunk)
        await protocol.drained.wait()
