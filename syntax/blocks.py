"""Blocks and statements: where what is being written began, and where it ends once it is finished.

Indices are indices into `str`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import tree_sitter

from syntax.languages import Language
from syntax.parse import Tree, descendants, parse

Extent: TypeAlias = Literal["line", "statement", "block"]
_CONTINUES = frozenset("=+-*/%&|^<>?:.,([!~") | {"=>", "&&", "||", "??", "+=", "-=", "and", "or", "not", "in", "return"}


@dataclass(frozen=True, slots=True)
class Block:
    """One construct of a finished text: its kind (function, if, for, while, try, statement) and its body's span.

    `header` is the index at which the construct itself begins.
    """

    kind: str
    header: int
    start: int
    end: int


def line_end(text: str, index: int) -> int:
    """The index of the end of the line that holds `index`, before its line end."""
    ends = [at for at in (text.find("\r", index), text.find("\n", index)) if at >= 0]
    return min(ends, default=len(text))


def statement_start(language: Language, before: str) -> int:
    """Where the innermost unfinished statement of a text begins that is cut off at the cursor.

    After a header (`:` or `{`) that is the header's own start. Where nothing is unfinished, the last line that holds
    text stands in, so that there is always something to recognise the place by.
    """
    tree = parse(language, before)
    words = [node for node in tree.leaves() if node.end_byte > node.start_byte]
    start, nesting = 0, _Nesting(language)
    for left, right in pairwise([None, *words]):
        if left is not None:
            nesting.pass_over(left)
        if right is not None and (left is None or (nesting.at_statement and _separates(language, left, right))):
            start = tree.index(right.start_byte)
    return start


class _Nesting:
    """The brackets that are open after the tokens passed over so far."""

    def __init__(self, language: Language) -> None:
        self._quiet = "([{" if language.layout else "(["
        self._open: list[str] = []

    @property
    def at_statement(self) -> bool:
        """Whether a statement can end here: not inside parentheses."""
        return not self._open or self._open[-1] not in self._quiet

    def pass_over(self, node: tree_sitter.Node) -> None:
        """Take one token in."""
        word = _word(node)
        if word in {"(", "[", "{", "${"}:
            self._open.append(word[-1])
        elif word in {")", "]", "}"} and self._open:
            self._open.pop()


def closing(language: Language, text: str, index: int) -> int | None:
    """Where the bracket stands that closes what is open at an index; None where nothing is, or nothing closes it."""
    tree, depth = parse(language, text), 0
    for node in tree.leaves():
        at, word = tree.index(node.start_byte), _word(node)
        if at < index or node.end_byte == node.start_byte:
            continue
        if word in {")", "]", "}"}:
            if not depth:
                return at
            depth -= 1
        depth += word in {"(", "[", "{", "${"}
    return None


def _word(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _separates(language: Language, left: tree_sitter.Node, right: tree_sitter.Node) -> bool:
    """Whether a statement ends between two neighbouring tokens (a `{` that only the cursor follows belongs to it)."""
    word = _word(left)
    if left.type.endswith("comment"):
        return True
    if not language.layout and word in {";", "{", "}"}:
        return True
    if left.end_point.row == right.start_point.row:
        return False
    if _word(right)[:1] in ".?)]":
        return False
    return word not in _CONTINUES or (language.layout and word == ":")


def extent(language: Language, text: str, index: int, kind: Extent) -> int:
    """The end, in a finished text, of the line, innermost statement or innermost block at `index`.

    A block counts when it holds the index or when only white space lies between the index and its start. Where there is
    no block the statement stands in, and where there is no statement the line.
    """
    if kind == "line":
        return line_end(text, index)
    tree = parse(language, text)
    found = _innermost(tree, index, _blocks(tree) if kind == "block" else _statements(tree))
    if found is not None:
        return found
    return extent(language, text, index, "statement" if kind == "block" else "line")


def _innermost(tree: Tree, index: int, nodes: Iterator[tree_sitter.Node]) -> int | None:
    holding = [span for span in map(tree.span, nodes) if _holds(tree, span, index)]
    return max(holding, key=lambda span: (span[0], -span[1]))[1] if holding else None


def _holds(tree: Tree, span: tuple[int, int], index: int) -> bool:
    start, end = span
    if start <= index:
        return index < end or (index == end and tree.language.layout)
    return tree.text[index:start].isspace()


def _blocks(tree: Tree) -> Iterator[tree_sitter.Node]:
    return (node for node in tree.nodes() if node.type in tree.language.blocks and node.end_byte > node.start_byte)


def _statements(tree: Tree) -> Iterator[tree_sitter.Node]:
    return (node for node in tree.nodes() if _is_statement(tree, node))


def _is_statement(tree: Tree, node: tree_sitter.Node) -> bool:
    if not node.is_named or node.parent is None or node.type.endswith("comment") or node.type in tree.language.blocks:
        return False
    inside = node.parent.type in tree.language.blocks or node.parent.id == tree.root.id
    return inside or node.type.endswith("_statement")


def constructs(language: Language, text: str) -> Iterator[Block]:
    """Every function, if, for, while, try and simple statement of a finished text, in its order."""
    tree = parse(language, text)
    for node in tree.nodes():
        kind = language.kinds.get(node.type)
        if kind is not None:
            yield from _bodies(tree, node, kind)
        elif _is_simple(tree, node):
            start, end = tree.span(node)
            yield Block("statement", start, start, end)


def _bodies(tree: Tree, node: tree_sitter.Node, kind: str) -> Iterator[Block]:
    """The blocks that belong to a construct itself: bodies, consequences, handlers, alternatives."""
    for body in _own_blocks(tree, node):
        inside = [child for child in body.named_children if not child.type.endswith("comment")]
        if inside:
            yield Block(kind, tree.span(node)[0], tree.span(inside[0])[0], tree.span(body)[1])


def _own_blocks(tree: Tree, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for child in node.named_children:
        if child.type in tree.language.blocks:
            yield child
        elif child.type.endswith(("_clause", "body")):
            yield from _own_blocks(tree, child)


def _is_simple(tree: Tree, node: tree_sitter.Node) -> bool:
    if not _is_statement(tree, node):
        return False
    return all(below.type not in tree.language.blocks for below in descendants(node))
