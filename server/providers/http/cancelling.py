"""How a request ends whose asker leaves: its connection is closed, and never stays in the pool.

httpcore closes connections under the shields of anyio. A cancellation of asyncio itself does not heed them, and one that comes while a
connection closes leaves it in the pool for ever; a hundred such, and no request gets a connection any more. So what reads an answer
runs in a task of its own, and is cancelled by a scope of anyio.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

import anyio.lowlevel
import httpx

T = TypeVar("T")


class LeavingTasks:
    """Tasks that may outlive their asker, because they close connections."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def add(self, task: asyncio.Task[Any]) -> None:
        """Hold a task until it ends. Its error is its asker's, if there is still one."""
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def ended(self, longest_s: float) -> None:
        """Wait until all have ended, at most so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=longest_s)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen: asyncio would log it


async def read_apart(items: AsyncGenerator[T, None], leaving: LeavingTasks) -> AsyncGenerator[T, None]:
    """The items of a generator that a task of its own runs. The task is cancelled when the reader leaves, and then ends by itself."""
    queue: asyncio.Queue[T | None] = asyncio.Queue()
    scope = anyio.CancelScope()
    reading = asyncio.create_task(_read(items, queue, scope))
    leaving.add(reading)
    try:
        while (item := await queue.get()) is not None:
            yield item
        await reading
    finally:
        scope.cancel()


async def _read(items: AsyncGenerator[T, None], queue: asyncio.Queue[T | None], scope: anyio.CancelScope) -> None:
    try:
        with scope:
            async with aclosing(items):
                await anyio.lowlevel.checkpoint_if_cancelled()  # who left at once has asked nothing
                async for item in items:
                    queue.put_nowait(item)
    finally:
        queue.put_nowait(None)


async def sent(client: httpx.AsyncClient, request: httpx.Request, leaving: LeavingTasks) -> httpx.Response:
    """Send a request in a task of its own. When this task is cancelled, that one is too, but only after its connection is open.

    A connection that is cancelled while it opens stays in httpcore's pool for ever (encode/httpcore#1093).
    """
    made = asyncio.Event()

    async def heard(event: str, _: object) -> None:
        if event.endswith("send_request_headers.started"):
            made.set()

    request.extensions["trace"] = heard
    sending = asyncio.create_task(client.send(request, stream=True))
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        leaving.add(asyncio.create_task(_left(sending, made)))
        raise


async def _left(sending: asyncio.Task[httpx.Response], made: asyncio.Event) -> None:
    """Cancel a request after its connection is open."""
    making = asyncio.create_task(made.wait())
    await asyncio.wait({sending, making}, return_when=asyncio.FIRST_COMPLETED)
    making.cancel()
    sending.cancel()
    await asyncio.wait({sending})
    if not sending.cancelled() and sending.exception() is None:
        await sending.result().aclose()
