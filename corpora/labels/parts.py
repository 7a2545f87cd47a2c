"""The parts of a text that are what a label says, whatever they use: conditions, bodies of ifs and loops, comments. Positions are bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import tree_sitter

from syntax.languages import Language
from syntax.parse import parse

PartKind: TypeAlias = Literal["if condition", "if body", "loop body", "comment"]
_STRINGS = frozenset({"string", "concatenated_string"})


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """A part of a text, and the line (from 0) on which it ends."""

    kind: PartKind
    start: int
    end: int
    last_line: int


@lru_cache(maxsize=4)
def parts_of(language: Language, text: str) -> Sequence[LabelledPart]:
    """All parts of a text, in the order in which they begin. The last few texts are kept: gaps of one program share them."""
    found: list[LabelledPart] = []
    stack = [parse(language, text).root]
    while stack:
        node = stack.pop()
        found.extend(_parts(language, node))
        stack.extend(node.named_children)
    return sorted(found, key=lambda part: part.start)


def _parts(language: Language, node: tree_sitter.Node) -> Iterator[LabelledPart]:
    name = node.type
    kind = language.kinds.get(name)
    if kind == "if":
        yield from _of_if(language, node)
    elif kind in {"for", "while"}:
        yield from _body(language, "loop body", node.child_by_field_name("body"))
    elif name.endswith("comment") or (name == "expression_statement" and _is_docstring(language, node)):
        yield _part("comment", node)


def _of_if(language: Language, node: tree_sitter.Node) -> Iterator[LabelledPart]:
    """The condition and the bodies of an if; an if in the place of an alternative has its own."""
    condition = node.child_by_field_name("condition")
    if condition is not None:
        yield _part("if condition", condition)
    yield from _body(language, "if body", node.child_by_field_name("consequence"))
    for other in node.children_by_field_name("alternative"):
        if other.child_by_field_name("condition") is not None and other.type not in language.kinds:  # `elif`
            yield from _of_if(language, other)
        elif other.type not in language.kinds:
            yield from _body(language, "if body", _of_else(language, other))


def _of_else(language: Language, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The body of an alternative; None where it is one more if."""
    if node.type in language.blocks or not node.type.startswith("else"):
        return node
    inside = node.child_by_field_name("body") or next(reversed(node.named_children), None)
    return None if inside is not None and language.kinds.get(inside.type) == "if" else inside


def _body(language: Language, kind: PartKind, node: tree_sitter.Node | None) -> Iterator[LabelledPart]:
    """What a body holds, without its braces and the comments at its ends; a lone statement is a body too."""
    if node is None:
        return
    inside = [child for child in node.named_children if not child.type.endswith("comment")]
    if node.type not in language.blocks:
        yield _part(kind, node)
    elif inside:
        first, last = inside[0], inside[-1]
        yield LabelledPart(kind, first.start_byte, last.end_byte, last.end_point.row)


def _part(kind: PartKind, node: tree_sitter.Node) -> LabelledPart:
    """A whole node; some grammars count the line end behind a comment to it."""
    last = node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)
    return LabelledPart(kind, node.start_byte, node.end_byte, last)


def _is_docstring(language: Language, node: tree_sitter.Node) -> bool:
    """Whether a statement of Python is nothing but a text."""
    return language.id == "python" and [child.type in _STRINGS for child in node.children] == [True]
