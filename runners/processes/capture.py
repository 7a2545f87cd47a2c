"""What a process writes, kept up to a number of bytes."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

_CHUNK = 1 << 16
_GRACE_S = 1.0


class Capture:
    """Both output streams of a process, up to a number of bytes together.

    `begun` is set when it has written anything, `full` when it has written more than that.
    """

    def __init__(self, budget: int) -> None:
        self.begun = asyncio.Event()
        self.full = asyncio.Event()
        self._budget = budget
        self._loop = asyncio.get_running_loop()
        self._data = (bytearray(), bytearray())
        self._ended = (asyncio.Event(), asyncio.Event())
        pipes = (os.pipe(), os.pipe())
        self._readers = [reader for reader, _ in pipes]
        self.writers = [writer for _, writer in pipes]
        for index, reader in enumerate(self._readers):
            os.set_blocking(reader, False)
            self._loop.add_reader(reader, self._read, index)

    def _read(self, index: int) -> None:
        try:
            chunk = os.read(self._readers[index], _CHUNK)
        except BlockingIOError:  # the program has opened the pipe for itself, and was faster
            return
        self.begun.set()
        self._data[index].extend(chunk[: max(0, self._budget)])
        self._budget -= len(chunk)
        if self._budget < 0:
            self.full.set()
        if not chunk:
            self._loop.remove_reader(self._readers[index])
            self._ended[index].set()

    def close_writers(self) -> None:
        """Let go of our copies, so that the streams end when the process does."""
        while self.writers:
            os.close(self.writers.pop())

    async def text(self) -> tuple[str, str]:
        """Wait shortly for the streams to end, and return what was written."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                for ended in self._ended:
                    await ended.wait()
        stdout, stderr = (bytes(data).decode("utf-8", "replace") for data in self._data)
        return stdout, stderr

    def close(self) -> None:
        """Close everything."""
        self.close_writers()
        for reader in self._readers:
            self._loop.remove_reader(reader)
            os.close(reader)
