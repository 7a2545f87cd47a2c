"""Reads answers to their end, also when their reader has enough before: others may need more of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

_END_S = 4.0
"""How long the end of an answer is waited for when the provider is closed."""


@dataclass(slots=True)
class WholeAnswers:
    """Answers under way, at most `places` at once. One whose reader gives it up, by a cancellation, is given up here too."""

    places: asyncio.Semaphore
    _under_way: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def landed(self, key: str) -> None:
        """Wait until no answer to the same question is under way."""
        while (task := self._under_way.get(key)) is not None:
            await asyncio.wait({task})

    async def read(
        self, key: str, answer: AsyncGenerator[str, None], ended: Callable[[], None]
    ) -> AsyncGenerator[str, None]:
        """Yield the pieces of an answer, and read the rest of it after its reader has gone. There must be a place (`places`), which is freed; `ended` is called then."""
        pieces: asyncio.Queue[str | Exception | None] = asyncio.Queue()
        task = self._under_way[key] = asyncio.create_task(self._pump(answer, pieces))
        task.add_done_callback(lambda _: ended())
        task.add_done_callback(lambda _: self._freed(key, task))
        try:
            while (piece := await pieces.get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise

    async def close(self) -> None:
        """Wait a little for what is under way, and give up the rest."""
        tasks = set(self._under_way.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_END_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    async def _pump(answer: AsyncGenerator[str, None], pieces: asyncio.Queue[str | Exception | None]) -> None:
        try:
            async with aclosing(answer):
                async for piece in answer:
                    pieces.put_nowait(piece)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the answer is read
            pieces.put_nowait(error)
        else:
            pieces.put_nowait(None)

    def _freed(self, key: str, task: asyncio.Task[None]) -> None:
        self.places.release()
        if self._under_way.get(key) is task:
            del self._under_way[key]
