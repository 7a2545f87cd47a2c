"""Places inside statements where a person goes on writing: behind operators, opened calls and declared names.

Which nodes these are is data of `syntax.languages`. Indices are indices into `str`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import tree_sitter

from syntax.blocks import is_simple
from syntax.languages import Language
from syntax.parse import is_opaque, parse

Behind: TypeAlias = Literal["operator", "call", "declaration"]
_ARGUMENTS = frozenset({"arguments", "argument_list", "token_tree"})
_WORDS = frozenset({"and", "or", "in", "not in", "is", "is not", "instanceof"})
_NO_OPERATORS = frozenset({":", "::", "->", "=>", ",", ";", "?", "!", ".", "(", ")", "[", "]", "{", "}"})


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a finished text: what the cursor stands behind, and the index of what was written there first.

    `kind` is that of the innermost construct (function, if, for, while, try, statement) around it.
    """

    behind: Behind
    start: int
    kind: str


def cursors(language: Language, text: str) -> Iterator[Cursor]:
    """Every such place of a finished text: behind an operator, an opening bracket of a call, a declared name or keyword."""
    tree = parse(language, text)
    stack = [(tree.root, "statement")]
    while stack:
        node, around = stack.pop()
        kind = language.kinds.get(node.type) or ("statement" if is_simple(tree, node) else around)
        for behind, at in _places(language, node):
            yield Cursor(behind, tree.index(at.start_byte), kind)
        if not is_opaque(node):
            stack.extend((child, kind) for child in reversed(node.children))


def _places(language: Language, node: tree_sitter.Node) -> Iterator[tuple[Behind, tree_sitter.Node]]:
    """What begins behind the operators, the bracket or the name of a node itself."""
    if node.type in language.operators:
        yield from (("operator", node.children[at + 1]) for at in _operators(node))
    if node.type in language.calls:
        yield from (("call", first) for first in _first_arguments(node))
    if node.type in language.declared:
        yield from (("declaration", following) for following in _behind(node, language.declared[node.type]))
    if node.type in language.named:
        yield from (("declaration", name) for name in _named(node, language.named[node.type]))


def _operators(node: tree_sitter.Node) -> Iterator[int]:
    """The positions of a node's operators among its children, the right operand following each."""
    for at, child in enumerate(node.children[:-1]):
        word = child.type
        if at and not child.is_named and (word in _WORDS or not (word in _NO_OPERATORS or word[0].isalpha())):
            yield at


def _first_arguments(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What stands behind the opening bracket of a call: the first argument, or the closing bracket."""
    for child in node.children:
        if child.type in _ARGUMENTS and child.child_count > 1 and child.children[0].type == "(":
            yield child.children[1]


def _behind(node: tree_sitter.Node, field: str) -> Iterator[tree_sitter.Node]:
    """What follows a declared name inside its declaration."""
    name = node.child_by_field_name(field)
    following = None if name is None else name.next_sibling
    if name is not None and following is not None and following.start_byte < node.end_byte and following.type != ";":
        yield following


def _named(node: tree_sitter.Node, field: str) -> Iterator[tree_sitter.Node]:
    """The name of a definition, if a keyword or a type stands before it."""
    name = node.child_by_field_name(field)
    if name is not None and name.start_byte > node.start_byte:
        yield name
