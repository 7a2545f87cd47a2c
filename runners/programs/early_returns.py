"""Returns of a program's `main` that leave it before what others wrote behind them: no driver can see those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree, descendants

_SILENT = {"comment", "line_comment", "block_comment"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a language's tree names functions, and what has returns of its own inside of them."""

    function: str
    inner: frozenset[str]


_SHAPES = {
    "cpp": _Shape("function_definition", frozenset({"lambda_expression", "class_specifier", "struct_specifier"})),
    "java": _Shape("method_declaration", frozenset({"lambda_expression", "class_body", "record_declaration"})),
}


def returns_early(language: str, text: str, written: tuple[int, int]) -> int:
    """Return the line of a `return` of `main` in these lines (from 1) that has statements of other lines behind it.

    0 if there is none, and for languages whose programs have no `main`. A return of a number other than 0 does not count:
    a program that ended with status 0 has not come by it. Whether one that stands under a condition was executed is not
    known: it counts.
    """
    shape, parsed = _SHAPES.get(language), language_of(language)
    if shape is None or parsed is None:
        return 0
    for body in _mains(Tree(parsed, text).root, shape):
        for node in _returns(body, shape):
            if written[0] <= _line(node) <= written[1] and _has_more(body, node, written[1]):
                return _line(node)
    return 0


def _mains(root: tree_sitter.Node, shape: _Shape) -> Iterator[tree_sitter.Node]:
    for node in descendants(root):
        body = node.child_by_field_name("body")
        if node.type == shape.function and body and _name(node) == b"main":
            yield body


def _name(function: tree_sitter.Node) -> bytes | None:
    named = function.child_by_field_name("name") or function.child_by_field_name("declarator")
    while named and (inner := named.child_by_field_name("declarator")):
        named = inner
    return named.text if named else None


def _returns(body: tree_sitter.Node, shape: _Shape) -> Iterator[tree_sitter.Node]:
    """The returns in the order of the text; by a stack of our own, as a model may nest as deep as it likes."""
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement" and not _fails(node):
            yield node
        elif node is body or node.type not in shape.inner:
            stack.extend(reversed(node.named_children))


def _fails(statement: tree_sitter.Node) -> bool:
    value = next((child.text or b"" for child in statement.named_children if child.type not in _SILENT), b"")
    return value == b"EXIT_FAILURE" or (value.lstrip(b"-").isdigit() and value.strip(b"-0") != b"")


def _has_more(body: tree_sitter.Node, left: tree_sitter.Node, last: int) -> bool:
    """Tell whether `main` goes on behind the return, in lines that others wrote or on the very line of the return."""
    behind = [node for node in body.named_children if node.type not in _SILENT and node.start_byte >= left.end_byte]
    return any(_line(node) > last or _line(node) == _line(left) for node in behind)


def _line(node: tree_sitter.Node) -> int:
    return node.start_point[0] + 1
