"""The seam between the server and where raw text comes from."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import msgspec

from server.context import Budget, Context
from server.documents import Document
from server.prompt import Prompt
from server.settings import Stop


class Request(msgspec.Struct, frozen=True):
    """One question to a provider.

    `before` and `after` are the whole document around the cursor, line ends as they are; `context` is what was chosen
    of it, `prompt` how the provider itself words it; `others` are the texts of the other open documents. Of n samples
    each is a request of its own, and a stream of its own: `sample` counts from 0 and is added to the seed. `begins` is what the
    answer has to begin with; providers that cannot see to it ignore it (`server.providers.healing`).

    `uri` and `language` (LSP's name for it) are the document's, and `opened` are all open documents, the latest opened last: for
    providers that show them to somebody themselves.
    """

    before: str
    after: str
    stop: Stop
    context: Context
    prompt: Prompt
    others: tuple[str, ...] = ()
    sample: int = 0
    begins: str = ""
    uri: str = ""
    language: str = ""
    opened: tuple[Document, ...] = ()


class Token(str):
    """A piece of an answer, with what its source tells of it.

    `logprob` is the natural logarithm of its probability (None: not told), `tokens` how many of the model's tokens it holds.
    """

    __slots__ = ("logprob", "tokens")

    logprob: float | None
    tokens: int

    def __new__(cls, text: str = "", logprob: float | None = None, tokens: int = 1) -> Self:
        """A string with two numbers."""
        made = super().__new__(cls, text)
        made.logprob, made.tokens = logprob, tokens
        return made


class Told(str):
    """An empty piece, in which a source tells something of its whole answer.

    `tokens` and `prompt_tokens` are its own counts; `prompt` is what was sent where that was not the request's prompt. The answer
    takes the place of `covers` characters right of the cursor, on its line. `ticket` is the answer's name for who `Heeds`.
    """

    __slots__ = ("covers", "prompt", "prompt_tokens", "ticket", "tokens")

    prompt: str | None
    prompt_tokens: int | None
    tokens: int | None
    covers: int | None
    ticket: str | None

    def __new__(
        cls,
        *,
        prompt: str | None = None,
        prompt_tokens: int | None = None,
        tokens: int | None = None,
        covers: int | None = None,
        ticket: str | None = None,
    ) -> Self:
        """A string of no characters, so that who joins pieces need not know of it."""
        made = super().__new__(cls, "")
        made.prompt, made.prompt_tokens, made.tokens = prompt, prompt_tokens, tokens
        made.covers, made.ticket = covers, ticket
        return made


class Tally(msgspec.Struct, frozen=True):
    """What the pieces of one answer tell together: tokens written and read, the mean log-probability, the prompt sent.

    `covers` and `ticket` are as in `Told`.
    """

    tokens: int = 0
    prompt_tokens: int | None = None
    confidence: float | None = None
    prompt: str | None = None
    covers: int | None = None
    ticket: str | None = None


def tally(pieces: Iterable[str]) -> Tally:
    """Sum up an answer; a piece that tells nothing counts as one token."""
    pieces = [*pieces]
    if all(type(piece) is str for piece in pieces):
        return Tally(sum(map(bool, pieces)))
    told = [piece for piece in pieces if isinstance(piece, Told)]
    known = [piece for piece in pieces if isinstance(piece, Token) and piece.logprob is not None]
    sure = sum(piece.tokens for piece in known)
    counted = sum(piece.tokens if isinstance(piece, Token) else 1 for piece in pieces if piece)
    tokens = _last(told, "tokens")
    return Tally(
        counted if tokens is None else tokens,
        _last(told, "prompt_tokens"),
        sum(piece.logprob or 0.0 for piece in known) / sure if sure else None,
        _last(told, "prompt"),
        _last(told, "covers"),
        _last(told, "ticket"),
    )


def _last(told: Sequence[Told], name: str) -> Any:
    """What was told last under a name; None if nothing was."""
    return next((value for each in reversed(told) if (value := getattr(each, name)) is not None), None)


class Provider(Protocol):
    """A source of raw text.

    `complete` gives the answer piece by piece, each piece one token where the source tells (`Token`). Closing the
    generator cancels the work down to the source. It raises `ProviderError`, whose message becomes the reason of the
    failure.
    """

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    @property
    def budget(self) -> Budget:
        """How much of the project its model should be shown."""
        ...

    @property
    def continues(self) -> bool:
        """Whether the answer goes on literally from the prompt's last character, so that half a word can be healed."""
        ...

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


@runtime_checkable
class Heeds(Protocol):
    """What a provider has besides that wants to hear of the workspace, and what became of its answers.

    An answer is named by the `ticket` that it came with (`Told`); one that is not known any more is passed over. Each may raise
    `ProviderError`.
    """

    def settle(self, folders: Sequence[str]) -> None:
        """Hear which folders (URIs) the workspace has."""
        ...

    async def shown(self, ticket: str) -> None:
        """Hear that an answer was shown to the person."""
        ...

    async def accepted(self, ticket: str) -> None:
        """Hear that the person took it."""
        ...

    async def accepted_in_part(self, ticket: str, text: str, length: int) -> None:
        """Hear that the person took the first `length` UTF-16 code units of `text`, which is what was shown of it."""
        ...


def heeding(provider: Provider) -> Heeds | None:
    """Who wants to hear what became of the answers: the provider, or the one that it stands around (`inner`)."""
    inner: object = provider
    while inner is not None and not isinstance(inner, Heeds):
        inner = getattr(inner, "inner", None)
    return inner


class Offline:
    """What providers without a model have in common: they need no prompt and hold nothing."""

    budget = Budget(before=0, after=0)
    continues = False

    def prompt(self, context: Context) -> Prompt:
        """Nothing is sent."""
        return Prompt()

    async def start(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing is held."""
