"""A baseline of no cost: the continuation that the open documents themselves make most likely."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from server.context import unix
from server.providers.protocol import Offline, Request
from server.settings import ProviderSettings

_TOKEN = re.compile(r"\n[ \t]*|[ \t]+|\w+|[^\w\s]")
WINDOW = 1 << 16
"""Characters that are read on each side of the cursor; of the other documents together it is `ELSEWHERE`. A question may not hold
up the server, and what stands that far away says little of what comes next."""
ELSEWHERE = 4 * WINDOW


@dataclass(frozen=True, slots=True)
class _Text:
    """The tokens of a text, and where each two of them that follow each other end."""

    tokens: Sequence[str]
    places: Mapping[tuple[str, str], Sequence[int]]

    def after(self, written: Sequence[str]) -> Iterator[str]:
        """Each token that stands behind these, as often as it does."""
        size, wanted = len(written), [*written]
        for at in self.places.get((wanted[-2], wanted[-1]), ()):
            if self.tokens[max(at - size, 0) : at] == wanted and at < len(self.tokens):
                yield self.tokens[at]


@dataclass(slots=True)
class NGram(Offline):
    """Order-n counts over tokens, backing off to shorter ones; ties are settled by a hash with the seed."""

    order: int = 5
    seed: int = 0
    max_tokens: int = 64
    name: str = "ngram"

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Give the likeliest tokens one by one, until none is known or one comes round again and again."""
        texts = [_read(text) for text in _near(request)]
        written = list(_TOKEN.findall(unix(request.before[-800:])[-400:]))
        for _ in range(self.max_tokens):
            token = self._next(texts, written)
            if token is None or _loops([*written, token]):
                return
            written.append(token)
            yield token

    def _next(self, texts: Sequence[_Text], written: Sequence[str]) -> str | None:
        for size in range(min(self.order - 1, len(written)), 1, -1):
            counts = Counter(token for text in texts for token in text.after(written[-size:]))
            if counts:
                return max(counts, key=lambda token: (counts[token], self._lot(token)))
        return None

    def _lot(self, token: str) -> str:
        return hashlib.sha256(f"{self.seed}\0{token}".encode("utf-8", "surrogatepass")).hexdigest()


def _near(request: Request) -> Iterator[str]:
    """What is read for a question: the text around the cursor, and of the other documents, the latest first, what there is room for."""
    yield request.before[-WINDOW:]
    yield request.after[:WINDOW]
    room = ELSEWHERE
    for text in request.others:
        if room <= 0:
            return
        yield text[:room]
        room -= len(text)


@lru_cache(maxsize=64)
def _read(text: str) -> _Text:
    tokens = _TOKEN.findall(unix(text))
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, pair in enumerate(pairwise(tokens), 2):
        places[pair].append(at)
    return _Text(tokens, places)


def _loops(tokens: Sequence[str]) -> bool:
    return any(tokens[-size:] == tokens[-2 * size : -size] == tokens[-3 * size : -2 * size] for size in range(1, 13))


def make(settings: ProviderSettings) -> NGram:
    """The baseline with the settings' seed."""
    return NGram(seed=settings.seed, max_tokens=settings.max_tokens)
