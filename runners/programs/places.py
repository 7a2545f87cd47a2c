"""Where a program's statements, calls and names stand: in which statement, function and class. The kinds of nodes are data, by language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tree_sitter

from syntax.parse import Tree

TEST_NAME = re.compile(r"^(?:test|check|verify|assert|expect|main$|run_?tests?)|_?tests?$", re.IGNORECASE)
"""Names of functions that test others: there, an `if` that throws is an assertion too."""


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kinds of nodes with which the tree of a language names what is looked for."""

    blocks: frozenset[str]
    """What holds statements."""
    simple: frozenset[str]
    """Statements that may be assertions."""
    calls: frozenset[str]
    functions: frozenset[str]
    classes: frozenset[str]
    throws: frozenset[str]
    outermost: frozenset[str]
    """Statements that count as tests at the outermost level of the program."""
    main: bool = False
    """The outermost statements are those of the function `main`."""


SHAPES = msgspec.toml.decode(Path(__file__).with_name("shapes.toml").read_bytes(), type=dict[str, Shape])
SHAPES["typescript"] = SHAPES["javascript"]
"""By language."""


@dataclass(frozen=True, slots=True)
class EnclosedNode:
    """A node with what holds it: the innermost statement, and the names of the innermost function and class ("": none)."""

    node: tree_sitter.Node
    statement: tree_sitter.Node | None
    function: str
    owner: str


def places(shape: Shape, tree: Tree) -> Iterator[EnclosedNode]:
    """All named nodes, parents first; what stands in the head of a function belongs to it. By a stack of our own, as code may nest deeply."""
    stack: list[EnclosedNode] = [EnclosedNode(tree.root, None, "", "")]
    while stack:
        place = stack.pop()
        yield place
        node, function, owner = place.node, place.function, place.owner
        if node.type in shape.functions:
            function = name_of(node) or function
        if node.type in shape.classes:
            function, owner = "", name_of(node) or owner
        in_block = node.type in shape.blocks
        for child in reversed(node.named_children):
            own = child if in_block or child.type in shape.simple else place.statement
            stack.append(EnclosedNode(child, own, function, owner))


def name_of(definition: tree_sitter.Node) -> str:
    """The name of a function or a class, without what it belongs to; "" of what is none: of a variable, if its value is a function."""
    if definition.type == "variable_declarator":
        value = definition.child_by_field_name("value")
        if value is None or "function" not in value.type:
            return ""
    named = definition.child_by_field_name("name") or definition.child_by_field_name("declarator")
    while named and (inner := named.child_by_field_name("declarator")):
        named = inner
    return text_of(named).rpartition("::")[2]


def text_of(node: tree_sitter.Node | None) -> str:
    """The text of a node; "" of none."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""
