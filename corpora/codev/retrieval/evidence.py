"""Which functions of a repository stand in the prompt: those that are most like the one at the cursor, as it is without the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import tree_sitter
from numpy.typing import NDArray
from scipy.sparse import csr_array

from replay.tapes.file_kinds import is_generated, is_test_file
from server.context import Snippet
from server.embeddings import Embedder
from syntax.languages import language_of
from syntax.parse import Tree, parse

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


# TF-IDF over the words of code: the baseline that needs no model.
#
# It is our own, as it is three lines of sparse algebra on scipy, which ghosttape needs anyway; scikit-learn would be a dependency of 30 MB for its class
# `TfidfVectorizer` alone. The weights are the ones of that class, and a test compares them.

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_BREAK = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def code_terms(text: str) -> list[str]:
    """The identifiers of a text in lower case, and the words that they are made of. Example: `parseURL_at` gives `parseurl_at`, `parse`, `url`, `at`."""
    found = list[str]()
    for name in _IDENTIFIER.findall(text):
        parts = [part.lower() for part in _BREAK.split(name) if part]
        found += [name.lower(), *(parts if len(parts) > 1 else [])]
    return found


@dataclass(frozen=True, slots=True)
class TfIdf:
    """The texts of a collection as rows of length 1, and the weight of each term in it.

    The weight of a term in a text is its count times idf = ln((1 + n) / (1 + df)) + 1, where n texts are in the collection and df of them have the term
    (Manning, Raghavan and Schütze 2008, section 6.2, with scikit-learn's smoothing). Two texts are as similar as the cosine of their rows.
    """

    columns: dict[str, int]
    idf: NDArray[np.float64]
    rows: csr_array

    @classmethod
    def of(cls, texts: Sequence[str]) -> TfIdf:
        """Count the terms of a collection. Example: of the texts `a b` and `a`, `a` weighs 1 and `b` ln(3/2) + 1 = 1.405."""
        counted = [Counter(code_terms(text)) for text in texts]
        columns = {term: at for at, term in enumerate(sorted(set().union(*counted)))}
        frequency = Counter(term for counts in counted for term in counts)
        df = np.array([frequency[term] for term in columns], dtype=float)
        idf = np.log((1 + len(texts)) / (1 + df)) + 1
        return cls(columns, idf, _weighted(counted, columns, idf))

    def similarities(self, text: str) -> NDArray[np.float64]:
        """The cosine of a text with each text of the collection, from 0 to 1; terms that the collection lacks count for nothing."""
        known = Counter(term for term in code_terms(text) if term in self.columns)
        query = _weighted([known], self.columns, self.idf)
        return np.asarray((self.rows @ query.T).todense(), dtype=float)[:, 0]


def _weighted(counted: Sequence[Counter[str]], columns: dict[str, int], idf: NDArray[np.float64]) -> csr_array:
    """One row for each text: counts times idf, divided by the row's length."""
    at = np.array([(row, columns[term]) for row, counts in enumerate(counted) for term in counts], dtype=int)
    rows, cells = at.reshape(-1, 2).T
    values = np.array([count for counts in counted for count in counts.values()], dtype=float) * idf[cells]
    lengths = np.sqrt(np.bincount(rows, values**2, len(counted)))
    return csr_array((values / lengths[rows], (rows, cells)), shape=(len(counted), len(columns)))


# The functions of a repository, which are the candidates, and the function at the cursor, which is the
# query. Indices are indices into `str`.

_LARGEST = 200_000
"""The largest text in characters that is parsed, as in `server.context.chunks`; larger ones are usually generated."""
_AROUND = frozenset({"decorated_definition", "export_statement", "lexical_declaration", "variable_declarator"})
"""The nodes around a function that belong to it: its decorators, or the variable that it is the value of."""
_CLASSES = frozenset({"class_definition", "class_declaration", "class"})


@dataclass(frozen=True, slots=True)
class RepositoryFunction:
    """A function of a repository, with its decorators and its classes' names. Example of a name: `Index.search`."""

    path: str
    name: str
    start: int
    end: int
    line: int
    """Its first line, from 0."""
    text: str
    body: str
    """What stands in it, without braces around."""

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it shares a character with a part of its file, or surrounds it where that part is empty."""
        return self.start < max(end, start + 1) and start < self.end


def candidate_functions(files: Mapping[str, str]) -> tuple[RepositoryFunction, ...]:
    """The named functions of all files (path → text), in the order of path and place; none of tests, which judge the answer, nor of generated code."""
    written = (path for path in sorted(files) if not is_test_file(path) and not is_generated(path, files[path]))
    return tuple(each for path in written for each in functions_in(path, files[path]))


def functions_in(path: str, text: str) -> Iterator[RepositoryFunction]:
    """The named functions of a file, the outer before the inner. The path tells the language; none where it is not known."""
    language = language_of(path)
    if language is None or len(text) > _LARGEST:
        return
    tree = parse(language, text)
    for node in tree.nodes():
        if language.kinds.get(node.type) == "function" and (name := _own_name(node)):
            yield _function(path, tree, node, name)


def _function(path: str, tree: Tree, node: tree_sitter.Node, name: str) -> RepositoryFunction:
    whole = node
    while whole.parent is not None and whole.parent.type in _AROUND:
        whole = whole.parent
    start, end = tree.span(whole)
    qualified = ".".join([*_outer_names(node), name])
    body = _text(node.child_by_field_name("body")).strip()
    body = body[1:-1] if body.startswith("{") and body.endswith("}") else body
    return RepositoryFunction(path, qualified, start, end, whole.start_point.row, tree.text[start:end], body)


def _own_name(node: tree_sitter.Node) -> str:
    """The name of a function: its own, or that of the variable that it is the value of; empty if it has none."""
    parent = node.parent
    named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    if named is None and parent is not None and parent.type == "variable_declarator":
        named = parent.child_by_field_name("name")
    return _text(named)


def _outer_names(node: tree_sitter.Node) -> list[str]:
    """The names of the classes and functions around a function, the outermost first."""
    names, outer = list[str](), node.parent
    while outer is not None:
        if outer.type in _CLASSES or outer.type.startswith("function_"):
            names.append(_text(outer.child_by_field_name("name")))
        outer = outer.parent
    return [name for name in reversed(names) if name]


def _text(node: tree_sitter.Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def function_at(path: str, text: str, start: int) -> RepositoryFunction | None:
    """The innermost function in which a part of a file begins, or at whose end; None if there is none."""
    holding = [each for each in functions_in(path, text) if each.start <= start <= each.end]
    return min(holding, key=lambda each: each.end - each.start, default=None)
