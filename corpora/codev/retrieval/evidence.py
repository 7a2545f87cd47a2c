"""Which functions of a repository stand in the prompt: those that are most like the one at the cursor, as it is without the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpora.codev.retrieval.functions import RepositoryFunction, candidate_functions, function_at
from corpora.codev.retrieval.tfidf import TfIdf
from server.context import Snippet
from server.embeddings import Embedder

BEST = 3
"""So many functions are shown (the paper's section 4.1)."""
Similarities = Callable[[str], Awaitable[NDArray[np.float64]]]
"""How like a text is to each candidate, as one number each."""


@dataclass(frozen=True, slots=True)
class FunctionIndex:
    """The candidates of a repository, and how a query is compared with them."""

    files: Mapping[str, str]
    candidates: tuple[RepositoryFunction, ...]
    similarities: Similarities

    @classmethod
    def by_words(cls, files: Mapping[str, str]) -> FunctionIndex:
        """Compare by TF-IDF, without a model. `files`: path → text of the finished repository."""
        candidates = candidate_functions(files)
        counted = TfIdf.of([each.text for each in candidates])

        async def similarities(text: str) -> NDArray[np.float64]:
            return counted.similarities(text)

        return cls(files, candidates, similarities)

    @classmethod
    async def by_meaning(cls, files: Mapping[str, str], embedder: Embedder) -> FunctionIndex:
        """Compare by the cosine of embeddings.

        Raises:
            ProviderError: the embeddings cannot be made.

        """
        candidates = candidate_functions(files)
        rows = _unit(await embedder.embed([each.text for each in candidates]))

        async def similarities(text: str) -> NDArray[np.float64]:
            found: NDArray[np.float64] = rows @ _unit(await embedder.embed([text]))[0]
            return found

        return cls(files, candidates, similarities)

    async def ranked(self, path: str, start: int, end: int) -> tuple[RepositoryFunction, ...]:
        """All candidates that may be evidence for a part of a file, the most similar first; ties in the order of path and place.

        The query is the function around the part, without the part; where there is none, the 20 lines before it. A function that holds a character of the function at the
        cursor is no evidence, nor is a copy of it, also under another name, nor one whose body is the part: it would be the answer itself.
        """
        text = self.files[path]
        own = function_at(path, text, start)
        first, last = (own.start, max(own.end, end)) if own else (_lines_before(text, start), end)
        copied = {_words(each) for each in (text[start:end], *((own.text, own.body) if own else ()))} - {()}
        scores = await self.similarities(text[first:start] + text[end:last])
        allowed = [at for at, each in enumerate(self.candidates) if _may_show(each, path, first, last, copied)]
        return tuple(self.candidates[at] for at in sorted(allowed, key=lambda at: -scores[at]))

    async def evidence(self, path: str, start: int, end: int) -> tuple[Snippet, ...]:
        """The three best, as they stand in a prompt, the best first."""
        best = (await self.ranked(path, start, end))[:BEST]
        return tuple(Snippet(each.path, each.text, each.line) for each in best)


_QUERY_LINES = 20


def _lines_before(text: str, index: int) -> int:
    """Where the last lines before an index begin."""
    lines = text[:index].splitlines(keepends=True)
    return index - sum(map(len, lines[-_QUERY_LINES:]))


def _may_show(
    candidate: RepositoryFunction, path: str, start: int, end: int, copied: Collection[tuple[str, ...]]
) -> bool:
    is_own = candidate.path == path and candidate.overlaps(start, end)
    return not is_own and _words(candidate.text) not in copied and _words(candidate.body) not in copied


def _words(text: str) -> tuple[str, ...]:
    """A text without its layout: a copy in a class or a folder of its own is a copy."""
    return tuple(text.split())


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return found
