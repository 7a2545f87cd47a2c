"""Bodies and conditions of the functions, branches and loops of a finished text. Indices are indices into `str`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from syntax.blocks import Span, block_span, code_span, own_blocks, statements_inside
from syntax.languages import Language
from syntax.parse import Tree, parse

_CLAUSES = frozenset({"elif_clause", "elsif"})
"""Further branches of an `if` that have a condition of their own and are no construct of their own."""
_RESULTS = ("return_type", "returns", "result", "type")
"""The fields in which grammars have the type of what a function returns."""
_STRING = frozenset({"string", "concatenated_string"})


@dataclass(frozen=True, slots=True)
class ConstructBody:
    """The body of a function, a branch or a loop, or a block of a `try`.

    `kind` is that of the construct (function, if, for, while, try), `header` where the construct begins. `statements` are the statements of the body,
    each with its kind (empty: a simple one), without comments, and without what only documents a function. The body goes from the first of them to
    `inner`; `end` is behind the bracket or the word that closes it. `returns` says that the header names a type of what a function returns, and it is not `void`.
    """

    kind: str
    header: int
    statements: tuple[tuple[str, Span], ...]
    inner: int
    end: int
    returns: bool = False

    @property
    def start(self) -> int:
        """Where the first statement begins."""
        return self.statements[0][1][0]


@dataclass(frozen=True, slots=True)
class ConstructCondition:
    """The condition of a branch (kind `if`) or of a loop (kind `while`), without the parentheses around it."""

    kind: str
    start: int
    end: int


def bodies(language: Language, text: str) -> Iterator[ConstructBody]:
    """Every body that holds a statement, in the order of the text, the outer before the inner."""
    tree = parse(language, text)
    for node in tree.nodes():
        if (kind := language.kinds.get(node.type)) is not None:
            yield from _bodies_of(tree, node, kind)


def conditions(language: Language, text: str) -> Iterator[ConstructCondition]:
    """Every condition of an `if`, an `elif` and a `while`, in the order of the text."""
    tree = parse(language, text)
    for node in tree.nodes():
        kind = "if" if node.type in _CLAUSES else language.kinds.get(node.type)
        found = node.child_by_field_name("condition") if kind in {"if", "while"} else None
        if kind and found is not None:
            start, end = code_span(tree, _bare(found))
            if start < end:
                yield ConstructCondition(kind, start, end)


def _bodies_of(tree: Tree, node: tree_sitter.Node, kind: str) -> Iterator[ConstructBody]:
    for block in own_blocks(tree, node):
        inside = _documented(tree, kind, _ungrouped(tree, statements_inside(tree, block)))
        for _, end in block_span(tree, block) if inside else ():
            statements = tuple((_kind(tree.language, each), code_span(tree, each)) for each in inside)
            first = statements[0][1][0]
            returns = kind == "function" and _returns(tree, node)
            yield ConstructBody(kind, tree.span(node)[0], statements, _inner(tree, block, first, end), end, returns)


def _returns(tree: Tree, function: tree_sitter.Node) -> bool:
    found = (function.child_by_field_name(field) for field in _RESULTS)
    said = next((node for node in found if node is not None), None)
    return said is not None and tree.text[slice(*tree.span(said))] not in {"void", "()"}


def _documented(tree: Tree, kind: str, inside: list[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """The statements of a body without the string with which a Python function says what it does."""
    if kind == "function" and tree.language.id == "python" and inside and _is_string(inside[0]):
        return inside[1:]
    return inside


def _ungrouped(tree: Tree, inside: list[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """The statements of a body; Go's grammar has a list of them inside its block."""
    lists = len(inside) == 1 and inside[0].type in tree.language.groups and inside[0].type not in tree.language.kinds
    return [each for each in inside[0].named_children if not each.type.endswith("comment")] if lists else inside


def _is_string(statement: tree_sitter.Node) -> bool:
    return statement.type == "expression_statement" and all(one.type in _STRING for one in statement.named_children)


def _kind(language: Language, statement: tree_sitter.Node) -> str:
    """The kind of a statement; Rust's `if` stands in a statement of its own, as an expression."""
    inner = statement.named_children[0] if len(statement.named_children) == 1 else statement
    return language.kinds.get(statement.type) or language.kinds.get(inner.type, "")


def _inner(tree: Tree, block: tree_sitter.Node, start: int, end: int) -> int:
    """The end of a body before the bracket or the word that closes it; where none does, as before an `else`, the end of its last statement."""
    last = tree.root.descendant_for_byte_range(tree.byte(end) - 1, tree.byte(end))
    closes = last is not None and last.type in {"}", tree.language.closer} and _is_part(last, block)
    return start + len(tree.text[start : tree.span(last)[0]].rstrip()) if last is not None and closes else end


def _is_part(token: tree_sitter.Node, block: tree_sitter.Node) -> bool:
    """Whether a token belongs to a block or to a construct around it, and not to something inside."""
    around: tree_sitter.Node | None = block
    while around is not None and token.parent is not None and around.id != token.parent.id:
        around = around.parent
    return around is not None


def _bare(condition: tree_sitter.Node) -> tree_sitter.Node:
    """What is inside the parentheses of a condition; all of it where there are none, or more than one part. What C++ declares before a condition is none of it."""
    if condition.type == "condition_clause":
        return condition.child_by_field_name("value") or condition
    inside = [child for child in condition.named_children if not child.type.endswith("comment")]
    wrapped = condition.type == "parenthesized_expression"
    return inside[0] if wrapped and len(inside) == 1 else condition
