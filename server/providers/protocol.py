"""The seam between the server and where raw text comes from."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from server.context import Budget, Context
from server.prompt import Prompt
from server.settings import Stop


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a provider.

    `before` and `after` are the whole document around the cursor, line ends as they are; `context` is what was chosen
    of it, `prompt` how the provider itself words it; `others` are the texts of the other open documents.
    """

    before: str
    after: str
    stop: Stop
    context: Context
    prompt: Prompt
    others: tuple[str, ...] = ()


class Provider(Protocol):
    """A source of raw text.

    `complete` gives the answer piece by piece, each piece one token where the source tells. Closing the generator
    cancels the work down to the source. It raises `ProviderError`, whose message becomes the reason of the failure.
    """

    name: str
    budget: Budget

    def prompt(self, context: Context) -> Prompt:
        """Word the context in the way that this provider's model reads best."""
        ...

    def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the raw answer; an empty one offers nothing."""
        ...

    async def start(self) -> None:
        """Load what takes time, so that the first answer does not pay for it."""
        ...

    async def close(self) -> None:
        """Give back what is held."""
        ...


class Offline:
    """What providers without a model have in common: they need no prompt and hold nothing."""

    budget = Budget(before=0, after=0)

    def prompt(self, context: Context) -> Prompt:
        """Nothing is sent."""
        return Prompt()

    async def start(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing is held."""
