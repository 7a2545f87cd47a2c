"""The seam between the server and where raw text comes from."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from server.context import Budget, Context, RecentEdit
from server.documents import Document
from server.errors import ProviderOverdue
from server.prompt import Prompt
from server.request_counts import Finish
from syntax.wanted import Stop

_WEIGHTS: Mapping[Finish, int] = MappingProxyType({"refusal": 2, "content-filter": 2, "length": 1})
"""Which of several reasons for the end counts; 0 for the others."""


class Request(msgspec.Struct, frozen=True):
    """One question to a provider."""

    before: str
    """The whole document before the cursor, with its own line ends."""
    after: str
    """The whole document after the cursor."""
    stop: Stop
    """Where the answer ends."""
    context: Context
    """What was chosen of the project for the prompt."""
    prompt: Prompt
    """The context in the provider's own form."""
    others: tuple[str, ...] = ()
    """Texts of the other open documents."""
    sample: int = 0
    """Index of the sample, from 0. It is added to the seed; each sample is a request and a stream of its own."""
    is_chat: bool = False
    """Whether the prompt is a chat of its own, and not made of the context."""
    begins: str = ""
    """What the answer must begin with. Providers that cannot force that ignore it (`server.providers.wrappers.healing`)."""
    uri: str = ""
    """The document's URI."""
    language: str = ""
    """The document's language, by LSP's name."""
    opened: tuple[Document, ...] = ()
    """All open documents, the latest opened last; for providers that pass documents on."""
    asks: Literal["completion", "edit"] = "completion"
    """Whether text at the cursor is wanted, or the next edit, wherever that is (`server.edit_answers`)."""
    edited: tuple[RecentEdit, ...] = ()
    """Where an edit is wanted: the recent edits, the newest first."""
    paths: Mapping[str, str] = MappingProxyType({})
    """Where an edit is wanted: URI → path of the open documents, as an answer names them."""
    patience: float = math.inf
    """The ms after which nobody waits for the answer any more; 0: it is cancelled as soon as it is under way. Only records obey it."""

    admit: Callable[[], Awaitable[None]] | None = None
    """Called before each try to send the question, and waits until its provider's limits a minute allow one more (None: there are none)."""


class AnswerText(msgspec.Struct, frozen=True):
    """A piece of the text of an answer."""

    text: str
    logprob: float | None = None
    """The natural logarithm of its probability; None: unknown."""
    tokens: int = 1
    """How many of the model's tokens it has."""
    at: float | None = None
    """The ms from the question to this piece, as a record keeps them; None: no record does."""


class AnswerMetadata(msgspec.Struct, frozen=True):
    """Facts about the whole answer; the last one with a value counts."""

    prompt: str | None = None
    """What was sent, if that differs from the request's prompt."""
    prompt_tokens: int | None = None
    """The source's own count of the prompt's tokens."""
    tokens: int | None = None
    """The source's own count of the answer's tokens."""
    covers: int | None = None
    """How many characters right of the cursor, on its line, the answer replaces."""
    ticket: str | None = None
    """Identifies the answer for a `FeedbackProvider`."""
    finish: Finish | None = None
    """Why the model stopped writing."""
    at: float | None = None
    """The ms from the question to here, as a record keeps them; the last one may mark the end of the answer."""


AnswerPiece: TypeAlias = AnswerText | AnswerMetadata


def answer_text(pieces: Iterable[AnswerPiece]) -> str:
    """Return the text of an answer."""
    return "".join(piece.text for piece in pieces if isinstance(piece, AnswerText))


def refuse_overdue(at: float | None, patience: float) -> None:
    """Refuse what comes when nobody waits any more. What comes in the same ms is too late: the change comes first.

    Raises:
        ProviderOverdue: `at` is known, and not before `patience` (ms).

    """
    if at is not None and at >= patience:
        raise ProviderOverdue(f"the answer took {at:.0f} ms, and nobody waits longer than {patience:.0f} ms")


class AnswerSummary(msgspec.Struct, frozen=True):
    """All facts of one answer: tokens written and read, mean log-probability (`confidence`), and the fields of `AnswerMetadata`.

    `elapsed` is the ms from the question to the last of the pieces, as a record keeps them, and `first` that to the first one with text;
    None where no record does.
    """

    tokens: int = 0
    prompt_tokens: int | None = None
    confidence: float | None = None
    prompt: str | None = None
    covers: int | None = None
    ticket: str | None = None
    elapsed: float | None = None
    first: float | None = None
    finish: Finish | None = None


def summarize(pieces: Sequence[AnswerPiece]) -> AnswerSummary:
    """Sum up an answer.

    Pieces of 1 and 3 tokens with the log-probabilities -0.5 and -1.5: 4 tokens, confidence (-0.5 - 1.5) / 4 = -0.5.
    """
    metadata = [piece for piece in pieces if isinstance(piece, AnswerMetadata)]
    texts = [piece for piece in pieces if isinstance(piece, AnswerText) and piece.text]
    known = [piece for piece in texts if piece.logprob is not None]
    sure = sum(piece.tokens for piece in known)
    tokens = _last(metadata, "tokens")
    return AnswerSummary(
        sum(piece.tokens for piece in texts) if tokens is None else tokens,
        _last(metadata, "prompt_tokens"),
        sum(piece.logprob or 0.0 for piece in known) / sure if sure else None,
        _last(metadata, "prompt"),
        _last(metadata, "covers"),
        _last(metadata, "ticket"),
        pieces[-1].at if pieces else None,
        texts[0].at if texts else None,
        _finish(metadata),
    )


def _finish(metadata: Sequence[AnswerMetadata]) -> Finish | None:
    """Why the model stopped. A refusal or a filter counts more than a limit, and a limit more than the `stop` with which the stream ends after it; of equals the last counts."""
    reasons = [each.finish for each in reversed(metadata) if each.finish is not None]
    return max(reasons, key=lambda reason: _WEIGHTS.get(reason, 0), default=None)


def _last(metadata: Sequence[AnswerMetadata], name: str) -> Any:
    """The last value of a field; None if no piece has one."""
    return next((value for each in reversed(metadata) if (value := getattr(each, name)) is not None), None)


class Provider(Protocol):
    """A source of raw text.

    `complete` streams the answer, one token a piece if the source reports tokens. Closing the generator cancels the
    request at the source. It raises `ProviderError`, whose message is the reason of the failure.
    """

    @property
    def name(self) -> str:
        """Its name in the settings."""
        ...

    @property
    def budget(self) -> Budget:
        """How much of the project the prompt should contain."""
        ...

    @property
    def continues(self) -> bool:
        """Whether the answer continues the prompt at its last character. Only then can a half-typed word be healed."""
        ...

    def prompt(self, context: Context) -> Prompt:
        """Put the context into the form that suits the provider's model."""
        ...

    def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the raw answer; an empty answer means no suggestion."""
        ...

    async def start(self) -> None:
        """Load what takes time, so that the first answer is not slower."""
        ...

    async def close(self) -> None:
        """Release connections, processes and memory."""
        ...


@runtime_checkable
class FeedbackProvider(Protocol):
    """A provider that also takes the workspace folders, and feedback on its answers.

    A `ticket` (`AnswerMetadata`) identifies an answer; an unknown ticket is ignored. Each method may raise `ProviderError`.
    """

    def set_folders(self, folders: Sequence[str]) -> None:
        """Take the URIs of the workspace folders."""
        ...

    async def shown(self, ticket: str) -> None:
        """The answer was shown to the person."""
        ...

    async def accepted(self, ticket: str) -> None:
        """The person accepted the answer."""
        ...

    async def accepted_in_part(self, ticket: str, text: str, length: int) -> None:
        """The person accepted the first `length` UTF-16 code units of `text`, which is the part of the answer that was shown."""
        ...


def feedback_provider(provider: Provider) -> FeedbackProvider | None:
    """The provider that takes feedback: this one, or the one that it wraps (`inner`)."""
    inner: object = provider
    while inner is not None and not isinstance(inner, FeedbackProvider):
        inner = getattr(inner, "inner", None)
    return inner


def proposes_edits(provider: Provider) -> bool:
    """Whether a provider, or the one that it wraps (`inner`), answers questions for the next edit (its `proposes_edits`)."""
    inner: object = provider
    while inner is not None:
        if getattr(inner, "proposes_edits", False):
            return True
        inner = getattr(inner, "inner", None)
    return False


class OfflineProvider:
    """Base of providers without a model: they need no prompt and no resources."""

    budget = Budget(before=0, after=0)
    continues = False

    def prompt(self, context: Context) -> Prompt:
        """An empty prompt."""
        return Prompt()

    async def start(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing to release."""
