"""What must stand where a part of a text was taken out, so that the rest still parses. Indices are indices into `str`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import tree_sitter

from syntax.blocks import Span, code_after, code_span, is_simple, is_statement
from syntax.languages import Language
from syntax.parse import Tree, descendants, has_error, is_opaque, parse

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_TERMINATOR = re.compile(r"\s*;")
_TEXT_CLOSER = re.compile(r"""(?:\*/|\*\)|\"{3}|'{3}|["'`])$""")
_NOTHING = {"python": "None", "ruby": "nil", "go": "nil", "cpp": "0", "c": "0", "rust": "()"}
"""The expression that says nothing, by language; elsewhere `null`."""
_BLANK_BEFORE = re.compile(r"\s*$")


def without(language: Language, text: str, start: int, end: int) -> str:
    """A text without a part of it, but with the least that must stand there (`patch`).

    Where a statement would be cut off outside of its brackets, or half a word or something that does not parse would be left, the whole statement goes, or the whole comment: what
    is missing must be noticed by what it does, and half an expression fails every test. Example: without `g(x)` of `y = g(x)` there is no `y = ` either, and without `2` of `f(1, 2)` there is
    `f(1, )`. A statement with a body that goes on behind the part stays, with nothing (`None`, `null`) in the place of the part, if that parses.
    """
    tree = parse(language, text)
    word = _word_start(tree, start)
    least = _patched(tree, start, end)
    whole = _whole_around(tree, start)
    if whole is None:
        return least
    first, last = code_span(tree, whole)
    single = not is_statement(tree, whole) or not _holds_statements(tree, whole)
    if word == start and not (single and _is_balanced(tree, first, start)) and not _breaks(tree, least):
        return least
    nothing = f"{text[:word]} {_NOTHING.get(language.id, 'null')} {text[end:]}"
    if not single and last > end and not _breaks(tree, nothing):
        return nothing
    return _patched(tree, first, max(last, end))


def _patched(tree: Tree, start: int, end: int) -> str:
    return tree.text[:start] + patch(tree.language, tree.text, start, end) + tree.text[end:]


def _word_start(tree: Tree, index: int) -> int:
    """Where the word begins that an index cuts through; the index itself where it cuts through none. Strings and comments have no words."""
    spans = (tree.span(node) for node in tree.nodes_over(index) if not node.child_count and not is_opaque(node))
    return next((first for first, last in spans if tree.text[first:last].isidentifier()), index)


def _breaks(tree: Tree, changed: str) -> bool:
    """Whether a changed text does not parse though the first does. Python's own parser is asked too: the grammar reads `a =` as a part of the next line."""
    if has_error(tree.language, changed):
        return not tree.root.has_error
    return tree.language.id == "python" and not _is_python(changed) and _is_python(tree.text)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _whole_around(tree: Tree, index: int) -> tree_sitter.Node | None:
    """The comment or the innermost statement that an index cuts through."""
    over = reversed([*tree.nodes_over(index)])
    return next((node for node in over if node.type.endswith("comment") or is_statement(tree, node)), None)


def _holds_statements(tree: Tree, node: tree_sitter.Node) -> bool:
    """Whether a statement has a body: a block, or a lone statement."""
    below = (other for other in descendants(node) if other.id != node.id)
    return not is_simple(tree, node) or any(is_statement(tree, other) for other in below)


def _is_balanced(tree: Tree, start: int, end: int) -> bool:
    """Whether every bracket that is opened between two indices is closed there; a string or a comment that is cut through counts as a bracket."""
    nodes = [node for node in tree.leaves(start, end) if tree.index(node.start_byte) >= start]
    words = Counter(node.type for node in nodes)
    return not any(tree.index(node.end_byte) > end for node in nodes) and all(
        words[one] == words[other] for one, other in zip("([{", ")]}", strict=True)
    )


def patch(language: Language, text: str, start: int, end: int) -> str:
    """The least that must stand in place of a part of a text: an empty statement, and what closes what was open before.

    The empty statement stands where grammar demands one: in layout languages where a statement of the part began, in others
    where a statement without braces was the body of its construct.
    """
    tree = parse(language, text)
    if (closer := _text_closer(tree, start, end)) and (around := _opaque_around(tree, start)):
        return closer + _closing(tree, around[1], end)
    filler = language.filler if _demands_statement(tree, start, end) else ""
    lead = text[start : start + len(text[start:end]) - len(text[start:end].lstrip())]
    return (lead + filler if filler else "") + _closing(tree, start, end)


def _text_closer(tree: Tree, start: int, end: int) -> str:
    """What closes a string or a comment that began before the part and ends in it; "" where there is none.

    Of the code behind it in the part only the closers stay.
    """
    around = _opaque_around(tree, start)
    if around is None or around[1] > end:
        return ""
    closer = _TEXT_CLOSER.search(tree.text, around[0] + 1, around[1])
    return closer[0] if closer and closer.start() >= start else ""


def _opaque_around(tree: Tree, index: int) -> Span | None:
    """The string or comment around an index."""
    return next((tree.span(node) for node in tree.nodes_over(index) if is_opaque(node)), None)


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
