"""Where a program's statements, calls and names stand: in which statement, function and class. The kinds of nodes are data, by language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from syntax.parse import Tree

TEST_NAME = re.compile(r"^(?:test|check|verify|assert|expect|main$|run_?tests?)|_?tests?$", re.IGNORECASE)
"""Names of functions that test others: there, an `if` that throws is an assertion too."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a language's tree names what is looked for. `main`: the outermost statements are those of the function `main`."""

    blocks: frozenset[str]
    simple: frozenset[str]
    calls: frozenset[str]
    functions: frozenset[str]
    classes: frozenset[str]
    throws: frozenset[str]
    outermost: frozenset[str]
    main: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT = Shape(
    blocks=_set("program statement_block switch_case switch_default"),
    simple=_set("expression_statement"),
    calls=_set("call_expression"),
    functions=_set("function_declaration generator_function_declaration method_definition variable_declarator"),
    classes=_set("class_declaration class abstract_class_declaration"),
    throws=_set("throw_statement"),
    outermost=_set(
        "expression_statement lexical_declaration variable_declaration if_statement for_statement for_in_statement "
        "while_statement do_statement try_statement switch_statement statement_block"
    ),
)
SHAPES = {
    "python": Shape(
        blocks=_set("module block"),
        simple=_set("assert_statement"),
        calls=_set("call assert_statement"),
        functions=_set("function_definition"),
        classes=_set("class_definition"),
        throws=_set("raise_statement"),
        outermost=_set(
            "expression_statement assert_statement if_statement for_statement while_statement with_statement try_statement "
            "match_statement delete_statement import_statement import_from_statement"
        ),
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "java": Shape(
        blocks=_set("block constructor_body switch_block_statement_group"),
        simple=_set("expression_statement assert_statement"),
        calls=_set("method_invocation assert_statement"),
        functions=_set("method_declaration constructor_declaration"),
        classes=_set("class_declaration interface_declaration enum_declaration record_declaration"),
        throws=_set("throw_statement"),
        outermost=_set(
            "expression_statement assert_statement local_variable_declaration if_statement for_statement "
            "enhanced_for_statement while_statement do_statement try_statement try_with_resources_statement switch_expression"
        ),
        main=True,
    ),
    "cpp": Shape(
        blocks=_set("compound_statement case_statement"),
        simple=_set("expression_statement"),
        calls=_set("call_expression"),
        functions=_set("function_definition"),
        classes=_set("class_specifier struct_specifier"),
        throws=_set("throw_statement"),
        outermost=_set(
            "expression_statement declaration if_statement for_statement for_range_loop while_statement do_statement "
            "try_statement switch_statement compound_statement"
        ),
        main=True,
    ),
}


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
