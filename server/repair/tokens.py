"""The tokens of a splice around the cursor, and the brackets that are open there.

Subtrees without errors are balanced, so whole ones are passed over: the cost is that of the path to the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from syntax.parse import Tree, is_opaque

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {closer: opener for opener, closer in PAIRS.items()}
_LITERAL_AFTER = frozenset("(,=:[?&|")


@dataclass(frozen=True, slots=True)
class Token:
    """A leaf of the tree. `opaque`: a string or a comment, whatever stands in it. `block`: a brace that holds statements."""

    text: str
    start: int
    end: int
    opaque: bool = False
    comment: bool = False
    block: bool = False


def tokens(tree: Tree, start: int, end: int) -> list[Token]:
    """The tokens that begin before `end` and end after `start`, in order."""
    low, high = tree.byte(start), tree.byte(end)
    return [_token(tree, node) for node in _leaves(tree.root, low, high)]


def _leaves(root: tree_sitter.Node, low: int, high: int) -> Iterator[tree_sitter.Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte <= low or node.start_byte >= high or node.end_byte == node.start_byte:
            continue
        if node.child_count == 0 or is_opaque(node):
            yield node
        else:
            stack.extend(reversed(node.children))


def _token(tree: Tree, node: tree_sitter.Node) -> Token:
    start, end = tree.span(node)
    comment = node.type.endswith("comment")
    opaque = comment or is_opaque(node)
    text = tree.text[start:end]
    return Token(text, start, end, opaque, comment, text == "{" and _is_block(tree, node, start))


def _is_block(tree: Tree, node: tree_sitter.Node, start: int) -> bool:
    """Whether a brace opens statements; by what stands before it where the tree does not say."""
    parent = node.parent
    if parent is not None and not parent.is_error:
        return parent.type in tree.language.blocks
    left = tree.text[:start].rstrip()
    return not (left[-1:] in _LITERAL_AFTER or left.endswith("return"))


def open_brackets(tree: Tree, index: int) -> list[Token]:
    """The brackets before `index` that are still open there, the outermost first."""
    limit = tree.byte(index)
    stack: list[Token] = []
    for node in _bracket_leaves(tree.root, 0, limit):
        token = _token(tree, node)
        if token.text in PAIRS:
            stack.append(token)
        elif stack and stack[-1].text == CLOSERS[token.text]:
            stack.pop()
    return stack


def pending_closers(tree: Tree, index: int) -> list[Token]:
    """The closers from `index` on whose openers stand before it, the innermost first."""
    depth: list[str] = []
    pending: list[Token] = []
    for node in _bracket_leaves(tree.root, tree.byte(index), len(tree.text) * 4 + 1):
        token = _token(tree, node)
        if token.text in PAIRS:
            depth.append(token.text)
        elif depth and depth[-1] == CLOSERS[token.text]:
            depth.pop()
        elif not depth:
            pending.append(token)
    return pending


def _bracket_leaves(root: tree_sitter.Node, low: int, high: int) -> Iterator[tree_sitter.Node]:
    """Brackets that begin in [low, high), but for those of faultless subtrees that lie wholly inside."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte <= low or node.start_byte >= high or is_opaque(node):
            continue
        if node.child_count == 0:
            if node.start_byte >= low and not node.is_missing and node.type in _BRACKETS:
                yield node
        elif node.has_error or node.start_byte < low or node.end_byte > high:
            stack.extend(reversed(node.children))


_BRACKETS = frozenset("()[]{}")
