"""How the server ends: the provider is let go of, whether the client is gone, says `exit`, or SIGTERM comes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


async def served(
    listening: Coroutine[Any, Any, None], let_go: Callable[[], Awaitable[None]], last: Callable[[], None]
) -> None:
    """Wait until `listening` ends, then `let_go`. On SIGTERM let go at once, do what comes `last`, and end as by the signal itself.

    Whoever reads standard input in a thread is not waited for then: nothing can wake it.
    """
    leaving: list[asyncio.Task[None]] = []

    def told() -> None:
        if not leaving:
            leaving.append(asyncio.create_task(_terminated(let_go, last)))

    with contextlib.suppress(NotImplementedError, RuntimeError):  # no such signals here, or not in this thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told)
    try:
        await listening
    finally:
        await (leaving[0] if leaving else let_go())


async def _terminated(let_go: Callable[[], Awaitable[None]], last: Callable[[], None]) -> None:
    await let_go()
    last()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
