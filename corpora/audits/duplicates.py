"""Tasks whose finished documents are nearly the same; of tasks that are gaps in one file, what was removed is compared, within each category.

Two measures, with the limits of DevBench's paper (Golnari et al. 2026, arXiv 2601.11895, Appendix A.3), which calls a pair near-duplicates above either:

* tokens: the Jaccard index of the sets of all runs of four tokens (words and single other characters that are not white space), above 0.50;
* tree: how alike the two syntax trees are when names and literals count by their kind alone, above 0.85. The paper does not say how it compares
  trees. Here a tree is the sequence of the kinds of its nodes, parents first, without comments and punctuation; the similarity of two is twice the length of the
  longest common subsequence by the sum of the lengths.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import Levenshtein
import msgspec

from corpora.tasks import Task
from syntax.languages import language_of
from syntax.parse import parse

TOKENS, TREE = 0.50, 0.85
"""The limits: a pair above either is listed."""
_RUN = 4
_TOKEN = re.compile(r"\w+|[^\w\s]")


class NearDuplicates(msgspec.Struct, frozen=True):
    """Two tasks that are nearly the same; similarities in [0, 1]."""

    one: str
    other: str
    tokens: float
    tree: float


def near_duplicates(tasks: Sequence[Task]) -> list[NearDuplicates]:
    """The pairs of tasks of one language above either limit, the most alike first."""
    by_kind: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:  # one gap of a file is an infilling and a completion, which is meant
        by_kind[task.language, task.category if task.part else ""].append(task)
    found = [pair for own in by_kind.values() for pair in _alike(own)]
    return sorted(found, key=lambda pair: (-max(pair.tokens / TOKENS, pair.tree / TREE), pair.one, pair.other))


def token_runs(text: str) -> frozenset[tuple[str, ...]]:
    """All runs of four tokens. Example: of `f(x) + 1` there are three."""
    tokens = _TOKEN.findall(text)
    return frozenset(zip(*(tokens[at:] for at in range(_RUN)), strict=False))


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """How many of all runs both have, in [0, 1]; 0 where neither has one."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if one or other else 0.0


def shape(language: str, text: str) -> tuple[str, ...]:
    """The kinds of the named nodes of a syntax tree, parents first; empty in a language without a parser."""
    known = language_of(language)
    if known is None:
        return ()
    return tuple(node.type for node in parse(known, text).nodes() if node.is_named and "comment" not in node.type)


def tree_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """Twice the longest common subsequence by both lengths, in [0, 1]; 0 where either is empty. Example: `abc` and `abd` have 2/3."""
    return Levenshtein.ratio(one, other) if one and other else 0.0


def similarity_of(one: Task, other: Task) -> tuple[float, float]:
    """How alike two tasks of one language are: by runs of tokens, and by trees."""
    texts = one.telling, other.telling
    tokens = jaccard(*map(token_runs, texts))
    return tokens, tree_similarity(*_letters(shape(one.language, text) for text in texts))


def _alike(tasks: Sequence[Task]) -> Iterator[NearDuplicates]:
    texts = [task.telling for task in tasks]
    runs, shapes = (
        [token_runs(text) for text in texts],
        _letters(shape(task.language, task.telling) for task in tasks),
    )
    for one, other in combinations(range(len(tasks)), 2):
        tokens = jaccard(runs[one], runs[other])
        tree = tree_similarity(shapes[one], shapes[other])
        if tokens > TOKENS or tree > TREE:
            yield NearDuplicates(tasks[one].name, tasks[other].name, tokens, tree)


def _letters(shapes: Iterable[Sequence[str]]) -> list[str]:
    """Each kind of node as one character, which are compared faster."""
    letters: dict[str, str] = {}
    return ["".join(letters.setdefault(kind, chr(0xE000 + len(letters))) for kind in kinds) for kinds in shapes]
