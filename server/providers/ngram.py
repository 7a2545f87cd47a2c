"""A baseline of no cost: the continuation that the open documents themselves make most likely."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from server.context import unix
from server.providers.protocol import Offline, Request
from server.settings import ProviderSettings

_TOKEN = re.compile(r"\n[ \t]*|[ \t]+|\w+|[^\w\s]")
Table: TypeAlias = dict[tuple[str, ...], Counter[str]]


@dataclass(slots=True)
class NGram(Offline):
    """Order-n counts over tokens, backing off to shorter ones; ties are settled by a hash with the seed."""

    order: int = 5
    seed: int = 0
    max_tokens: int = 64
    name: str = "ngram"

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Give the likeliest tokens one by one, until none is known or one comes round again and again."""
        tables = [_counted(text, self.order) for text in (request.before, request.after, *request.others)]
        written = list(_TOKEN.findall(unix(request.before)[-400:]))
        for _ in range(self.max_tokens):
            token = self._next(tables, written)
            if token is None or _loops([*written, token]):
                return
            written.append(token)
            yield token

    def _next(self, tables: Sequence[Table], written: Sequence[str]) -> str | None:
        for size in range(min(self.order - 1, len(written)), 1, -1):
            counts: Counter[str] = Counter()
            for table in tables:
                counts.update(table.get(tuple(written[-size:]), {}))
            if counts:
                return max(counts, key=lambda token: (counts[token], self._lot(token)))
        return None

    def _lot(self, token: str) -> str:
        return hashlib.sha256(f"{self.seed}\0{token}".encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=64)
def _counted(text: str, order: int) -> Table:
    tokens = _TOKEN.findall(unix(text))
    table: Table = defaultdict(Counter)
    for key, token in _runs(tokens, order):
        table[key][token] += 1
    return dict(table)


def _runs(tokens: Sequence[str], order: int) -> Iterator[tuple[tuple[str, ...], str]]:
    for at, token in enumerate(tokens):
        for size in range(2, min(order - 1, at) + 1):
            yield tuple(tokens[at - size : at]), token


def _loops(tokens: Sequence[str]) -> bool:
    return any(tokens[-size:] == tokens[-2 * size : -size] == tokens[-3 * size : -2 * size] for size in range(1, 13))


def make(settings: ProviderSettings) -> NGram:
    """The baseline with the settings' seed."""
    return NGram(seed=settings.seed, max_tokens=settings.max_tokens)
