"""How a text is laid out: its lines, spaces, quotes and semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import around, is_comment, nodes_of, shape_of, text_of
from syntax.parse import Tree, is_opaque

_ASSIGNS = frozenset(
    {
        "assignment",
        "augmented_assignment",
        "variable_declarator",
        "assignment_expression",
        "augmented_assignment_expression",
        "comparison_operator",
        "binary_expression",
        "binary_operator",
    }
)
_UNENDED = frozenset(
    {
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "return_statement",
        "break_statement",
        "continue_statement",
        "throw_statement",
    }
)


def _text_lines(tree: Tree) -> set[int]:
    """The lines (from 0) that begin inside a string or a comment."""
    found = (node for node in tree.leaves() if is_opaque(node))
    return {row for node in found for row in range(node.start_point.row + 1, node.end_point.row + 1)}


def long_lines(tree: Tree, limit: str) -> Iterator[int]:
    """Lines with more characters than a limit."""
    return (row for row, line in enumerate(tree.text.splitlines()) if len(line) > int(limit))


def trailing_space(tree: Tree) -> Iterator[int]:
    """Lines that end with white space."""
    return (row for row, line in enumerate(tree.text.splitlines()) if line != line.rstrip())


def tabs(tree: Tree) -> Iterator[int]:
    """Lines that are indented with tabs."""
    kept = _text_lines(tree)
    lines = enumerate(tree.text.splitlines())
    return (row for row, line in lines if row not in kept and "\t" in line[: len(line) - len(line.lstrip())])


def several_statements(tree: Tree) -> Iterator[int]:
    """Statements that begin on the line on which the one before them ends, or on the line of their header."""
    for block in nodes_of(tree, shape_of(tree).blocks):
        ended = _header_row(block)
        for child in block.named_children:
            if child.start_point.row == ended and not is_comment(child) and child.end_byte > child.start_byte:
                yield child.start_point.row
            ended = child.end_point.row if not is_comment(child) else ended


def _header_row(block: tree_sitter.Node) -> int:
    """The line of what a block belongs to; a block between braces on one line is what it is (`() => { go(); }`)."""
    first = block.children[0] if block.children else block
    if first.type == "{" or block.parent is None or "switch" in block.type:
        return -1
    return block.parent.start_point.row


def quotes(tree: Tree, unwanted: str) -> Iterator[int]:
    """Strings in the other quotes (`single` or `double`) that hold none of the wanted ones; not docstrings, templates, and strings inside f-strings."""
    mark, other = ("'", '"') if unwanted == "single" else ('"', "'")
    for node in nodes_of(tree, frozenset({"string"})):
        text = text_of(node).lstrip("rbfuRBFU")
        if any(each.type == "interpolation" for each in around(node)):
            continue
        if text.startswith(mark) and not text.startswith(mark * 3) and other not in text:
            yield node.start_point.row


def missing_semicolons(tree: Tree) -> Iterator[int]:
    """Statements of JavaScript that should end with a semicolon and do not."""
    for node in nodes_of(tree, _UNENDED):
        in_header = node.parent is not None and node.parent.type in {"for_statement", "for_in_statement"}
        if not in_header and not text_of(node).endswith(";"):
            yield node.end_point.row


def mixed_format(tree: Tree) -> Iterator[int]:
    """The lines in the style that is rarer in a text: spaces around an operator or none, tabs or spaces, double quotes or single ones."""
    for one, other in (_spacing(tree), _indents(tree), _quoting(tree)):
        if one and other:
            yield from min(one, other, key=len)


def _spacing(tree: Tree) -> tuple[list[int], list[int]]:
    """Lines of operators with white space on both sides, and of those that lack it on one."""
    spaced: list[int] = []
    tight: list[int] = []
    for node in nodes_of(tree, _ASSIGNS):
        for token in node.children[1:-1]:
            if not token.is_named and not token.type.isalpha() and token.type not in {"not in", "is not", ":"}:
                around = tree.text[tree.index(token.start_byte) - 1] + tree.text[tree.index(token.end_byte)]
                (spaced if around.isspace() else tight).append(token.start_point.row)
    return spaced, tight


def _indents(tree: Tree) -> tuple[list[int], list[int]]:
    kept = _text_lines(tree)
    lines = [(row, line) for row, line in enumerate(tree.text.splitlines()) if row not in kept and line.strip()]
    return [row for row, line in lines if line.startswith("\t")], [row for row, line in lines if line.startswith("  ")]


def _quoting(tree: Tree) -> tuple[list[int], list[int]]:
    """Lines of strings in double and in single quotes; in Java single quotes are no strings."""
    if tree.language.id == "java":
        return [], []
    return list(quotes(tree, "double")), list(quotes(tree, "single"))


_DEFINITIONS = frozenset(
    {
        "function_definition",
        "class_definition",
        "decorated_definition",
        "method_declaration",
        "function_declaration",
        "class_declaration",
        "method_definition",
    }
)
_TOP = frozenset({"module", "program"})


def crowded_definitions(tree: Tree, blank: str) -> Iterator[int]:
    """Definitions with fewer blank lines before them than wanted: that many at the top of a file, one in a class."""
    lines = tree.text.splitlines()
    for node in nodes_of(tree, _DEFINITIONS):
        if node.parent is None or node.parent.type == "decorated_definition" or node.prev_named_sibling is None:
            continue
        wanted = int(blank) if node.parent.type in _TOP else 1
        if node.parent.type in _TOP | {"class_body"} or _in_class(node):
            first = _first_row(node)
            if first > 0 and any(line.strip() for line in lines[max(0, first - wanted) : first]):
                yield node.start_point.row


def _in_class(node: tree_sitter.Node) -> bool:
    holder = node.parent.parent if node.parent is not None else None
    return holder is not None and holder.type == "class_definition"


def _first_row(node: tree_sitter.Node) -> int:
    """The line on which the comments directly above a definition begin, or the definition."""
    row, above = node.start_point.row, node.prev_sibling
    while above is not None and is_comment(above) and above.end_point.row >= row - 1:
        row, above = above.start_point.row, above.prev_sibling
    return row


def matching(tree: Tree, pattern: str) -> Iterator[int]:
    """Lines in which a regular expression matches."""
    found = re.compile(pattern)
    return (row for row, line in enumerate(tree.text.splitlines()) if found.search(line))
