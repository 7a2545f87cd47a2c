"""Syntax trees over `str`: tree-sitter counts bytes, we count characters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

import tree_sitter

from syntax.languages import Language, parser_of


class Tree:
    """A parsed text. Nodes are tree-sitter's; `span` gives their indices in the text. `size` counts the bytes that were parsed."""

    def __init__(self, language: Language, text: str) -> None:
        self.language, self.text = language, text
        data = text.encode("utf-8", "surrogatepass")
        self.root, self.size = parser_of(language).parse(data).root_node, len(data)
        self._wide = None if text.isascii() else _Wide(text)

    def index(self, byte: int) -> int:
        """The index in the text of a byte offset."""
        return byte if self._wide is None else self._wide.index(byte)

    def byte(self, index: int) -> int:
        """The byte offset of an index into the text."""
        return index if self._wide is None else self._wide.byte(index)

    def span(self, node: tree_sitter.Node) -> tuple[int, int]:
        """Start and end of a node, as indices into the text."""
        return self.index(node.start_byte), self.index(node.end_byte)

    def nodes(self) -> Iterator[tree_sitter.Node]:
        """Every node, parents before children, in the order of the text."""
        return descendants(self.root)

    def nodes_over(self, index: int) -> Iterator[tree_sitter.Node]:
        """The nodes that begin before an index and end behind it, parents first."""
        byte, level = self.byte(index), [self.root]
        while level:
            level = [node for node in level if node.start_byte < byte < node.end_byte]
            yield from level
            level = [child for node in level for child in node.children]

    def leaves(self, start: int = 0, end: int | None = None) -> Iterator[tree_sitter.Node]:
        """The tokens in order that reach to or over an index and begin before another; a string or a comment counts as one."""
        first = self.byte(start)
        for node in _pruned(self.root, first):
            if end is not None and self.index(node.start_byte) >= end:
                return
            yield node

    def leaves_from_end(self) -> Iterator[tree_sitter.Node]:
        """All tokens, the last first."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            children = node.children
            if not children or is_opaque(node):
                yield node
            else:
                stack.extend(children)


class _Wide:
    """The characters of a text that take more than one byte: only they part indices from byte offsets, and they are few."""

    def __init__(self, text: str) -> None:
        found = [match.start() for match in _WIDE.finditer(text)]
        self._size = len(text)
        self._indices = found
        self._widths = [_width(text[at]) for at in found]
        self._more = [0, *accumulate(width - 1 for width in self._widths)]
        self._bytes = [at + more for at, more in zip(found, self._more, strict=False)]

    def index(self, byte: int) -> int:
        """The index of the character that holds a byte; the end of the text for what lies beyond it."""
        last = bisect_right(self._bytes, byte) - 1
        if last < 0:
            return min(byte, self._size)
        if byte < self._bytes[last] + self._widths[last]:
            return self._indices[last]
        return min(byte - self._more[last + 1], self._size)

    def byte(self, index: int) -> int:
        """The first byte of a character."""
        return index + self._more[bisect_left(self._indices, index)]


_WIDE = re.compile(r"[^\x00-\x7f]")


def _width(char: str) -> int:
    return 1 if char < "\x80" else 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


def descendants(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """A node and all below it, parents first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))


def is_opaque(node: tree_sitter.Node) -> bool:
    """Whether what stands inside is text and not code."""
    kind = node.type
    return kind in _OPAQUE or kind.endswith("comment")


_OPAQUE = frozenset(
    {
        "string",
        "string_literal",
        "raw_string_literal",
        "interpreted_string_literal",
        "char_literal",
        "character_literal",
        "rune_literal",
        "regex",
        "template_string",
        "verbatim_string_literal",
        "interpolated_string_expression",
        "concatenated_string",
        "heredoc_body",
    }
)


def _pruned(root: tree_sitter.Node, first: int) -> Iterator[tree_sitter.Node]:
    """The tokens that do not end before a byte."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte < first:
            continue
        children = node.children
        if not children or is_opaque(node):
            yield node
        else:
            stack.extend(reversed(children))


@lru_cache(maxsize=64)
def parse(language: Language, text: str) -> Tree:
    """Parse a text; never fails, errors are nodes in the tree. The last few trees are kept."""
    return Tree(language, text)


def has_error(language: Language, text: str) -> bool:
    """Whether a text does not parse."""
    return parser_of(language).parse(text.encode("utf-8", "surrogatepass")).root_node.has_error
