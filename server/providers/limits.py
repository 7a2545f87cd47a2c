"""Where an answer ends on this side, whatever its server does: at a stop sequence, or when it is as long as may be."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Self

from server.providers.protocol import Token

CHARACTERS_A_TOKEN = 16
"""Far more than tokens of code have (3.2): the time that repairs take grows with the square of an answer's lines."""
_FEWEST_CHARACTERS = 1000


@dataclass(slots=True)
class Allowance:
    """What is still taken of an answer. Pieces are cut off where it ends."""

    tokens: int
    characters: int

    @classmethod
    def of(cls, max_tokens: int) -> Self:
        """What is taken of an answer of so many tokens, by what its server says is a token, and by characters."""
        return cls(max_tokens, max(CHARACTERS_A_TOKEN * max_tokens, _FEWEST_CHARACTERS))

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is taken."""
        return self.tokens <= 0 or self.characters <= 0

    def taken(self, piece: str) -> str:
        """A piece, or as much of it as is still taken."""
        self.tokens -= piece.tokens if isinstance(piece, Token) else min(1, len(piece))
        kept = _shortened(piece, self.characters)
        self.characters -= len(kept)
        return kept


async def until_stop(pieces: AsyncGenerator[str, None], stops: Sequence[str]) -> AsyncGenerator[str, None]:
    """Pass on pieces until one of `stops` begins. Pieces that may be the beginning of one wait for the next piece."""
    stops, held = [stop for stop in stops if stop], ""
    waiting: list[str] = []
    async with aclosing(pieces):
        async for piece in pieces:
            if not (piece and stops):
                yield piece
                continue
            waiting.append(piece)
            held += piece
            found = [at for stop in stops if (at := held.find(stop)) >= 0]
            if found:
                for each in _up_to(waiting, min(found)):
                    yield each
                return
            while waiting and len(waiting[0]) <= len(held) - _begun(held, stops):
                held = held[len(waiting[0]) :]
                yield waiting.pop(0)
    for each in waiting:
        yield each


def _begun(text: str, stops: Sequence[str]) -> int:
    """How many characters at the end of a text may be the beginning of a stop sequence."""
    longest = max(map(len, stops)) - 1
    sizes = range(min(longest, len(text)), 0, -1)
    return next((size for size in sizes if any(stop.startswith(text[-size:]) for stop in stops)), 0)


def _up_to(pieces: Sequence[str], size: int) -> Iterator[str]:
    """The first `size` characters of pieces, as pieces."""
    for piece in pieces:
        if size <= 0:
            return
        yield _shortened(piece, size)
        size -= len(piece)


def _shortened(piece: str, size: int) -> str:
    """The beginning of a piece, with what was told of all of it."""
    if len(piece) <= size:
        return piece
    return Token(piece[:size], piece.logprob, piece.tokens) if isinstance(piece, Token) else piece[:size]
