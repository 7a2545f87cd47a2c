"""Where code can be taken out of a file so that a whole thing is missing: Algorithm 1 of SimCopilot's paper.

Every function, loop and branch is a construct, at any depth, and what is nested in it stays whole. *Infilling*: its body, or its condition, with the code before
and behind it. *Completion*: its body, or the body from a loop or a branch in the midst of it, up to the end of the construct; what stands below is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

import tree_sitter

from corpora.mined.corpus_file import GapKind, MinedCategory
from syntax.bodies import ConstructBody, bodies, conditions
from syntax.gaps import patch
from syntax.languages import Language
from syntax.parse import Tree, parse

NAMES: Mapping[str, str] = MappingProxyType({"function": "function", "if": "if", "for": "loop", "while": "loop"})
"""The constructs of Algorithm 1, by the kinds of the syntax."""
_CONSTANTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"python": ("False", "True"), "java": ('!"".isEmpty()', '"".isEmpty()')}
)  # in Java no loop on a constant may stand before other statements
_FAILS: Mapping[str, str] = MappingProxyType(
    {
        "java": "throw new UnsupportedOperationException();",
        "csharp": "throw new System.NotSupportedException();",
        "go": 'panic("emptied")',
        "rust": "unimplemented!()",
    }
)
"""What stands in the place of a body that must return something, where the compiler would refuse an empty one: else nothing would be said of the tests."""
_BEGINS = frozenset({"if", "for", "while"})
_DELEGATES = 2
"""A function of one statement must have so much logic (`corpora.mining.gaps`); with less it hands something on."""


@dataclass(frozen=True, slots=True)
class CodeGap:
    """A part of a text that can be taken out. `start` and `end` are indices into the text, `emptied` what stands there when it is.

    `reason` says why it is no task; empty if it can be one.
    """

    kind: GapKind
    category: MinedCategory
    start: int
    end: int
    emptied: str
    reason: str = ""


def gaps(language: Language, text: str) -> Iterator[CodeGap]:
    """Every gap of a text, each once, in its order: those of an outer construct before those inside it."""
    found: dict[tuple[str, int, int], CodeGap] = {}
    for gap in (*_of_bodies(language, text), *_of_conditions(language, text)):
        found.setdefault((gap.category, gap.start, gap.end), gap)
    yield from sorted(found.values(), key=lambda gap: (gap.start, -gap.end, gap.category != "infilling"))


def constant(language: str, *, holds: bool) -> str:
    """The condition that always holds, or never, in a language (LSP identifier)."""
    return _CONSTANTS.get(language, ("false", "true"))[holds]


def _of_bodies(language: Language, text: str) -> Iterator[CodeGap]:
    for body in bodies(language, text):
        name = NAMES.get(body.kind)
        if name is None:
            continue
        reason = _trivial_body(language, text, body)
        kind = cast("GapKind", f"{name}-body")
        for category, end in (("infilling", body.inner), ("completion", body.end)):
            least = _least(language, text, body, (body.start, end))
            yield CodeGap(kind, cast("MinedCategory", category), body.start, end, least, reason)
        yield from _rests(language, text, body, cast("GapKind", f"rest-of-{name}"))


def _rests(language: Language, text: str, body: ConstructBody, kind: GapKind) -> Iterator[CodeGap]:
    """From each loop and each branch in the midst of a body to the end of that."""
    for statement, (start, _) in body.statements[1:]:
        if statement in _BEGINS:
            yield CodeGap(kind, "completion", start, body.end, _least(language, text, body, (start, body.end)))


def _least(language: Language, text: str, body: ConstructBody, gap: tuple[int, int]) -> str:
    """The least that grammar and compiler demand in the place of a body, or of a part of it to its end."""
    return (_FAILS.get(language.id, "") if body.returns else "") + patch(language, text, *gap)


def _of_conditions(language: Language, text: str) -> Iterator[CodeGap]:
    for found in conditions(language, text):
        reason = "" if logic(language, text, found.start, found.end) else "trivial"
        kind = cast("GapKind", f"{NAMES[found.kind]}-condition")
        yield CodeGap(kind, "infilling", found.start, found.end, constant(language.id, holds=False), reason)


def _trivial_body(language: Language, text: str, body: ConstructBody) -> str:
    """`trivial` for a body without control flow, calls and operators, for a stub, and for a function of one statement that only hands something on."""
    start, end = body.start, body.inner
    much = logic(language, text, start, end)
    lone = len(body.statements) == 1 and not body.statements[0][0]
    short = much < _DELEGATES if body.kind == "function" and lone else not much
    return "trivial" if short or (lone and is_stub(language, text, start, end)) else ""


# How much logic a piece of code has: what is trivial is no task (SimCopilot, section 3.1).

_OPERATORS = frozenset({"binary_operator", "boolean_operator", "comparison_operator", "binary_expression", "binary"})
_FLOW = frozenset(
    {
        "generator_expression",
        "conditional_expression",
        "ternary_expression",
        "conditional",
        "switch_statement",
        "switch_expression",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
        "match_statement",
        "match_expression",
        "case",
    }
)
"""Control flow beside the functions, branches, loops and `try` of a language; and everything whose name ends with `_comprehension`."""
_RAISES = frozenset({"raise_statement", "throw_statement", "macro_invocation"})
_STUBS = ("notimplemented", "not implemented", "unimplemented", "todo")


def logic(language: Language, text: str, start: int, end: int) -> int:
    """How many calls, operators (arithmetic, comparisons, `and`) and pieces of control flow lie in a part of a text.

    Example: `return len(self.rows)` has 1, `return sum(a * b for a, b in rows)` 3.
    """
    tree = parse(language, text)
    counted = language.calls | _OPERATORS | _FLOW | frozenset(language.kinds)
    return sum(node.type in counted or node.type.endswith("_comprehension") for node in _inside(tree, start, end))


def is_stub(language: Language, text: str, start: int, end: int) -> bool:
    """Whether a part of a text only says that something is not implemented yet."""
    tree = parse(language, text)
    raises = any(node.type in _RAISES for node in _inside(tree, start, end))
    return raises and any(word in text[start:end].casefold() for word in _STUBS)


def _inside(tree: Tree, start: int, end: int) -> Iterator[tree_sitter.Node]:
    """The named nodes that lie in a part of a text."""
    first, last, stack = tree.byte(start), tree.byte(end), [tree.root]
    while stack:
        node = stack.pop()
        if node.end_byte <= first or node.start_byte >= last:
            continue
        if node.is_named and node.start_byte >= first and node.end_byte <= last:
            yield node
        stack.extend(node.children)
