"""Ends an answer at a stop sequence or at its largest length, also if the model server does not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Self

from msgspec.structs import replace

from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText

CHARACTERS_A_TOKEN = 16
"""Five times the average of code (3.2). A limit is needed because the time of repairs grows with the square of the lines."""
_FEWEST_CHARACTERS = 1000


@dataclass(slots=True)
class OutputLimit:
    """How much more of an answer is taken. The piece that exceeds it is cut."""

    tokens: int
    characters: int

    @classmethod
    def of(cls, max_tokens: int) -> Self:
        """The limit of an answer of `max_tokens`, in the server's tokens and in characters.

        64 tokens: 64 tokens, and max(16 · 64, 1000) = 1,024 characters.
        """
        return cls(max_tokens, max(CHARACTERS_A_TOKEN * max_tokens, _FEWEST_CHARACTERS))

    @property
    def is_spent(self) -> bool:
        """Whether the limit is reached."""
        return self.tokens <= 0 or self.characters <= 0

    def taken(self, piece: AnswerPiece) -> AnswerPiece:
        """Take a piece: the piece, or its start up to the limit."""
        if isinstance(piece, AnswerMetadata):
            return piece
        self.tokens -= piece.tokens
        kept = _shortened(piece, self.characters)
        self.characters -= len(kept.text)
        return kept


async def until_stop(
    pieces: AsyncGenerator[AnswerPiece, None], stops: Sequence[str]
) -> AsyncGenerator[AnswerPiece, None]:
    """Yield pieces until one of `stops` begins. A piece that may be the start of a stop sequence waits for the next piece."""
    stops, held = [stop for stop in stops if stop], ""
    waiting: list[AnswerText] = []
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, AnswerMetadata) or not (piece.text and stops):
                yield piece
                continue
            waiting.append(piece)
            held += piece.text
            found = [at for stop in stops if (at := held.find(stop)) >= 0]
            if found:
                for each in _up_to(waiting, min(found)):
                    yield each
                yield AnswerMetadata(finish="stop")
                return
            while waiting and len(waiting[0].text) <= len(held) - _begun(held, stops):
                held = held[len(waiting[0].text) :]
                yield waiting.pop(0)
    for each in waiting:
        yield each


async def whole_characters(pieces: AsyncGenerator[AnswerPiece, None]) -> AsyncGenerator[AnswerPiece, None]:
    """Yield pieces in which no character is halved: servers that cut texts between UTF-16 code units send its halves in two pieces.

    A half without its other half becomes U+FFFD.
    """
    half = ""
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, AnswerMetadata) or (not half and piece.text.isascii()):
                yield piece
                continue
            text = (half + piece.text).encode("utf-16-le", "surrogatepass")
            half = chr(int.from_bytes(text[-2:], "little")) if text[-1] & 0xFC == 0xD8 else ""
            whole = (text[:-2] if half else text).decode("utf-16-le", "replace")
            if whole:
                yield replace(piece, text=whole)
    if half:
        yield AnswerText("\N{REPLACEMENT CHARACTER}")


def _begun(text: str, stops: Sequence[str]) -> int:
    """How many characters at the end of a text may be the start of a stop sequence: 2 for `x</` and `</s>`."""
    longest = max(map(len, stops)) - 1
    sizes = range(min(longest, len(text)), 0, -1)
    return next((size for size in sizes if any(stop.startswith(text[-size:]) for stop in stops)), 0)


def _up_to(pieces: Sequence[AnswerText], size: int) -> Iterator[AnswerText]:
    """The first `size` characters of pieces, as pieces."""
    for piece in pieces:
        if size <= 0:
            return
        yield _shortened(piece, size)
        size -= len(piece.text)


def _shortened(piece: AnswerText, size: int) -> AnswerText:
    """The start of a piece, with the numbers of the whole piece."""
    return replace(piece, text=piece.text[:size])
