"""The tokens of a splice around the cursor, and the brackets that are open there.

Subtrees without errors are balanced, so whole ones are passed over: the cost is that of the path to the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
import tree_sitter

from syntax.parse import Tree, is_opaque

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {closer: opener for opener, closer in PAIRS.items()}
_LITERAL_AFTER = frozenset("(,=:[?&|")
_FEW = 32


class Token(msgspec.Struct, frozen=True, gc=False):
    """A leaf of the tree. `opaque`: a string or a comment, whatever stands in it. `block`: a brace that holds statements."""

    text: str
    start: int
    end: int
    opaque: bool = False
    comment: bool = False
    block: bool = False


@lru_cache(maxsize=8)
def tokens(tree: Tree, start: int, end: int) -> Sequence[Token]:
    """The tokens that begin before `end` and end after `start`, in order."""
    low, high = tree.byte(start), tree.byte(end)
    return tuple(_token(tree, node) for node in _leaves(tree.root, low, high))


def _leaves(root: tree_sitter.Node, low: int, high: int) -> Iterator[tree_sitter.Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        start, end = node.start_byte, node.end_byte
        if end <= low or start >= high or end == start:
            continue
        if node.child_count == 0 or is_opaque(node):
            yield node
        else:
            stack.extend(reversed(_children_within(node, low, high)))


def _children_within(node: tree_sitter.Node, low: int, high: int) -> list[tree_sitter.Node]:
    """The children of a node, without those before and behind a range where there are many (a file has thousands)."""
    if node.child_count <= _FEW:
        return node.children
    cursor, found = node.walk(), []
    # it finds no child at all where the byte is in white space that belongs to a token without a name, such as a line's end in Go
    more = cursor.goto_first_child_for_byte(low) is not None or cursor.goto_first_child()
    while more and cursor.node is not None and cursor.node.start_byte < high:
        found.append(cursor.node)
        more = cursor.goto_next_sibling()
    return found


def _token(tree: Tree, node: tree_sitter.Node) -> Token:
    start, end = tree.span(node)
    text, kind = tree.text[start:end], node.type
    comment = kind.endswith("comment")
    opaque = comment or is_opaque(node)
    return Token(text, start, end, opaque, comment, text == "{" and _is_block(tree, node, start))


def _is_block(tree: Tree, node: tree_sitter.Node, start: int) -> bool:
    """Whether a brace opens statements; by what stands before it where the tree does not say."""
    parent = node.parent
    if parent is not None and not parent.is_error:
        return parent.type in tree.language.blocks
    left = tree.text[:start].rstrip()
    return not (left[-1:] in _LITERAL_AFTER or left.endswith("return"))


@lru_cache(maxsize=8)
def open_brackets(tree: Tree, index: int) -> Sequence[Token]:
    """The brackets before `index` that are still open there, the outermost first."""
    stack: list[Token] = []
    for node in _bracket_leaves(tree.root, tree.byte(index)):
        token = _token(tree, node)
        if token.text in PAIRS:
            stack.append(token)
        elif stack and stack[-1].text == CLOSERS[token.text]:
            stack.pop()
    return tuple(stack)


def _bracket_leaves(root: tree_sitter.Node, high: int) -> Iterator[tree_sitter.Node]:
    """Brackets that begin before a byte, without those of subtrees that have no error and end before it."""
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.end_byte or node.start_byte >= high:
            continue
        if node.child_count == 0:
            if not node.is_missing and node.type in _BRACKETS:
                yield node
        elif (node.has_error or node.end_byte > high) and not is_opaque(node):
            stack.extend(reversed(_children_up_to(node, high)))


def _children_up_to(node: tree_sitter.Node, high: int) -> list[tree_sitter.Node]:
    """The children of a node; where there are many, without those that are faultless and end before the byte."""
    if node.child_count <= _FEW:
        return node.children
    if node.has_error or node.named_child_count < node.child_count:
        return [child for child in node.children if not child.child_count or child.has_error or child.end_byte > high]
    last = node.child(node.child_count - 1)
    if (
        last is None or last.end_byte < high
    ):  # tree-sitter for Python 0.26 gives a node without a tree there, whose use ends the process
        return []
    found = node.first_child_for_byte(high - 1)  # a bracket has no name
    return [] if found is None else [found]


_BRACKETS = frozenset("()[]{}")
