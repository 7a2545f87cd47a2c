"""Whether two texts are the same code: they differ in white space and comments only, and not where white space means something."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import tree_sitter

from syntax.languages import Language
from syntax.parse import Tree, is_opaque, parse


def same_code(language: Language, old: str, new: str) -> bool:
    """Whether the trees of two texts have the same nodes and tokens, comments left out. A text with a syntax error is like no other.

    In Python a string that is a statement by itself counts as a comment: a docstring. Examples: `f( x )  # note` is `f(x)`; in Python a
    line that is indented less than before is other code, and in JavaScript `return` and `x` on two lines are.
    """
    before, after = parse(language, old), parse(language, new)
    if before.root.has_error or after.root.has_error:
        return False
    return all(one == other for one, other in zip_longest(_nodes(before), _nodes(after))) and _dense(before) == _dense(
        after
    )


def _nodes(tree: Tree) -> Iterator[tuple[int, str, str]]:
    """Depth, type and text of each node, parents first; only tokens and strings have a text."""
    stack = [(tree.root, 0)]
    while stack:
        node, depth = stack.pop()
        if _ignored(node, tree.language):
            continue
        whole = not node.child_count or is_opaque(node)
        yield depth, node.type, _text(tree, node).strip() if whole else ""
        stack += [] if whole else [(child, depth + 1) for child in reversed(node.children)]


def _dense(tree: Tree) -> str:
    """The text without comments and white space: what stands in it and in no token."""
    kept, at = [], 0
    for start, end in _comments(tree):
        kept.append(tree.text[at:start])
        at = end
    return "".join("".join([*kept, tree.text[at:]]).split())


def _comments(tree: Tree) -> Iterator[tuple[int, int]]:
    stack = [tree.root]
    while stack:
        node = stack.pop()
        if _ignored(node, tree.language):
            yield tree.span(node)
        else:
            stack += reversed(node.children)


def _ignored(node: tree_sitter.Node, language: Language) -> bool:
    kind = node.type
    return kind.endswith("comment") or kind == "line_continuation" or (language.layout and _is_docstring(node))


def _is_docstring(node: tree_sitter.Node) -> bool:
    return node.type == "expression_statement" and node.child_count == 1 and node.children[0].type in _STRINGS


def _text(tree: Tree, node: tree_sitter.Node) -> str:
    start, end = tree.span(node)
    return tree.text[start:end]


_STRINGS = frozenset({"string", "concatenated_string"})
