"""What must stand where a part of a text was taken out, so that the rest still parses. Indices are indices into `str`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from syntax.blocks import code_after, is_statement
from syntax.languages import Language
from syntax.parse import Tree, is_opaque, parse

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_TERMINATOR = re.compile(r"\s*;")
_TEXT_CLOSER = re.compile(r"""(?:\*/|\*\)|\"{3}|'{3}|["'`])$""")
_BLANK_BEFORE = re.compile(r"\s*$")


def patch(language: Language, text: str, start: int, end: int) -> str:
    """The least that must stand in place of a part of a text: an empty statement, and what closes what was open before.

    The empty statement stands where grammar demands one: in layout languages where a statement of the part began, in others
    where a statement without braces was the body of its construct.
    """
    tree = parse(language, text)
    if closer := _text_closer(tree, start, end):
        return closer
    filler = language.filler if _demands_statement(tree, start, end) else ""
    lead = text[start : start + len(text[start:end]) - len(text[start:end].lstrip())]
    return (lead + filler if filler else "") + _closing(tree, start, end)


def _text_closer(tree: Tree, start: int, end: int) -> str:
    """What closes a string or a comment that began before the part and ends in it; "" where there is none.

    Code behind it in the part stays away: what is left is text without an end, closed.
    """
    around = next((node for node in tree.nodes_over(start) if is_opaque(node)), None)
    if around is None or tree.index(around.end_byte) > end:
        return ""
    first, last = tree.span(around)
    closer = _TEXT_CLOSER.search(tree.text, first + 1, last)
    return closer[0] if closer and closer.start() >= start else ""


def surplus(language: Language, text: str, start: int, end: int) -> int:
    """How many brackets a part of a text closes that were opened before it."""
    return sum(node.type in _CLOSERS for node in _unmatched(parse(language, text), start, end))


def unclosed(language: Language, text: str) -> int:
    """How many brackets more a text opens than it closes, if any."""
    words = [node.type for node in parse(language, text).leaves() if not node.is_missing]
    return max(0, sum(word in _OPENERS for word in words) - sum(word in _CLOSERS for word in words))


def _demands_statement(tree: Tree, start: int, end: int) -> bool:
    """Whether the part begins with a whole statement whose place must not be empty."""
    at = code_after(tree, start)
    if at >= end or not tree.language.filler:
        return False
    begun = (node for node in tree.nodes() if tree.index(node.start_byte) == at and is_statement(tree, node))
    whole = [node for node in begun if tree.index(node.end_byte) <= end]
    return any(tree.language.layout or _is_lone_body(tree, node) for node in whole)


def _is_lone_body(tree: Tree, node: tree_sitter.Node) -> bool:
    holders = tree.language.blocks | tree.language.groups | {tree.root.type}
    return node.parent is not None and node.parent.type not in holders


def _closing(tree: Tree, start: int, end: int) -> str:
    """What closes, inside the part, brackets and blocks that were opened before it, with the white space before the first."""
    found = list(_unmatched(tree, start, end))
    if not found:
        return ""
    spans = [tree.span(node) for node in found]
    blank = _BLANK_BEFORE.search(tree.text, start, spans[0][0])
    terminator = _TERMINATOR.match(tree.text, spans[-1][1], end)
    words = "".join(tree.text[first:last] for first, last in spans)
    return (blank[0] if blank else "") + words + (terminator[0] if terminator else "")


def _unmatched(tree: Tree, start: int, end: int) -> Iterator[tree_sitter.Node]:
    depth = 0
    for node in tree.leaves(start, end):
        if tree.index(node.start_byte) < start or node.is_missing:
            continue
        if (node.type in _CLOSERS and not depth) or _ends_older(tree, node, start):
            yield node
        depth = max(0, depth + (node.type in _OPENERS) - (node.type in _CLOSERS))


def _ends_older(tree: Tree, node: tree_sitter.Node, start: int) -> bool:
    """Whether a token is the word that closes a construct which began before an index."""
    word = tree.language.closer
    return bool(word) and node.type == word and tree.index(_construct(tree, node).start_byte) < start


def _construct(tree: Tree, closer: tree_sitter.Node) -> tree_sitter.Node:
    """The construct that a closing word ends: the innermost node that holds the word and is no block."""
    node = closer.parent or closer
    while node.type in tree.language.blocks and node.parent is not None:
        node = node.parent
    return node
