"""The pieces of other files that are most like what is being written.

Retrieval as in RepoCoder (Zhang et al. 2023, arXiv 2303.12570, section 2): the last lines before the cursor are the query, and
pieces of the project are ranked by the Jaccard index of the two sets of words. Two things differ: a piece is a function and not
a sliding window (bodies of methods are among the prompt proposals of Shrivastava et al. 2023, arXiv 2206.12839), and words are
identifiers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from heapq import nsmallest
from typing import TypeAlias

from server.context.chunks import CodeChunk, chunks, words_of
from server.context.pieces import Snippet

QUERY_LINES = 20
BEST = 3
_Entry: TypeAlias = tuple[float, str, int, str]


def query_of(before: str) -> frozenset[str]:
    """The identifiers of the last whole lines before the cursor: the line being typed would change them with each key."""
    lines = before.split("\n")[:-1]
    written = [line for line in lines if line.strip()]
    return words_of("\n".join(written[-QUERY_LINES:]))


def similar(before: str, sources: Iterable[Snippet]) -> tuple[Snippet, ...]:
    """The best three pieces of the sources, the best first."""
    wanted = query_of(before)
    return _best(wanted, tuple(sources)) if wanted else ()


@lru_cache(maxsize=16)
def _best(wanted: frozenset[str], sources: tuple[Snippet, ...]) -> tuple[Snippet, ...]:
    best = nsmallest(BEST, _ranked(wanted, sources))
    return tuple(Snippet(path, text, line) for _, path, line, text in best)


def _ranked(wanted: frozenset[str], sources: Iterable[Snippet]) -> Iterator[_Entry]:
    """Each piece that shares a word, with its distance first; of pieces with the same text, one."""
    seen: set[str] = set()
    for source in sources:
        for chunk in chunks(source.path, source.text):
            if wanted.isdisjoint(chunk.words) or chunk.text in seen:
                continue
            seen.add(chunk.text)
            yield -_jaccard(wanted, chunk), source.path, chunk.line, chunk.text


def _jaccard(wanted: frozenset[str], chunk: CodeChunk) -> float:
    common = len(wanted & chunk.words)
    return common / (len(wanted) + len(chunk.words) - common)
