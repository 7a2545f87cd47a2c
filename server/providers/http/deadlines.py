"""Waits that end at a time of the event loop (s)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from typing import Any

import anyio

from server.providers.http.stream import StreamEvent


def clock() -> float:
    """Give the time of the event loop (s)."""
    return asyncio.get_running_loop().time()


async def before(ends: float, work: Awaitable[Any]) -> Any:
    """Wait for a result.

    Raises:
        TimeoutError: there is none at the time `ends`.

    """
    with anyio.fail_after(ends - clock()):
        return await work


async def next_event(events: AsyncGenerator[StreamEvent, None], ends: float) -> StreamEvent | None:
    """Wait for the next event of a stream; None behind the last.

    Raises:
        TimeoutError: there is none at the time `ends`.

    """
    if clock() > ends:  # a server that never pauses gives the timeout below no chance to act
        raise TimeoutError
    event: StreamEvent | None = await before(ends, anext(events, None))
    return event
