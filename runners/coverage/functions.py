"""Where the outermost functions of a text are: a graft is tested by the tests that execute the one it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter

from syntax.languages import Language, language_of
from syntax.parse import Tree, parse

SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})


@dataclass(frozen=True, slots=True)
class Body:
    """What a function executes when it is called, from `start` to `end`; `code` is where its first statement may stand.

    Python's begins behind the colon; those of scripts have their braces with them, if they have any.
    """

    start: int
    code: int
    end: int


@lru_cache(maxsize=64)
def bodies(path: str, text: str) -> tuple[Body, ...]:
    """Return the bodies of the functions that lie in no other one; none in a language without coverage.

    None either in a script that does not parse: what would be taken for a function may be none.
    """
    language = language_of(path)
    if language is None or language.id not in {"python", *SCRIPTS}:
        return ()
    tree = parse(language, text)
    return () if language.id in SCRIPTS and tree.root.has_error else tuple(_outermost(language, tree))


def _outermost(language: Language, tree: Tree) -> Iterator[Body]:
    reached = 0
    for node in tree.nodes():
        body = node.child_by_field_name("body") if language.kinds.get(node.type) == "function" else None
        if body is not None and node.start_byte >= reached:
            reached = body.end_byte
            start, code = _behind_colon(node) if language.id == "python" else (body.start_byte, _first_place(body))
            yield Body(tree.index(start), tree.index(code), tree.index(body.end_byte))


def _behind_colon(node: tree_sitter.Node) -> tuple[int, int]:
    colon = next(child for child in node.children if child.type == ":")
    return colon.end_byte, colon.end_byte


def _first_place(body: tree_sitter.Node) -> int:
    """Where a statement can stand before all others: behind the directives ("use strict")."""
    if body.type != "statement_block":
        return body.start_byte
    place = body.children[0].end_byte
    for child in body.named_children:
        if child.type == "expression_statement" and child.child(0).type == "string":
            place = child.end_byte
        elif child.type != "comment":
            break
    return place
