"""Branches: chains of ifs, what stands behind a return, how deep code is nested."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import (
    around,
    folded,
    folded_words,
    inside,
    is_comment,
    nearest,
    nodes_of,
    shape_of,
    statements_of,
    text_of,
)
from syntax.parse import Tree

_EQUAL = re.compile(r"(\w+)(===?|\.equals\()")
_LEAVING = frozenset(
    {"return_statement", "raise_statement", "throw_statement", "continue_statement", "break_statement"}
)
_TRUTHS = frozenset({"True", "False", "true", "false"})


def _is_first(node: tree_sitter.Node) -> bool:
    """Whether an if is not the `else if` of another."""
    parent = node.parent
    if parent is None or parent.type == "else_clause":
        return False
    return not (parent.type == "if_statement" and parent.child_by_field_name("alternative") == node)


def _chain(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """An if and its `else if`s: what has a condition and a consequence."""
    found, here = [], node
    while True:
        found.append(here)
        others = here.children_by_field_name("alternative")
        if any(other.type == "elif_clause" for other in others):
            return [*found, *(other for other in others if other.type == "elif_clause")]
        inner = [child for other in others for child in (other, *other.named_children) if child.type == "if_statement"]
        if not inner:
            return found
        here = inner[0]


def _chains(tree: Tree) -> Iterator[list[tree_sitter.Node]]:
    return (_chain(node) for node in nodes_of(tree, shape_of(tree).ifs) if _is_first(node))


def long_chains(tree: Tree, conditions: str) -> Iterator[tree_sitter.Node]:
    """Chains of if and else if with at least so many conditions."""
    return (chain[0] for chain in _chains(tree) if len(chain) >= int(conditions))


def equality_chains(tree: Tree, conditions: str) -> Iterator[tree_sitter.Node]:
    """Chains of at least so many conditions that compare one variable with literals; also ifs one below the other that return."""
    runs = [*_chains(tree), *_sequences(tree)]
    for chain in runs:
        subjects = [_subject(link) for link in chain]
        if len(chain) >= int(conditions) and subjects[0] and len(set(subjects)) == 1:
            yield chain[0]


def _subject(link: tree_sitter.Node) -> str:
    """The variable that a condition compares with something, "" where it does not."""
    condition = link.child_by_field_name("condition")
    while condition is not None and condition.type == "parenthesized_expression":
        condition = condition.named_children[0]
    found = _EQUAL.match(folded(condition))
    compares = condition is not None and (condition.type == "method_invocation" or _operator(condition) in _SAME)
    return found[1] if found and compares else ""


def _operator(node: tree_sitter.Node) -> str:
    """The operator of a plain comparison, or of another expression with two sides; "" for all else."""
    return node.children[1].type if len(node.children) == _SIDES_AND_OPERATOR else ""


_SAME = frozenset({"==", "==="})
_SIDES_AND_OPERATOR = 3


def _sequences(tree: Tree) -> Iterator[list[tree_sitter.Node]]:
    """Ifs without an else that leave, one directly below the other."""
    for block in nodes_of(tree, shape_of(tree).blocks):
        run: list[tree_sitter.Node] = []
        for statement in [*statements_of(block), None]:
            if (
                statement is not None
                and _leaves(statement)
                and _subject(statement) == _subject(run[0] if run else statement)
            ):
                run.append(statement)
                continue
            if len(run) > 1:
                yield run
            run = [statement] if statement is not None and _leaves(statement) else []


def _leaves(node: tree_sitter.Node) -> bool:
    """Whether a statement is an if without an else whose body leaves the function or the loop."""
    if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
        return False
    return _ends_leaving(node)


def _ends_leaving(link: tree_sitter.Node) -> bool:
    body = statements_of(link.child_by_field_name("consequence"))
    return bool(body) and body[-1].type in _LEAVING


def else_after_return(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Ifs with an else though all their other branches leave."""
    for chain in _chains(tree):
        ends = chain[0] if chain[-1].type == "elif_clause" else chain[-1]
        others = ends.children_by_field_name("alternative")
        if any(other.type != "elif_clause" for other in others) and all(_ends_leaving(link) for link in chain):
            yield chain[0]


def boolean_returns(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Ifs that return one truth value, where the other is returned in the else or in the next statement."""
    for node in nodes_of(tree, shape_of(tree).ifs):
        body = statements_of(node.child_by_field_name("consequence"))
        other = node.child_by_field_name("alternative")
        following = [] if other is None else statements_of(_else_body(other))
        if other is None:
            following = _next(node)
        if len(body) == 1 and following and {_returned(body[0]), _returned(following[0])} in _PAIRS:
            yield node


def _next(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The statement behind another, comments passed over; [] where none follows."""
    following = node.next_named_sibling
    while following is not None and is_comment(following):
        following = following.next_named_sibling
    return [] if following is None else [following]


_PAIRS = ({"True", "False"}, {"true", "false"})


def _else_body(other: tree_sitter.Node) -> tree_sitter.Node:
    if other.type != "else_clause":
        return other
    return other.child_by_field_name("body") or other.named_children[-1]


def _returned(node: tree_sitter.Node) -> str:
    text = text_of(node).removesuffix(";").split()
    return text[1] if len(text) == 2 and text[0] == "return" and text[1] in _TRUTHS else ""


_BODIES = {"if_statement": "consequence", "else_clause": "", "for_statement": "body", "while_statement": "body"}
_BODIES |= {"for_in_statement": "body", "enhanced_for_statement": "body"}


def unbraced(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Bodies of ifs, elses and loops that are a statement without braces (an `else if` is none)."""
    for node in nodes_of(tree, frozenset(_BODIES)):
        field = _BODIES[node.type]
        bodies: list[tree_sitter.Node | None] = (
            [node.child_by_field_name(field)] if field else [*node.named_children[-1:]]
        )
        if node.type == "if_statement" and tree.language.id == "java":
            bodies.append(node.child_by_field_name("alternative"))
        if any(body is not None and body.type not in {*_BRACED, "else_clause"} for body in bodies):
            yield node


_BRACED = frozenset({"block", "statement_block", "if_statement"})
_NESTING = frozenset(
    {
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "try_statement",
        "with_statement",
        "for_in_statement",
        "enhanced_for_statement",
        "switch_statement",
        "switch_expression",
        "match_statement",
    }
)


def deep_nesting(tree: Tree, limit: str) -> Iterator[tree_sitter.Node]:
    """Statements inside more ifs, loops and tries than a limit; an `else if` is no deeper than its if."""
    for node in nodes_of(tree, _NESTING):
        if _is_first(node) and 1 + _depth(tree, node) > int(limit):
            yield node


def _depth(tree: Tree, node: tree_sitter.Node) -> int:
    depth = 0
    for each in around(node):
        if each.type in shape_of(tree).functions:
            return depth
        depth += each.type in _NESTING and _is_first(each)
    return depth


_SWITCHES = frozenset({"switch_statement", "switch_expression", "match_statement"})
_CATCHING = re.compile(r"\(*(.+\|)?(?!(None|True|False)\W*$)[^\W\d]\w*( as \w+)?\)*")
"""A pattern of Python that matches everything: a name, alone or as the last of several."""


def switches_without_default(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Switches and matches that say nothing of other values; the labels of a switch inside another are its own."""
    for node in nodes_of(tree, _SWITCHES):
        labels = inside(node, frozenset({"switch_default", "switch_label", "case_clause"}))
        if not any(_is_default(label) for label in labels if nearest(label, _SWITCHES) == node):
            yield node


def _is_default(label: tree_sitter.Node) -> bool:
    """Whether a label stands for all other values."""
    if label.type != "case_clause":
        return any(text_of(child) == "default" for child in label.children)
    patterns = [child for child in label.named_children if child.type == "case_pattern"]
    guarded = label.child_by_field_name("guard") is not None
    return not guarded and len(patterns) == 1 and bool(_CATCHING.fullmatch(folded_words(patterns[0])))


_HANDLERS = frozenset({"except_clause", "except_group_clause", "catch_clause"})
_NOTHING = frozenset({"pass", "..."})


def empty_handlers(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Handlers of errors that do nothing; a comment is nothing, as are `pass` and `...`."""
    for node in nodes_of(tree, _HANDLERS):
        body = node.child_by_field_name("body") or node.named_children[-1]
        if all(text_of(statement) in _NOTHING for statement in statements_of(body)):
            yield node


def handlers_of(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Handlers of Python that name one of some errors, alone or among others, and those that name none."""
    for node in nodes_of(tree, _HANDLERS):
        caught = next(child for child in node.named_children if not is_comment(child))
        if caught.type == "as_pattern":
            caught = caught.named_children[0]
        held = caught.named_children if caught.type in {"tuple", "parenthesized_expression"} else [caught]
        if caught.type == "block" or any(text_of(each) in names for each in held):
            yield node
