"""Labels of a task, computed from its code: what the removed code uses and what it is, and how far from it lies what it refers to.

The words are those of the SimCopilot paper (Jiang et al. 2025, §3.1 and §4; docs/benchmarks.md, "Labels", has them with what is counted here).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from corpora.labels.names import ByteSpan, DefinedName, names_of
from corpora.labels.parts import parts_of
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
