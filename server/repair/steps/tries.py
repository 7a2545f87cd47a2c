"""The `try`s that are open at the cursor: without a clause they are none, though some grammars take them so."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from server.repair.draft import Draft, width

TRY_CLAUSES = frozenset({"except", "else", "finally"})
"""The words that begin a clause of a Python `try`."""
_NODES = frozenset({"except_clause", "except_group_clause", "catch_clause", "finally_clause"})
_LINE = re.compile(r"\n([ \t]*)([^\W\d]+|[^\s\w#])")


def open_tries(draft: Draft) -> Iterator[int]:
    """Where in the splice each `try` begins that is open at the cursor and has no clause above it, the innermost first."""
    tree = draft.tree()
    for node in _around(draft):
        if not any(tree.index(start) < len(draft.before) for start in _clauses(node)):
            yield tree.index(node.start_byte)


def has_clause_below(draft: Draft, column: int) -> bool:
    """Whether the first line below the cursor that is no deeper than a Python `try` is a clause of it."""
    for line in _LINE.finditer(draft.after):
        if (own := width(line[1])) <= column:
            return own == column and line[2] in TRY_CLAUSES
    return False


def lacks_clause(draft: Draft) -> bool:
    """Whether a `try` that was open at the cursor ends with the suggestion, and has no clause."""
    tree = draft.tree()
    bare = (node for node in _around(draft) if not any(_clauses(node)))
    return any(len(draft.before) < tree.index(node.end_byte) <= draft.end for node in bare)


def _around(draft: Draft) -> Iterator[tree_sitter.Node]:
    """The `try`s that hold the last code before the cursor, the innermost first."""
    tree = draft.tree()
    at = tree.byte(max(0, len(draft.code_before) - 1))
    node = tree.root.descendant_for_byte_range(at, at + 1)
    while node is not None:
        if node.type == "try_statement":
            yield node
        node = node.parent


def _clauses(node: tree_sitter.Node) -> Iterator[int]:
    """The first bytes of a `try`'s clauses but `else`, which is not enough."""
    return (child.start_byte for child in node.children if child.type in _NODES)
