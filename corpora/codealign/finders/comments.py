"""Comments: where they are missing, too many, in the wrong place, or hold code."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import inside, is_comment, nodes_of, shape_of, statements_of, text_of
from syntax.parse import Tree, has_error

_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_MARKS = re.compile(r"^(#+!?|//+|/\*+|\*+/?)|\*/$")
_CODE = {
    "python": re.compile(
        r"^(\w[\w.\[\]]*\s*[-+*/]?=[^=]|\w[\w.]*\(.*\)$|(if|for|while|def|elif|else|return|import|from|print|assert)\b.*[:)\w]$)"
    ),
    "java": re.compile(r".*(;|\{|\})$"),
    "javascript": re.compile(r".*(;|\{|\})$|^\w[\w.]*\(.*\)$|^(const|let|var|return)\s"),
}
_PROSE = re.compile(r"^(if|for|while|from|import|else|assert)\b(?!.*[=(\[:])")


def _comments_of(tree: Tree) -> list[tree_sitter.Node]:
    """The comments of a text; not the line that names an interpreter."""
    return [node for node in nodes_of(tree, _COMMENTS) if not text_of(node).startswith("#!")]


def _words(node: tree_sitter.Node) -> str:
    """What a comment says."""
    return _MARKS.sub("", text_of(node).strip()).strip()


def _is_doc(node: tree_sitter.Node) -> bool:
    return text_of(node).startswith("/**")


def commented_code(tree: Tree) -> Iterator[int]:
    """Comments of one line that hold code: they look like a statement, and parse as one."""
    looks = _CODE[tree.language.id]
    for node in _comments_of(tree):
        words = _words(node)
        if not _is_doc(node) and looks.match(words) and not _PROSE.match(words) and _parses(tree, words):
            yield node.start_point.row


def _parses(tree: Tree, words: str) -> bool:
    """Whether words are code, with what opens a block completed."""
    ends = {"{": "}", ":": " pass"}
    text = words + ends.get(words[-1:], "")
    return words == "}" or not has_error(tree.language, text)


def trailing_comments(tree: Tree) -> Iterator[int]:
    """Comments that stand behind code on its line."""
    lines = tree.text.splitlines()
    for node in _comments_of(tree):
        start = tree.index(node.start_byte)
        before = tree.text[tree.text.rfind("\n", 0, start) + 1 : start]
        if before.strip() and lines:
            yield node.start_point.row


def many_comments(tree: Tree, lines: str) -> Iterator[int]:
    """The comments of a text that has more than one for so many lines of code; comments of documentation count as none."""
    found = [node for node in _comments_of(tree) if not _is_doc(node)]
    code = [line for line in tree.text.splitlines() if line.strip() and not _MARKS.match(line.strip())]
    if len(found) * int(lines) > len(code):
        yield from (node.start_point.row for node in found)


def uncommented(tree: Tree, statements: str) -> Iterator[int]:
    """Functions of at least so many statements with no comment inside them."""
    shape = shape_of(tree)
    for node in nodes_of(tree, shape.functions):
        body = node.child_by_field_name("body")
        size = sum(len(statements_of(block)) for block in [body, *inside(body, shape.blocks)] if block is not None)
        if size >= int(statements) and not any(True for _ in inside(node, _COMMENTS)):
            yield node.start_point.row


def undocumented(tree: Tree) -> Iterator[int]:
    """Functions with a name that have no docstring (Python) and no `/** … */` above them (Java, JavaScript); not those inside functions."""
    shape = shape_of(tree)
    for node in nodes_of(tree, shape.functions):
        if (
            not any(each for each in _holding(node, shape.functions))
            and _has_name(node)
            and not _documented(tree, node)
        ):
            yield node.start_point.row


def _holding(node: tree_sitter.Node, types: frozenset[str]) -> Iterator[tree_sitter.Node]:
    parent = node.parent
    while parent is not None:
        if parent.type in types:
            yield parent
        parent = parent.parent


def _has_name(node: tree_sitter.Node) -> bool:
    bound = node.parent is not None and node.parent.type in {"variable_declarator", "assignment_expression"}
    return node.child_by_field_name("name") is not None or bound


def _documented(tree: Tree, node: tree_sitter.Node) -> bool:
    if tree.language.id == "python":
        body = node.child_by_field_name("body")
        first = next(iter(statements_of(body)), None)
        return first is not None and first.type == "expression_statement" and first.children[0].type == "string"
    top = node
    while top.parent is not None and top.parent.type in _WRAPPERS:
        top = top.parent
    above = top.prev_sibling
    return above is not None and is_comment(above) and _is_doc(above)


_WRAPPERS = frozenset(
    {
        "variable_declarator",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "assignment_expression",
        "expression_statement",
    }
)
