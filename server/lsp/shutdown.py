"""Closes the provider when the server ends: the client is gone, it sends `exit`, or SIGTERM or Ctrl-C arrives."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


async def serve_until_closed(
    listening: Coroutine[Any, Any, None], close: Callable[[], Awaitable[None]], last: Callable[[], None]
) -> None:
    """Wait until `listening` ends, then call `close`.

    On SIGTERM, call `close` and `last` at once and let the signal end the process. A thread that reads standard input is not waited for
    then, because nothing can wake it up.
    """
    terminating: list[asyncio.Task[None]] = []

    def terminate() -> None:
        if not terminating:
            terminating.append(asyncio.create_task(_terminate(close, last)))

    with contextlib.suppress(NotImplementedError, RuntimeError):  # no such signals here, or not in this thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        await listening
    finally:
        await (terminating[0] if terminating else close())


async def _terminate(close: Callable[[], Awaitable[None]], last: Callable[[], None]) -> None:
    await close()
    last()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
