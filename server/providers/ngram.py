"""A baseline without a model: the continuation that is most frequent in the open documents."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from server.context import unix
from server.providers.protocol import AnswerPiece, AnswerText, OfflineProvider, Request
from server.settings import ProviderSettings

_TOKEN = re.compile(r"\n[ \t]*|[ \t]+|\w+|[^\w\s]")
WINDOW = 1 << 16
"""Characters that are read on each side of the cursor, so that a request does not block the server."""
ELSEWHERE = 4 * WINDOW
"""Characters that are read of all other documents together."""


@dataclass(frozen=True, slots=True)
class _Text:
    """The tokens of a text; `places` has, for each pair of neighbouring tokens, the indices of the tokens behind the pair."""

    tokens: Sequence[str]
    places: Mapping[tuple[str, str], Sequence[int]]

    def after(self, written: Sequence[str], longest: int) -> list[Sequence[int]]:
        """The indices of the tokens behind each occurrence of the last 2, 3, … `longest` tokens of `written`."""
        found: list[Sequence[int]] = []
        places, tokens = self.places.get((written[-2], written[-1]), ()), self.tokens
        for size in range(3, longest + 1):
            found.append(places)
            wanted = written[-size]
            places = [at for at in places if at >= size and tokens[at - size] == wanted]
        return [*found, places]


@dataclass(slots=True)
class NGram(OfflineProvider):
    """Counts of n-grams of tokens, with back-off to shorter ones. A hash with the seed decides ties.

    With `order` 3, the text `a b c a b d a b c` and `a b` before the cursor, the answer begins with `c` (2 times) and not `d` (1 time).
    """

    order: int = 5
    seed: int = 0
    max_tokens: int = 64
    name: str = "ngram"

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the most frequent tokens, until none is known or the answer repeats itself three times."""
        texts = [_read(text) for text in _near(request)]
        written = list(_TOKEN.findall(unix(request.before[-800:])[-400:]))
        for _ in range(self.max_tokens):
            token = self._next(texts, written)
            if token is None or _loops([*written, token]):
                return
            written.append(token)
            yield AnswerText(token)

    def _next(self, texts: Sequence[_Text], written: Sequence[str]) -> str | None:
        longest = min(self.order - 1, len(written))
        if longest < 2:
            return None
        found = [text.after(written, longest) for text in texts]
        for size in range(longest, 1, -1):
            counts = Counter(
                [text.tokens[at] for text, after in zip(texts, found, strict=True) for at in after[size - 2]]
            )
            if counts:
                most = max(counts.values())
                likeliest = [token for token, count in counts.items() if count == most]
                return likeliest[0] if len(likeliest) == 1 else max(likeliest, key=self._lot)
        return None

    def _lot(self, token: str) -> str:
        return hashlib.sha256(f"{self.seed}\0{token}".encode("utf-8", "surrogatepass")).hexdigest()


def _near(request: Request) -> Iterator[str]:
    """The texts that are read: around the cursor, and the other documents, the latest first, up to `ELSEWHERE` characters."""
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
    for at, pair in enumerate(pairwise(tokens[:-1]), 2):
        places[pair].append(at)
    return _Text(tokens, places)


def _loops(tokens: Sequence[str]) -> bool:
    """Whether the last few tokens stand there three times in a row."""
    last = tokens[-1]
    longest = min(12, len(tokens) // 3)
    sizes = [size for size in range(1, longest + 1) if tokens[-1 - size] == last]
    return any(tokens[-size:] == tokens[-2 * size : -size] == tokens[-3 * size : -2 * size] for size in sizes)


def make(settings: ProviderSettings) -> NGram:
    """The baseline with the settings' seed."""
    return NGram(seed=settings.seed, max_tokens=settings.max_tokens)
