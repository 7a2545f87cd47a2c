"""Where the functions of a text are: a graft is tested by the tests that execute the outermost one it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import tree_sitter

from syntax.languages import Language, language_of
from syntax.parse import Tree, parse

SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
_FIELDS = frozenset({"field_definition", "public_field_definition"})


@dataclass(frozen=True, slots=True)
class Body:
    """What a function executes when it is called, from `start` to `end`; `code` is where its first statement may stand.

    Python's begins behind the colon; those of scripts have their braces with them, if they have any. One that `pauses` (of a
    generator or an async function) may go on when others run.
    """

    start: int
    code: int
    end: int
    pauses: bool = False


@dataclass(slots=True)
class Function:
    """An outermost function: its body, and in scripts those of all functions that lie in it.

    It `leaks` where a call of what it made may execute a part of its text that lies in none of these bodies: initial values
    of a class's fields, patterns and default values of parameters.
    """

    body: Body
    inner: list[Body] = field(default_factory=list)
    leaks: bool = False


@lru_cache(maxsize=64)
def bodies(path: str, text: str) -> tuple[Body, ...]:
    """Return the bodies of the functions that lie in no other one; none in a language without coverage.

    None either in a script that does not parse: what would be taken for a function may be none.
    """
    return tuple(function.body for function in functions(path, text))


def functions(path: str, text: str) -> list[Function]:
    """Return the functions whose bodies `bodies` returns, with what lies in them."""
    language = language_of(path)
    if language is None or language.id not in {"python", *SCRIPTS}:
        return []
    tree = parse(language, text)
    return [] if language.id in SCRIPTS and tree.root.has_error else list(_outermost(language, tree))


def _outermost(language: Language, tree: Tree) -> Iterator[Function]:
    function, first, reached = None, 0, 0
    for node in tree.nodes():
        body = node.child_by_field_name("body") if language.kinds.get(node.type) == "function" else None
        if body is not None and node.start_byte >= reached:
            function, first, reached = Function(_body(language, tree, node, body)), body.start_byte, body.end_byte
            yield function
        elif function is not None and language.id in SCRIPTS and first <= node.start_byte < reached:
            if body is not None:
                function.inner.append(_body(language, tree, node, body))
            function.leaks |= _is_unseen_part(node)


def _body(language: Language, tree: Tree, node: tree_sitter.Node, body: tree_sitter.Node) -> Body:
    start, code = _behind_colon(node) if language.id == "python" else (body.start_byte, _first_place(body))
    return Body(tree.index(start), tree.index(code), tree.index(body.end_byte), _has_word(node, "async", "*"))


def _has_word(node: tree_sitter.Node, *words: str) -> bool:
    return any(child.type in words for child in node.children)


def _is_unseen_part(node: tree_sitter.Node) -> bool:
    """Whether a node in a function is executed for those who call what the function made, before any body of theirs."""
    if node.type in _FIELDS:
        return not _has_word(node, "static")
    return node.type == "formal_parameters" and not all(_is_plain(child) for child in node.named_children)


def _is_plain(parameter: tree_sitter.Node) -> bool:
    """Whether to bind a parameter executes nothing and cannot fail: a name, perhaps with a type, or dots and a name."""
    match parameter.type:
        case "identifier" | "this" | "comment":
            return True
        case "rest_pattern":
            return all(_is_plain(child) for child in parameter.named_children)
        case "required_parameter" | "optional_parameter":
            pattern = parameter.child_by_field_name("pattern")
            return pattern is not None and _is_plain(pattern) and not _has_word(parameter, "=")
        case _:
            return False


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
