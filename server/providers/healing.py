"""Half-typed words: models that see `retu` seldom go on with `rn`, for their tokens are cut otherwise.

Where the cursor stands right behind the beginning of an identifier, the model is asked from before it, and of what it answers
only what begins with those characters is kept, without them. Providers that can be told what to begin with are
(`Request.begins`); of the others, an answer that begins otherwise is dropped.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from msgspec.structs import replace

from server.context import Budget, Context
from server.prompt import Prompt
from server.providers.protocol import Provider, Request, Token, Told

_HALF = re.compile(r"(?<![\w$])(?:[^\W\d]|\$)[\w$]*\Z")


def half_word(before: str) -> str:
    """The identifier, or the beginning of one, that ends at the end of a text; empty when there is none."""
    found = _HALF.search(before, max(0, before.rfind("\n") + 1))
    return found[0] if found else ""


def grammar(begins: str) -> str:
    """What llama.cpp writes by when its answer has to begin so (GBNF)."""
    quoted = "".join(f"\\U{ord(character):08X}" for character in begins)
    return f'root ::= "{quoted}" [\\x00-\\U0010FFFF]*'


@dataclass(slots=True)
class Healing:
    """A provider that is asked from the start of the word at the cursor."""

    inner: Provider

    @property
    def name(self) -> str:
        """The provider's own name."""
        return self.inner.name

    @property
    def budget(self) -> Budget:
        """The provider's own budget."""
        return self.inner.budget

    @property
    def continues(self) -> bool:
        """As the provider itself."""
        return self.inner.continues

    def prompt(self, context: Context) -> Prompt:
        """The provider's wording of the context without the word at the cursor."""
        typed = half_word(context.before) if self.inner.continues else ""
        return self.inner.prompt(replace(context, before=context.before.removesuffix(typed)))

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream what follows the word's beginning, or nothing if the answer does not begin with it."""
        left = half_word(request.context.before) if self.inner.continues else ""
        async with aclosing(self.inner.complete(replace(request, begins=left))) as pieces:
            async for piece in pieces:
                if not left or not self.inner.continues or isinstance(piece, Told):
                    yield piece
                    continue
                if not (piece.startswith(left) or left.startswith(piece)):
                    return
                rest, left = piece[len(left) :], left[len(piece) :]
                if rest:
                    yield _rest(piece, rest)

    async def start(self) -> None:
        """As the provider itself."""
        await self.inner.start()

    async def close(self) -> None:
        """As the provider itself."""
        await self.inner.close()


def _rest(piece: str, rest: str) -> str:
    return Token(rest, piece.logprob, piece.tokens) if isinstance(piece, Token) else rest
