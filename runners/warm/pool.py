"""As many workers at work as there are cores; idle ones are kept for the next program of their kind.

A program that waits for something leaves its core to another one: its place can be lent meanwhile.
"""

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
_RESTING = 2
"""So many programs may wait for something, for each that is at work."""
_RESTS, _WORKS = 0.05, 0.2
"""A program that uses less of a core waits for something, one that uses more does not."""


@dataclass(slots=True)
class Place:
    """One of a pool's places. While its program rests, another one has the place."""

    pool: Pool
    is_lent: bool = False

    def used(self, share: float) -> None:
        """Take note of what share of a core (0.5: half of its time) the program has used since the last time."""
        if self.is_lent and share > _WORKS:
            self.is_lent = False
            self.pool.take_back()
        elif not self.is_lent and share < _RESTS:
            self.is_lent = self.pool.lend_place()


@dataclass(slots=True)
class Pool:
    """Lends a kept object or a new one; a call waits while all `size` places are taken.

    Idle ones beyond `spare` are closed, the longest unused first. Where programs that wait for something work again, more than `size` are at work
    until as many have ended.
    """

    size: int
    spare: int
    _idle: list[tuple[Hashable, Poolable]] = field(default_factory=list)
    _places: asyncio.Semaphore = field(init=False)
    _resting: int = 0
    _too_many: int = 0

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.size)

    @property
    def most(self) -> int:
        """How many hold a place at most, those that rest among them."""
        return self.size * (1 + _RESTING)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """Hold one of the places; who borrows must hold one."""
        await self._places.acquire()
        place = Place(self)
        try:
            yield place
        finally:
            if place.is_lent:
                self._resting -= 1
            elif self._too_many:
                self._too_many -= 1
            else:
                self._places.release()

    def lend_place(self) -> bool:
        """Give the place of a program that rests to another one, and return whether that was possible."""
        if self._resting >= self.size * _RESTING:
            return False
        self._resting += 1
        if self._too_many:
            self._too_many -= 1
        else:
            self._places.release()
        return True

    def take_back(self) -> None:
        """Count a program that has rested again: the next one that ends gives no place free."""
        self._resting -= 1
        self._too_many += 1

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
