"""Labels of a task, computed from its code: what the removed code uses and what it is, and how far from it lies what it refers to.

The words are those of the SimCopilot paper (Jiang et al. 2025, §3.1 and §4; docs/benchmarks.md, "Labels", has them with what is counted here).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import tree_sitter

from corpora.labels.names import ByteSpan, DefinedName, names_of
from corpora.labels.resolving import KnownUse, known_uses
from syntax.languages import Language
from syntax.parse import Tree, parse

Construct: TypeAlias = Literal[
    "local variable", "global variable", "function", "class", "library", "if condition", "if body", "loop body"
]
CONSTRUCTS: tuple[Construct, ...] = get_args(Construct)
_CALLS = frozenset({"call", "member call"})
_FAR = frozenset({"variable", "field", "function", "class", "type"})
"""Names whose definitions are of the project itself; how far away an import stands says nothing."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a task is like."""

    constructs: frozenset[Construct]
    """A task may have several, or none."""
    comment: int | None
    """Lines from the nearest comment above the gap (its last line) to the gap's first line; None where no comment stands above."""
    reference: int | None
    """Lines from the farthest definition above the gap that the removed code refers to, to where it refers to it; None where it refers to none."""


def labels_of(language: Language, before: str, truth: str, after: str, own: frozenset[str] = frozenset()) -> Labels:
    """The labels of the task whose removed code is `truth`, between what stands before and after it in the whole file.

    Example: of `a = 1`, a line below, and `print(a)`, which is removed, they are a local variable, no comment, and a reference 2 lines away.

    What the file imports from packages of these `own` names is no library.

    In languages whose names are not known here (`corpora.labels.grammars`) no task has a construct of what it uses, or a distance to a reference.
    """
    text = before + truth + after
    tree = parse(language, text)
    gap, line = _gap(tree, len(before), truth), before.count("\n")
    names = names_of(language, text, own)
    uses = [*known_uses(names, gap)] if names is not None else []
    constructs = frozenset({*_used(uses), *_generated(language, text, gap)})
    return Labels(constructs, _to_comment(language, text, tree.byte(len(before)), line), _to_reference(uses))


def _gap(tree: Tree, start: int, truth: str) -> ByteSpan:
    """The removed code without white space around it, in bytes; two equal ends where there is none."""
    first = start + len(truth) - len(truth.lstrip())
    return tree.byte(first), tree.byte(max(first, start + len(truth.rstrip())))


def _used(uses: list[KnownUse]) -> Iterator[Construct]:
    """The constructs of what the removed code uses."""
    for known in uses:
        kind = known.definition.kind
        if kind == "field":
            yield "global variable"
        elif kind == "variable":
            yield "global variable" if _is_global(known.definition, known) else "local variable"
        elif kind == "function" and known.use.role in _CALLS:
            yield "function"
        elif kind in {"class", "library"}:
            yield kind


def _is_global(definition: DefinedName, known: KnownUse) -> bool:
    """Whether a variable is one of the whole file that a function or a class uses: to the code at the top it is local."""
    return definition.scope.kind == "file" and known.use.scope.nearest("function", "class").kind != "file"


def _generated(language: Language, text: str, gap: ByteSpan) -> Iterator[Construct]:
    """The constructs of which a part stands in the gap."""
    for part in parts_of(language, text):
        if part.kind != "comment" and part.start < gap[1] and part.end > gap[0]:
            yield part.kind


def _to_comment(language: Language, text: str, start: int, line: int) -> int | None:
    above = (part for part in parts_of(language, text) if part.kind == "comment" and part.start < start)
    return min((max(0, line - part.last_line) for part in above), default=None)


def _to_reference(uses: list[KnownUse]) -> int | None:
    far = (known for known in uses if known.definition.kind in _FAR)
    return max((known.use.line - known.definition.line for known in far), default=None)


# The parts of a text that are what a label says, whatever they use: conditions, bodies of ifs and loops,
# comments. Positions are bytes.

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
