"""Functions: what they call, how long they are, how they end."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import (
    arguments_of,
    around,
    callee,
    function_name,
    inside,
    nodes_of,
    parameters_of,
    shape_of,
    statements_of,
    text_of,
)
from syntax.parse import Tree

_OWN = ("self.", "this.", "cls.")


def functions(tree: Tree) -> Iterator[tree_sitter.Node]:
    """All functions with a name."""
    return (node for node in nodes_of(tree, shape_of(tree).functions) if function_name(node))


def nested_functions(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions with a name inside other functions."""
    types = shape_of(tree).functions
    return (
        node
        for node in functions(tree)
        if any(each.type in types for each in around(node)) and not _in_class(node, types)
    )


def _in_class(node: tree_sitter.Node, functions_: frozenset[str]) -> bool:
    """Whether a class stands between a function and the next one around it."""
    for each in around(node):
        if each.type in functions_:
            return False
        if each.type in {"class_body", "class_definition"}:
            return True
    return False


def _key(tree: Tree, name: str, size: int) -> str:
    """What stands for a function among calls: its name, in Java with the number of its parameters."""
    return f"{name}/{size}" if tree.language.id == "java" else name


def _called(tree: Tree, node: tree_sitter.Node) -> set[str]:
    """The functions of this file that a function may call: by name, or as a member of its own object."""
    keys = set()
    for call in inside(node, shape_of(tree).calls):
        name = callee(call)
        own = next((name.removeprefix(word) for word in _OWN if name.startswith(word)), name)
        keys.add(_key(tree, own, len(arguments_of(call))))
    return keys


def recursion(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions that call themselves, directly or through others of the file."""
    graph: dict[str, set[str]] = {}
    for node in functions(tree):
        graph.setdefault(_key(tree, function_name(node), len(parameters_of(node))), set()).update(_called(tree, node))
    for node in functions(tree):
        key = _key(tree, function_name(node), len(parameters_of(node)))
        if key in _reachable(graph, key):
            yield node


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for called in graph.get(waiting.pop(), set()) - seen:
            seen.add(called)
            waiting.append(called)
    return seen


def long_functions(tree: Tree, limit: str) -> Iterator[tree_sitter.Node]:
    """Functions with more statements than a limit, those of their blocks counted too."""
    shape = shape_of(tree)
    for node in nodes_of(tree, shape.functions):
        body = node.child_by_field_name("body")
        held = [block for block in [body, *inside(body, shape.blocks)] if block is not None]
        if sum(len(statements_of(block)) for block in held) > int(limit):
            yield node


def loose_statements(tree: Tree, limit: str) -> Iterator[tree_sitter.Node]:
    """The statements at the top of a file, where there are more than a limit; imports and definitions are none."""
    plain = {"expression_statement", "lexical_declaration", "variable_declaration", "local_variable_declaration"}
    found = [
        child
        for child in tree.root.named_children
        if child.type in plain | {"if_statement"} | shape_of(tree).loops and not _is_definition(child)
    ]
    if len(found) > int(limit):
        yield from found


def runs_at_top(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Statements of Python at the top of a file that run something: calls, loops, `with`, and variables set by a function of the file."""
    own = {function_name(node) for node in free_functions(tree)}
    for child in tree.root.named_children:
        held = child.named_children[0] if child.type == "expression_statement" else child
        if held.type == "await":
            held = held.named_children[0]
        sets = held.type in {"assignment", "augmented_assignment"} and any(
            callee(call) in own for call in inside(held, shape_of(tree).calls)
        )
        if sets or held.type in {"call", "with_statement"} | shape_of(tree).loops:
            yield child


def _is_definition(node: tree_sitter.Node) -> bool:
    return "=>" in text_of(node) or "require(" in text_of(node) or text_of(node).startswith(('"', "'"))


def many_parameters(tree: Tree, limit: str) -> Iterator[tree_sitter.Node]:
    """Functions with more parameters than a limit."""
    return (node for node in nodes_of(tree, shape_of(tree).functions) if len(parameters_of(node)) > int(limit))


def several_returns(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions with more than one `return`; those of functions inside them are not theirs."""
    shape = shape_of(tree)
    for node in nodes_of(tree, shape.functions):
        own = [each for each in inside(node, shape.returns) if _home(each, shape.functions | shape.lambdas) == node.id]
        if len(own) > 1:
            yield node


def _home(node: tree_sitter.Node, types: frozenset[str]) -> int:
    return next((each.id for each in around(node) if each.type in types), -1)


def single_use_helpers(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions of a single `return` that are called in one place of the file, and not by themselves."""
    calls = [callee(call) for call in nodes_of(tree, shape_of(tree).calls)]
    plain = [next((name.removeprefix(word) for word in _OWN if name.startswith(word)), name) for name in calls]
    recursive = {node.id for node in recursion(tree)}
    for node in functions(tree):
        body = statements_of(node.child_by_field_name("body"))
        small = len(body) == 1 and (body[0].type == "return_statement" or node.type == "arrow_function")
        if small and node.id not in recursive and plain.count(function_name(node)) == 1:
            yield node


def unguarded(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions with parameters that neither raise an error of their own nor assert anything."""
    for node in functions(tree):
        if parameters_of(node) and all(map(_hands_on, inside(node, _RAISING | {"assert_statement"}))):
            yield node


_RAISING = frozenset({"raise_statement", "throw_statement"})


def raises(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Errors that a program raises; one that a handler caught and hands on is none of them."""
    return (node for node in nodes_of(tree, _RAISING) if not _hands_on(node))


def _hands_on(node: tree_sitter.Node) -> bool:
    """Whether a handler raises again what it caught: alone, or by the name of a variable."""
    if node.type not in _RAISING or not any(each.type in {"except_clause", "catch_clause"} for each in around(node)):
        return False
    held = node.named_children
    return not held or (held[0].type == "identifier" and text_of(held[0])[:1].islower())


def free_functions(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Functions at the top of a file, in no class."""
    types = shape_of(tree).functions
    return (
        node for node in functions(tree) if not any("class" in each.type or each.type in types for each in around(node))
    )
