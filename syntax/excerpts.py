"""Trees of texts that differ in one place: only the statements around that place are parsed.

A text that parsed without an error is kept as a *base*. Of a further text that differs from it in one place, an *excerpt* is parsed:
the text without most statements of the blocks around the change. Each block keeps its first and its last statement and one on each
side of the change, the *neighbours*. The tree of the excerpt stands in for that of the whole text if it has no error and the neighbours
came out as they are in the base: then a parser is in the same state behind them as it was in the base, and what follows is the same text.
Else the whole text is parsed. So a tree depends on its text alone, and not on the texts that were parsed before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import tree_sitter

from syntax.languages import Language
from syntax.parse import Tree
from syntax.text import common_prefix, common_suffix

_BASES = 4
_FRAMES = 4
_SMALL = 2000
"""Characters of a text that is parsed whole, because a parse of it costs no more than the search for its base."""
_WORTH = 2
"""A whole text has at least so many times the characters of an excerpt that is worth its while."""

_Gap: TypeAlias = tuple[int, int]
"""Start and end, in a base, of statements that an excerpt leaves out; both are starts of lines."""
_Chain: TypeAlias = tuple[int, ...]
"""The kinds of a node and of all that hold it, the innermost first."""


class Excerpt(Tree):
    """The tree of a text of which a part was parsed. Indices are those of the whole text.

    `gaps` are start and end of what was left out. When a question is about a place in there, the whole text is parsed after all.
    """

    def __init__(self, language: Language, text: str, part: str, gaps: Sequence[_Gap]) -> None:
        super().__init__(language, part)
        self.text = text
        self.gaps = gaps
        left_out = [0]
        for start, end in gaps:
            left_out.append(left_out[-1] + end - start)
        self._left_out = left_out
        self._at = [start - before for (start, _), before in zip(gaps, left_out, strict=False)]

    def index(self, byte: int) -> int:
        """The index in the text of a byte offset into the part."""
        at = super().index(byte)
        return at + self._left_out[bisect_right(self._at, at)]

    def byte(self, index: int) -> int:
        """The byte offset, in the part, of an index into the text."""
        before = 0
        for number, (start, end) in enumerate(self.gaps):
            if index < start:
                break
            if index < end:
                self._parse_whole()
                return super().byte(index)
            before = self._left_out[number + 1]
        return super().byte(index - before)

    def _parse_whole(self) -> None:
        super().__init__(self.language, self.text)
        self.gaps, self._left_out, self._at = (), [0], []


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """A statement beside the change: its bytes in the excerpt, counted from the start (left) or the end (right) of it."""

    start: int
    end: int
    chain: _Chain

    def stands(self, root: tree_sitter.Node, shift: int) -> bool:
        """Whether the tree of an excerpt has the same statement in the same place."""
        return _chain(root, self.start + shift, self.end + shift) == self.chain


def _chain(root: tree_sitter.Node, start: int, end: int) -> _Chain | None:
    """The kinds of the smallest node from one byte to another and of what holds it; None where no node begins and ends there."""
    node = root.descendant_for_byte_range(start, end)
    if node is None or node.start_byte != start or node.end_byte != end:
        return None
    kinds = []
    while node is not None:
        kinds.append(node.kind_id)
        node = node.parent
    return tuple(kinds)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all texts have in common that differ from a base between two neighbours.

    `head` and `tail` are the base's text up to and from the innermost neighbours on; `left` and `right` are the gaps in them. All
    neighbours are compared, also those of the outer blocks: with a gap behind it, a statement can take in the one behind the gap.
    """

    head: str
    tail: str
    head_part: str
    tail_part: str
    left: Sequence[_Gap]
    right: Sequence[_Gap]
    before: Sequence[_Neighbour]
    after: Sequence[_Neighbour]

    @property
    def size(self) -> int:
        """Characters of the base that are parsed with each text."""
        return len(self.head_part) + len(self.tail_part)

    def fits(self, text: str) -> bool:
        """Whether a text differs from the base between the neighbours only."""
        return len(text) >= len(self.head) + len(self.tail) and text.startswith(self.head) and text.endswith(self.tail)

    def excerpt(self, language: Language, text: str, length: int) -> Excerpt | None:
        """The tree of a text that fits, against a base of so many characters; None where it is not sure to be that of the whole text."""
        middle = text[len(self.head) : len(text) - len(self.tail)]
        shift = len(text) - length
        gaps = [*self.left, *((start + shift, end + shift) for start, end in self.right)]
        tree = Excerpt(language, text, self.head_part + middle + self.tail_part, gaps)
        if tree.root.has_error:
            return None
        stand = all(each.stands(tree.root, 0) for each in self.before)
        stand = stand and all(each.stands(tree.root, tree.size) for each in self.after)
        return tree if stand else None


class _Base:
    """A text that parsed without an error, and the frames that were of use in it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._frames: list[_Frame] = []

    def excerpt(self, text: str) -> Excerpt | None:
        """The tree of another text by an excerpt; None where that is not possible or not worth it."""
        language, length = self.tree.language, len(self.tree.text)
        frame = next((frame for frame in self._frames if frame.fits(text)), None)
        found = None if frame is None else frame.excerpt(language, text, length)
        if found is not None or (frame := self._frame(text)) is None:
            return found
        found = frame.excerpt(language, text, length)
        if found is not None:
            self._frames = [frame, *self._frames][:_FRAMES]
        return found

    def _frame(self, text: str) -> _Frame | None:
        """A frame around the place in which a text differs."""
        old = self.tree.text
        start = common_prefix(old, text)
        end = len(old) - common_suffix(old[start:], text[start:])
        if (len(text) - len(old) + end - start) * _WORTH > len(text) or (end - start) * _WORTH > len(text):
            return None
        frame = _frame(self.tree, start, end)
        return frame if frame.size * _WORTH <= len(text) and frame not in self._frames else None


def _frame(tree: Tree, start: int, end: int) -> _Frame:
    """The frame around a part of a base, as narrow as its statements allow."""
    text, head, tail = tree.text, 0, len(tree.text)
    left: list[_Gap] = []
    right: list[_Gap] = []
    before: list[tree_sitter.Node] = []
    after: list[tree_sitter.Node] = []
    for block in _blocks(tree, start, end):
        row = _Row(tree, block, start, end)
        left += row.gap_left()
        right = [*row.gap_right(), *right]
        if row.before is not None:
            before, head = [*before, row.before], tree.index(row.before.end_byte)
        if row.after is not None:
            after, tail = [*after, row.after], tree.index(row.after.start_byte)
    return _Frame(
        text[:head],
        text[tail:],
        _without(text, 0, head, left),
        _without(text, tail, len(text), right),
        tuple(left),
        tuple(right),
        tuple(_neighbour(tree, node, _size(_without(text, 0, tree.index(node.start_byte), left))) for node in before),
        tuple(
            _neighbour(tree, node, -_size(_without(text, tree.index(node.start_byte), len(text), right)))
            for node in after
        ),
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _neighbour(tree: Tree, node: tree_sitter.Node, start: int) -> _Neighbour:
    chain = _chain(tree.root, node.start_byte, node.end_byte)
    assert chain is not None
    return _Neighbour(start, start + node.end_byte - node.start_byte, chain)


def _without(text: str, start: int, end: int, gaps: Sequence[_Gap]) -> str:
    """A part of a text without the gaps that lie in it."""
    parts = []
    for first, last in gaps:
        if start <= first and last <= end:
            parts.append(text[start:first])
            start = last
    return "".join([*parts, text[start:end]])


def _blocks(tree: Tree, start: int, end: int) -> Iterator[tree_sitter.Node]:
    """The nodes that hold statements and a part of the text, the outermost first."""
    node = tree.root.descendant_for_byte_range(tree.byte(start), tree.byte(end))
    found = []
    while node is not None:
        if node.parent is None or node.type in tree.language.blocks:
            found.append(node)
        node = node.parent
    return reversed(found)


class _Row:
    """The statements of a block, with the neighbours of a part of the text: whole statements on lines of their own."""

    def __init__(self, tree: Tree, block: tree_sitter.Node, start: int, end: int) -> None:
        self._tree, self._nodes = tree, block.children
        low, high = tree.byte(start), tree.byte(end)
        self._left = sum(1 for node in self._nodes if node.end_byte < low)
        self._right = sum(1 for node in self._nodes if node.start_byte <= high)
        lefts = (at for at in reversed(range(self._left)) if self._may_bound(at))
        rights = (at for at in range(self._right, len(self._nodes)) if self._may_bound(at))
        self._before, self._after = next(lefts, None), next(rights, None)

    @property
    def before(self) -> tree_sitter.Node | None:
        """The neighbour before the part."""
        return None if self._before is None else self._nodes[self._before]

    @property
    def after(self) -> tree_sitter.Node | None:
        """The neighbour behind the part."""
        return None if self._after is None else self._nodes[self._after]

    def gap_left(self) -> Iterator[_Gap]:
        """What is left out between the first statement and the neighbour before the part."""
        if self._before is not None:
            first = next((at for at, node in enumerate(self._nodes) if _is_statement(node)), self._before)
            yield from self._gap(first + 1, self._before)

    def gap_right(self) -> Iterator[_Gap]:
        """What is left out between the neighbour behind the part and the last statement."""
        if self._after is not None:
            last = next(at for at in reversed(range(len(self._nodes))) if _is_statement(self._nodes[at]))
            yield from self._gap(self._after + 1, last)

    def _gap(self, first: int, last: int) -> Iterator[_Gap]:
        starts = (at for at in range(first, last) if self._begins_line(at))
        if (start := next(starts, None)) is not None and self._begins_line(last):
            yield self._line(start), self._line(last)

    def _may_bound(self, at: int) -> bool:
        return _is_statement(self._nodes[at]) and self._begins_line(at)

    def _line(self, at: int) -> int:
        return self._tree.text.rfind("\n", 0, self._tree.index(self._nodes[at].start_byte)) + 1

    def _begins_line(self, at: int) -> bool:
        """Whether a node is the first on its line."""
        start = self._tree.index(self._nodes[at].start_byte)
        return not self._tree.text[self._line(at) : start].strip(" \t") and (
            not at or self._tree.index(self._nodes[at - 1].end_byte) <= self._line(at)
        )


def _is_statement(node: tree_sitter.Node) -> bool:
    return node.is_named and not node.is_extra and node.end_byte > node.start_byte


class Excerpts:
    """Parses texts, by excerpts where it can. The last few bases are kept. Texts of up to `small` characters are parsed whole."""

    def __init__(self, small: int = _SMALL) -> None:
        self._small = small
        self._bases: list[_Base] = []

    def parse(self, language: Language, text: str) -> Tree:
        """The tree of a text: whole, or an excerpt that answers the same."""
        if len(text) <= self._small:
            return Tree(language, text)
        for base in self._bases:
            found = base.excerpt(text) if base.tree.language == language else None
            if found is not None:
                self._bases.sort(key=lambda each: each is not base)  # the one of use comes first
                return found
        tree = Tree(language, text)
        if not tree.root.has_error:
            self._bases = [_Base(tree), *self._bases][:_BASES]
        return tree

    def forget(self) -> None:
        """Let go of all bases."""
        self._bases.clear()
