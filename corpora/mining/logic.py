"""How much logic a piece of code has: what is trivial is no task (SimCopilot, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from syntax.languages import Language
from syntax.parse import Tree, parse

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
