"""Expressions: numbers, calls in calls, code that stands twice, and what a query of tree-sitter finds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, takewhile

import tree_sitter

from corpora.codealign.finders.shapes import (
    arguments_of,
    around,
    callee,
    folded,
    nodes_of,
    queried,
    shape_of,
    statements_of,
    text_of,
)
from syntax.parse import Tree

_PLAIN = frozenset({"0", "1", "2", "-1", "0.0", "1.0"})
_CAPITALS = re.compile(r"_*[A-Z][A-Z0-9_]*")
_LEAST_CHARACTERS = 40
"""A repeated pair of statements shorter than this is no duplicate worth a function."""


def magic_numbers(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Numbers but -1, 0, 1 and 2 that are not what a constant in capitals is set to."""
    for node in nodes_of(tree, shape_of(tree).numbers):
        if text_of(node) not in _PLAIN and not any(_names_constant(each) for each in around(node)):
            yield node


def _names_constant(node: tree_sitter.Node) -> bool:
    if node.type not in {"assignment", "variable_declarator", "enum_constant"}:
        return False
    name = node.child_by_field_name("left") or node.child_by_field_name("name")
    return bool(_CAPITALS.fullmatch(text_of(name)))


def nested_calls(tree: Tree, limit: str) -> Iterator[tree_sitter.Node]:
    """Calls in the arguments of calls, deeper than a limit."""
    for node in nodes_of(tree, shape_of(tree).calls):
        if _depth(node) == int(limit) + 1:
            yield node


def _depth(node: tree_sitter.Node) -> int:
    """How many calls hold a call in their arguments, with itself."""
    holding = takewhile(lambda each: each.type not in _ENDS, around(node))
    return 1 + sum(each.type in {"argument_list", "arguments"} for each in holding)


_ENDS = frozenset({"lambda", "arrow_function", "lambda_expression", "function_expression", "block", "statement_block"})


def duplicates(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Pairs of neighbouring statements that stand elsewhere too (white space aside), of 40 characters or more."""
    seen: dict[str, list[tree_sitter.Node]] = defaultdict(list)
    for block in nodes_of(tree, shape_of(tree).blocks):
        held = [each for each in statements_of(block) if each.type not in shape_of(tree).imports]
        for first, second in pairwise(held):
            text = folded(first) + folded(second)
            if len(text) >= _LEAST_CHARACTERS:
                seen[text].append(first)
    for nodes in seen.values():
        yield from nodes[1:]


def script_divisions(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Divisions of JavaScript whose result is not at once made a whole number."""
    for node in queried(
        tree, '[(binary_expression operator: "/") (augmented_assignment_expression operator: "/=")] @x'
    ):
        if not any(each.type == "call_expression" and callee(each) in _ROUNDING for each in around(node)):
            yield node


_ROUNDING = frozenset({"Math.floor", "Math.trunc", "Math.ceil", "Math.round"})


def chainable(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Two neighbouring comparisons of Python joined by `and` that share a side, and go the same way from it: `a < b and c > b`."""
    for node in queried(tree, '(boolean_operator operator: "and") @x'):
        left = node.child_by_field_name("left")
        while left is not None and left.type == "boolean_operator" and left.children[1].type == "and":
            left = left.child_by_field_name("right")
        one, two = _sides(left), _sides(node.child_by_field_name("right"))
        if any(low[1] == high[0] and _NAME.fullmatch(low[1]) for low, high in ((one, two), (two, one))):
            yield node


_NAME = re.compile(r"[^\W\d][\w.]*")


def _sides(node: tree_sitter.Node | None) -> tuple[str, str]:
    """The smaller and the greater side of a plain comparison, those of `==` as they stand; two "" for another expression."""
    if node is None or node.type != "comparison_operator" or len(node.children) != _SIDES_AND_OPERATOR:
        return "", ""
    left, operator, right = node.children
    if operator.type in {">", ">="}:
        left, right = right, left
    return (folded(left), folded(right)) if operator.type in _ORDERING else ("", "")


_ORDERING = frozenset({"<", "<=", ">", ">=", "=="})
_SIDES_AND_OPERATOR = 3


def swaps(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Two values that change places through a third variable, in three neighbouring statements."""
    for block in nodes_of(tree, shape_of(tree).blocks):
        held = statements_of(block)
        for three in zip(held, held[1:], held[2:], strict=False):
            if _is_swap([re.sub(r"^(let|const|var|int)\s+", "", text_of(each)) for each in three]):
                yield three[0]


def _is_swap(texts: list[str]) -> bool:
    sides = [re.sub(r"[\s;]", "", text).split("=") for text in texts]
    if any(len(side) != 2 for side in sides):
        return False
    (kept, first), (one, second), (other, last) = sides
    return one == first and other == second and last == kept


def opens_without_manager(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Calls of Python's `open` whose file no `with` and no exit stack closes; one that a function returns is its caller's."""
    for call in nodes_of(tree, shape_of(tree).calls):
        held = {each.type for each in around(call)} & {"with_item"}
        stacked = any(each.type == "call" and callee(each).endswith(".enter_context") for each in around(call))
        given = call.parent is not None and call.parent.type in {"return_statement", "lambda"}
        if callee(call) == "open" and not (held or stacked or given):
            yield call


def opens_without_encoding(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Calls of Python's `open` for text that say no encoding; nothing is known of a mode that is no literal, nor of `**words`."""
    for call in nodes_of(tree, shape_of(tree).calls):
        given = arguments_of(call) if callee(call) == "open" else []
        plain = [each for each in given if each.type != "keyword_argument"]
        words = {text_of(each.child_by_field_name("name")): each.child_by_field_name("value") for each in given}
        mode = words.get("mode", plain[1] if len(plain) > 1 else None)
        splat = any(each.type in {"list_splat", "dictionary_splat"} for each in given)
        told = "encoding" in words or len(plain) > _ENCODING_IS_ARGUMENT or splat
        if given and not told and (mode is None or (mode.type == "string" and "b" not in text_of(mode))):
            yield call


_ENCODING_IS_ARGUMENT = 3
"""As many arguments of `open` stand before its encoding."""


def short_calls(tree: Tree, name: str, limit: str) -> Iterator[tree_sitter.Node]:
    """Calls of a function with fewer arguments than wanted."""
    return (
        call
        for call in nodes_of(tree, shape_of(tree).calls)
        if callee(call) == name and len(arguments_of(call)) < int(limit)
    )
