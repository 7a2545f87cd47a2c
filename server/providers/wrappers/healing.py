"""Token healing: completes half-typed words.

A model that sees `retu` seldom continues with `rn`, because `return` is one token. If the cursor is behind the start of an identifier,
the prompt ends before that start, and the answer must begin with it: `return x` gives `rn x`. Providers that can force the start of
an answer get it in `Request.begins`; from other providers, an answer that begins differently is dropped.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from msgspec.structs import replace

from server.context import Context
from server.prompt import Prompt
from server.providers.protocol import AnswerMetadata, AnswerPiece, Request
from server.providers.wrappers.wrapper import ProviderWrapper

_HALF = re.compile(r"(?<![\w$])(?:[^\W\d]|\$)[\w$]*\Z")


def half_word(before: str) -> str:
    """The identifier, or the start of one, at the end of a text: `retu` for `x = retu`; empty if there is none."""
    found = _HALF.search(before, max(0, before.rfind("\n") + 1))
    return found[0] if found else ""


def grammar(begins: str) -> str:
    """The grammar (GBNF) of all texts with this start, for llama.cpp."""
    quoted = "".join(f"\\U{ord(character):08X}" for character in begins)
    return f'root ::= "{quoted}" [\\x00-\\U0010FFFF]*'


@dataclass(slots=True)
class HealingProvider(ProviderWrapper):
    """A provider whose prompt ends before the word at the cursor."""

    def prompt(self, context: Context) -> Prompt:
        """The provider's prompt for the context without the word at the cursor."""
        typed = half_word(context.before) if self.inner.continues else ""
        return self.inner.prompt(replace(context, before=context.before.removesuffix(typed)))

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream what follows the start of the word; nothing if the answer begins differently."""
        left = half_word(request.context.before) if self.inner.continues else ""
        async with aclosing(self.inner.complete(replace(request, begins=left))) as pieces:
            async for piece in pieces:
                if not left or not self.inner.continues or isinstance(piece, AnswerMetadata):
                    yield piece
                    continue
                if not (piece.text.startswith(left) or left.startswith(piece.text)):
                    return
                rest, left = piece.text[len(left) :], left[len(piece.text) :]
                if rest:
                    yield replace(piece, text=rest)
