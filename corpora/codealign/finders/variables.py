"""Variables by what they hold: as Java declares them, or as Python and JavaScript set them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import arguments_of, around, folded, nodes_of, queried, text_of
from syntax.parse import Tree

_DECLARING = frozenset(
    {"local_variable_declaration", "field_declaration", "formal_parameter", "enhanced_for_statement", "resource"}
)
_UNTYPED = "[(inferred_parameters (identifier) @n) (lambda_expression parameters: (identifier) @n) (spread_parameter (variable_declarator name: (identifier) @n))]"


def _declared(tree: Tree) -> dict[str, set[str]]:
    """The types with which the variables of a Java file are declared, without their arguments; "" for one that is not said, or of an array."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in nodes_of(tree, _DECLARING):
        for each in node.children_by_field_name("declarator") or [node]:
            type_ = "" if each.child_by_field_name("dimensions") else folded(node.child_by_field_name("type"))
            found[text_of(each.child_by_field_name("name"))].add(type_.partition("<")[0].rpartition(".")[2])
    for node in queried(tree, _UNTYPED):
        found[text_of(node)].add("")
    return found


def _is_of(node: tree_sitter.Node | None, declared: dict[str, set[str]], types: frozenset[str]) -> bool:
    """Whether a node is a variable, or a field of `this`, that is declared with some types and no others."""
    held = declared.get(folded(node).removeprefix("this."), set())
    return bool(held) and held <= types


def identity_of_strings(tree: Tree) -> Iterator[tree_sitter.Node]:
    """`==` and `!=` of Java between two variables that are declared as `String`."""
    declared, string = _declared(tree), frozenset({"String"})
    for node in queried(tree, '(binary_expression operator: ["==" "!="]) @x'):
        if all(_is_of(node.child_by_field_name(side), declared, string) for side in ("left", "right")):
            yield node


_LISTS = frozenset({"List", "ArrayList", "LinkedList", "Vector"})


def lists_searched(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Tests whether a value is in a variable that is a list, but what Java asserts of a result: declared as one in Java; else set to a literal of plain elements, and only tested."""
    if tree.language.id == "java":
        declared = _declared(tree)
        for call in nodes_of(tree, frozenset({"method_invocation"})):
            name, owner = text_of(call.child_by_field_name("name")), call.child_by_field_name("object")
            searched = name == "contains" and len(arguments_of(call)) == 1 and _is_of(owner, declared, _LISTS)
            if searched and not _is_asserted(call):
                yield call
        return
    tests, literals = queried(tree, _TESTED[tree.language.id]), queried(tree, _LITERALS[tree.language.id])
    named = Counter(text_of(node) for node in nodes_of(tree, frozenset({"identifier"})))
    plain = Counter(text_of(node) for node in [*tests, *literals])
    lists = {text_of(node) for node in literals if _has_plain_elements(node)}
    yield from (node for node in tests if text_of(node) in lists and named[text_of(node)] == plain[text_of(node)])


def _is_asserted(node: tree_sitter.Node) -> bool:
    """Whether a node belongs to an assertion."""
    return any(
        each.type == "assert_statement"
        or (each.type == "method_invocation" and text_of(each.child_by_field_name("name")).startswith("assert"))
        for each in around(node)
    )


_TESTED = {
    "python": '(comparison_operator operators: ["in" "not in"] (identifier) @n .)',
    "javascript": '(call_expression function: (member_expression object: (identifier) @n property: (property_identifier) @_p) (#eq? @_p "includes"))',
}
_LITERALS = {
    "python": "(assignment left: (identifier) @n right: [(list) (tuple)])",
    "javascript": "(variable_declarator name: (identifier) @n value: (array))",
}
_PLAIN = frozenset(
    {"string", "integer", "float", "number", "true", "false", "none", "null", "unary_operator", "unary_expression"}
)


def _has_plain_elements(name: tree_sitter.Node) -> bool:
    """Whether a variable is set to a list of literals: other elements may be such that no set can hold them."""
    holder = name.parent
    value = None if holder is None else holder.child_by_field_name("right") or holder.child_by_field_name("value")
    return value is not None and bool(value.named_children) and {each.type for each in value.named_children} <= _PLAIN
