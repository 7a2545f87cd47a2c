"""The finders that rules name. A finder takes a tree and words, and yields nodes, or lines (from 0), at which it found something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import ModuleType
from typing import TypeAlias

import tree_sitter

from corpora.codealign.finders import (
    branches,
    comments,
    expressions,
    function_finders,
    layout,
    loop_finders,
    name_finders,
    variables,
)
from corpora.codealign.finders.shapes import queried
from syntax.parse import Tree

ProblemFinder: TypeAlias = Callable[[Tree], Iterable[tree_sitter.Node | int]]
_MODULES: tuple[ModuleType, ...] = (
    branches,
    comments,
    expressions,
    function_finders,
    layout,
    loop_finders,
    name_finders,
    variables,
)


def _public(module: ModuleType) -> Mapping[str, Callable[..., Iterable[tree_sitter.Node | int]]]:
    """The finders of a module by their names, with hyphens for underscores."""
    return {
        name.replace("_", "-"): value
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    }


FINDERS = {name: finder for module in _MODULES for name, finder in _public(module).items()}


def finder_of(words: str) -> ProblemFinder:
    """The finder that a rule names: `name argument …`, or a query of tree-sitter, which begins with a bracket.

    Several are parted by ` | `, and find what any of them finds: `calls eval | long-lines 80`.

    Raises:
        KeyError: there is no finder of this name.

    """
    finders = [_one(part.strip()) for part in words.split(" | ")]
    return finders[0] if len(finders) == 1 else lambda tree: chain.from_iterable(finder(tree) for finder in finders)


def _one(words: str) -> ProblemFinder:
    if words.startswith(("(", "[")):
        return lambda tree: queried(tree, words)
    name, *arguments = words.split()
    finder = FINDERS[name]
    return lambda tree: finder(tree, *arguments)
