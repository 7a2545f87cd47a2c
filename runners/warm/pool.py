"""As many workers at work as there are cores; idle ones are kept for the next program of their kind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar


class Poolable(Protocol):
    """Something that is worth keeping between programs, as long as it is fit."""

    @property
    def fit(self) -> bool:
        """Say whether it can be used once more."""
        ...

    def close(self) -> Coroutine[Any, Any, None]:
        """End it."""
        ...


_Some = TypeVar("_Some", bound=Poolable)


@dataclass(slots=True)
class Pool:
    """Lends a kept object or a new one; a call waits while all `size` places are taken.

    Idle ones beyond `spare` are closed, the longest unused first.
    """

    size: int
    spare: int
    _idle: list[tuple[Hashable, Poolable]] = field(default_factory=list)
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.size)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one of the places; who borrows must hold one."""
        async with self._places:
            yield

    @asynccontextmanager
    async def lend(self, kind: Hashable, make: Callable[[], Awaitable[_Some]]) -> AsyncIterator[_Some]:
        """Give one of this kind, and take it back; it is closed if it is not fit, and if an error went through it."""
        one = self._taken(kind) or await make()
        try:
            yield one
        except BaseException:  # a cancellation too: nobody knows what state it is in; the error goes on
            await asyncio.shield(one.close())  # cancelled once more, it still closes
            raise
        if one.fit:
            self._idle.append((kind, one))
        else:
            await asyncio.shield(one.close())
        while len(self._idle) > self.spare:
            await asyncio.shield(self._idle.pop(0)[1].close())

    def _taken(self, kind: Hashable) -> _Some | None:
        for index in reversed(range(len(self._idle))):
            if self._idle[index][0] == kind:
                return self._idle.pop(index)[1]  # type: ignore[return-value] # one kind, one type
        return None

    async def close(self) -> None:
        """End all idle ones at the same time."""
        idle, self._idle[:] = [one for _, one in self._idle], []
        await asyncio.shield(asyncio.gather(*(one.close() for one in idle)))
