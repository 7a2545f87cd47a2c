"""A question of an editor, and the answer that the service gives."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from server.cache import CacheGroup, Elsewhere, digest, digests
from server.context import RecentEdit, Snippet
from server.documents import Document
from server.repair.chain import RepairStep
from server.request_counts import Finish, Outcome, Reuse
from syntax.wanted import Stop

_BARE = 1000
"""Bytes of a suggestion without its texts, and of its place in the cache."""


class Query(msgspec.Struct, frozen=True, eq=False):
    """One question of an editor: where, and the texts as they are then. `path` and `repo` are what a model is told of it.

    `opened` are all open documents, the latest opened last. Another `sample` is another question; it is added to the seed.
    `patience` is in ms (`Request.patience`).
    """

    uri: str
    language: str
    before: str
    after: str
    stop: Stop = "auto"
    others: Sequence[Snippet] = ()
    edited: Sequence[RecentEdit] = ()
    path: str = ""
    repo: str = ""
    files: Sequence[Snippet] = ()
    opened: Sequence[Document] = ()
    sample: int = 0
    patience: float = math.inf
    evidence: Sequence[Snippet] = ()
    """Pieces of other places that the prompt shows in the place of the most similar ones, the most important first; they are open documents."""
    paths: Mapping[str, str] = MappingProxyType({})
    """Of a question for the next edit: URI → path of the open documents."""
    streamed: Callable[[str], None] | None = None
    """Is told what there is of a raw answer while it comes; it decides nothing."""

    @property
    def spot(self) -> CacheGroup:
        """Where it is asked, but for what stands before the cursor."""
        return CacheGroup(self.uri, self.language, self.stop, digest(self.after), self.sample)

    def elsewhere(self, sources: Collection[str] = ()) -> Elsewhere:
        """The other texts that an answer depends on: all that are open, and the files of which its prompt shows pieces."""
        shown = (file for file in self.files if file.path in sources)
        return digests((other.path, other.text) for other in (*self.others, *shown))

    def stands(self, elsewhere: Elsewhere) -> bool:
        """Whether other texts are the same for this question."""
        missing = elsewhere - self.elsewhere()
        return not missing or missing <= digests((file.path, file.text) for file in self.files)

    def continues(self, earlier: Query) -> bool:
        """Whether this is the same question again, or with something typed since, and nothing else has changed."""
        return self.before.startswith(earlier.before) and self.stands(earlier.elsewhere())


class CompletionResult(msgspec.Struct, frozen=True):
    """An answer and how it came about. `covered` counts the characters right of the cursor that it replaces.

    `latency` is in ms of wall time, from the question to this answer; `elapsed` is the ms that the provider took, as its record says
    (None: there is no record, or it says nothing of time); `first_token` is the ms from the question to the first of several pieces,
    as the record says, or else as measured (None: the answer came in one piece). `tokens` were written, `prompt_tokens` read; `confidence` is
    the mean natural logarithm of the written tokens' probabilities. The last two are None where the provider does not tell.
    `sources` are the paths of other texts of which the prompt shows pieces. `ticket` is the answer's name for a provider that `Heeds`. `finish` says
    why the model stopped writing (None: it was not told, or the reader had enough before the end).
    """

    text: str = ""
    covered: int = 0
    raw: str = ""
    prompt: str = ""
    trail: tuple[RepairStep, ...] = ()
    outcome: Outcome = "empty"
    step: str = ""
    reason: str = ""
    cache: Reuse = "none"
    provider: str = ""
    tokens: int = 0
    prompt_tokens: int | None = None
    confidence: float | None = None
    latency: float = 0.0
    elapsed: float | None = None
    first_token: float | None = None
    sources: tuple[str, ...] = ()
    ticket: str = ""
    finish: Finish | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = [self.text, self.raw, self.prompt, self.reason]
        texts += [text for step in self.trail for text in (step.before, step.after)]
        return _BARE + sum(map(sys.getsizeof, texts))

    def explained(self) -> dict[str, Any]:
        """All of it, as `ghosttape/explain` says it."""
        members: dict[str, Any] = msgspec.to_builtins(self)
        members["repaired"] = members.pop("text")
        del members["ticket"]
        return members
