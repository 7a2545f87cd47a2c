"""Our own language server in the process of its client: the same messages, without a second of starting. For tests, and for whoever embeds the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from replay.editor.channel import CHANNEL

_KILLED = -9
"""The status of a process that SIGKILL has ended."""


class _Pipe:
    """Bytes from one side to the other, until either closes it; what is written afterwards is dropped."""

    def __init__(self) -> None:
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._is_open = True

    def write(self, data: bytes) -> None:
        if self._is_open and data:
            self._chunks.put_nowait(data)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._chunks.put_nowait(b"")

    async def read(self) -> bytes:
        return await self._chunks.get()

    async def chunks(self) -> AsyncIterator[bytes]:
        while chunk := await self.read():
            yield chunk


class InProcess:
    """A channel to a server with default settings in the event loop of its client. The command, the environment and the folder of `start` are not looked at.

    What the server logs is logged by this process.
    """

    log: Sequence[str] = ()

    def __init__(self) -> None:
        self._to_server, self._to_client = _Pipe(), _Pipe()
        self._serving: asyncio.Task[int] | None = None

    @property
    def status(self) -> int | None:
        """See `Channel`."""
        if self._serving is None or not self._serving.done():
            return None
        return _KILLED if self._serving.cancelled() else self._serving.result()

    @property
    def dead(self) -> bool:
        """See `Channel`."""
        return self._serving is None or self._serving.done()

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """See `Channel`."""
        from server.lsp.language_server import create  # with the types of the protocol, which take half a second

        self._serving = asyncio.create_task(create().serve_in_loop(self._to_server.chunks(), self._to_client))
        self._serving.add_done_callback(lambda _: self._to_client.close())

    def write(self, data: bytes) -> None:
        """See `Channel`."""
        self._to_server.write(data)

    async def read(self) -> bytes:
        """See `Channel`."""
        return await self._to_client.read()

    def kill(self) -> None:
        """See `Channel`."""
        if self._serving is not None:
            self._serving.cancel()

    async def ended(self) -> None:
        """See `Channel`."""
        if self._serving is not None:
            await asyncio.wait({self._serving})

    async def release(self) -> None:
        """See `Channel`."""
        await self.ended()

    async def drained(self) -> None:
        """See `Channel`."""


@contextmanager
def served_in_process() -> Iterator[None]:
    """Within it, engines that are given no channel have their server in this process."""
    token = CHANNEL.set(InProcess)
    try:
        yield
    finally:
        CHANNEL.reset(token)
