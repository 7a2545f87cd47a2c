"""What a language server is to its client: bytes that go in and out, and an end. `ChildProcess` is a program of its own, `replay.editor.in_process` has our server in this process."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

CHUNK = 1 << 16
_LOG_LINES = 40
_LINE_BYTES = 4000
_LAST_WORDS_S = 2.0


class Channel(Protocol):
    """A language server, of which its client needs no more than this."""

    @property
    def status(self) -> int | None:
        """The exit status; None while it has not started, or still runs."""

    @property
    def dead(self) -> bool:
        """Whether it has gone, or has not started."""

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """Start the server in a folder. Raises OSError where that is not possible."""

    def write(self, data: bytes) -> None:
        """Send bytes to the server."""

    async def read(self) -> bytes:
        """Return what the server has sent, as soon as there is something; nothing when it has ended."""

    def kill(self) -> None:
        """End the server at once, if it has not gone."""

    async def ended(self) -> None:
        """Wait until the server has gone."""

    async def release(self) -> None:
        """Wait for a server that ends, and let go of what it was reached by."""

    @property
    def log(self) -> Sequence[str]:
        """The last lines that the server wrote on standard error, as far as they have been read."""

    async def drained(self) -> None:
        """Wait until all that a server which has gone wrote on standard error has been read."""


class ChildProcess:
    """A server in a process of its own, over its standard input and output. Keeps the end of what it writes on standard error."""

    def __init__(self) -> None:
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._process: asyncio.subprocess.Process | None = None
        self._draining: asyncio.Task[None] | None = None

    @property
    def status(self) -> int | None:
        """See `Channel`."""
        return self._process.returncode if self._process else None

    @property
    def dead(self) -> bool:
        """See `Channel`."""
        return self._process is None or self._process.returncode is not None

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """See `Channel`."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=env,
            cwd=folder,
            start_new_session=True,  # Ctrl-C is for us; it goes when we do
        )
        self._draining = asyncio.create_task(self._drain(self._process))

    def write(self, data: bytes) -> None:
        """See `Channel`."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(data)

    async def read(self) -> bytes:
        """See `Channel`."""
        assert self._process is not None
        assert self._process.stdout is not None
        chunk = await self._process.stdout.read(CHUNK)
        if not chunk:
            await self._process.wait()
        return chunk

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        """Read the server's standard error, so that it can never block on it; keep the end for messages."""
        assert process.stderr is not None
        rest = b""
        while chunk := await process.stderr.read(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_LINE_BYTES:]
            self._log.extend(line.decode("utf-8", "replace").rstrip() for line in lines[-_LOG_LINES:])
        if rest:
            self._log.append(rest.decode("utf-8", "replace").rstrip())

    def kill(self) -> None:
        """See `Channel`."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def ended(self) -> None:
        """See `Channel`."""
        assert self._process is not None
        await self._process.wait()

    async def release(self) -> None:
        """Wait for a server that ends and close its pipes. Left open, they complain when the event loop is closed before they are."""
        if self._process is None:
            return
        await self._process.wait()
        if self._draining is not None:
            self._draining.cancel()
            await asyncio.wait({self._draining})  # a cancellation of ours goes on, and that of the task does not
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio gives no other way
        await asyncio.sleep(0)

    @property
    def log(self) -> Sequence[str]:
        """See `Channel`."""
        return tuple(self._log)

    async def drained(self) -> None:
        """See `Channel`. Ends after 2 s, because a child of the server may hold its standard error open."""
        if self._draining is not None:
            await asyncio.wait({self._draining}, timeout=_LAST_WORDS_S)


CHANNEL: ContextVar[Callable[[], Channel]] = ContextVar("CHANNEL", default=ChildProcess)
"""Makes the channels of the engines that are given no other: see `replay.editor.in_process.served_in_process`."""
