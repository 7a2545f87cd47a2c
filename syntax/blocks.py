"""Blocks and statements: where what is being written began, and where it ends once it is finished.

Indices are indices into `str`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import tree_sitter

from syntax.languages import Language
from syntax.parse import Tree, descendants, parse
from syntax.wanted import Extent

Span: TypeAlias = tuple[int, int]
_HEADER = ("initializer", "init", "condition", "update", "increment")
"""Fields in which a header holds what looks like a statement."""
_CONTINUES = frozenset("=+-*/%&|^<>?:.,([!~") | {"=>", "&&", "||", "??", "+=", "-=", "and", "or", "not", "in", "return"}


@dataclass(frozen=True, slots=True)
class Block:
    """One construct of a finished text: its kind (function, if, for, while, try, statement) and its body's span.

    `header` is the index at which the construct itself begins.
    """

    kind: str
    header: int
    start: int
    end: int


def line_end(text: str, index: int) -> int:
    """The index of the end of the line that holds `index`, before its line end."""
    ends = [at for at in (text.find("\r", index), text.find("\n", index)) if at >= 0]
    return min(ends, default=len(text))


def statement_start(language: Language, before: str) -> int:
    """Where the innermost unfinished statement of a text begins that is cut off at the cursor.

    After a header (`:` or `{`) that is the header's own start. Where nothing is unfinished, the last line that holds
    text stands in, so that there is always something to recognise the place by.
    """
    tail, at = _Tail(parse(language, before)), 0
    while (right := tail.token(at)) is not None:
        left, at = tail.token(at + 1), at + 1
        if left is None or (_separates(language, left, right) and tail.at_statement(at)):
            return tail.tree.index(right.start_byte)
    return 0


class _Tail:
    """The tokens of a text that are not empty, counted and read from its end, as far as they are asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._rest = (node for node in tree.leaves_from_end() if node.end_byte > node.start_byte)
        self._read: list[tree_sitter.Node] = []
        self._ends: dict[int, bool] = {}

    def token(self, at: int) -> tree_sitter.Node | None:
        """The token at an index; None if there are fewer tokens."""
        while len(self._read) <= at:
            node = next(self._rest, None)
            if node is None:
                return None
            self._read.append(node)
        return self._read[at]

    def at_statement(self, at: int) -> bool:
        """Whether a statement can end behind a token. A bracket that is open there is looked for only once."""
        if at not in self._ends:
            nesting = _Nesting(self.tree.language)
            for behind in range(self._opener(at), at - 1, -1):
                nesting.pass_over(self._read[behind])
                self._ends[behind] = nesting.at_statement
        return self._ends[at]

    def _opener(self, at: int) -> int:
        """The innermost bracket that is open behind a token; the first token where none is."""
        depth = 0
        while (node := self.token(at)) is not None:
            word = _word(node)
            if word in {"(", "[", "{", "${"}:
                if not depth:
                    return at
                depth -= 1
            depth += word in {")", "]", "}"}
            at += 1
        return at - 1


class _Nesting:
    """The brackets that are open after the tokens passed over so far."""

    def __init__(self, language: Language) -> None:
        self._quiet = "([{" if language.layout else "(["
        self._open: list[str] = []

    @property
    def at_statement(self) -> bool:
        """Whether a statement can end here: not inside parentheses."""
        return not self._open or self._open[-1] not in self._quiet

    def pass_over(self, node: tree_sitter.Node) -> None:
        """Update the state with one token."""
        word = _word(node)
        if word in {"(", "[", "{", "${"}:
            self._open.append(word[-1])
        elif word in {")", "]", "}"} and self._open:
            self._open.pop()


def closing(language: Language, text: str, index: int) -> int | None:
    """Where the bracket stands that closes what is open at an index; None where nothing is, or nothing closes it."""
    tree, depth = parse(language, text), 0
    for node in tree.leaves(index):
        at, word = tree.index(node.start_byte), _word(node)
        if at < index or node.end_byte == node.start_byte:
            continue
        if word in {")", "]", "}"}:
            if not depth:
                return at
            depth -= 1
        depth += word in {"(", "[", "{", "${"}
    return None


def _word(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _separates(language: Language, left: tree_sitter.Node, right: tree_sitter.Node) -> bool:
    """Whether a statement ends between two neighbouring tokens (a `{` that only the cursor follows belongs to it)."""
    word = _word(left)
    if left.type.endswith("comment"):
        return True
    if not language.layout and word in {";", "{", "}"}:
        return True
    if left.end_point.row == right.start_point.row:
        return False
    if _word(right)[:1] in ".?)]":
        return False
    return word not in _CONTINUES or (language.layout and word == ":")


def extent(language: Language, text: str, index: int, kind: Extent) -> int:
    """The end, in a finished text, of the line, innermost statement or innermost block at `index`.

    A block or a statement counts when it holds the index or when only white space and comments lie between the index and its
    start. Where there is no block the statement stands in, and where there is no statement the line. Inside a comment, the
    comment ends.
    """
    return line_end(text, index) if kind == "line" else extent_in(parse(language, text), index, kind)


def extent_in(tree: Tree, index: int, kind: Extent) -> int:
    """The same (`extent`) in a text that is parsed already."""
    if kind == "line":
        return line_end(tree.text, index)
    comment = _comment_at(tree, index)
    if comment is not None and comment[0] < index:
        return comment[1]
    found = _innermost(tree, index, blocks if kind == "block" else statements)
    if found is not None:
        return found[1]
    return extent_in(tree, index, "statement" if kind == "block" else "line")


def code_after(tree: Tree, index: int) -> int:
    """The index of the first token at or after an index that is no comment."""
    while True:
        index += len(tree.text[index:]) - len(tree.text[index:].lstrip())
        comment = _comment_at(tree, index)
        if comment is None:
            return index
        index = max(comment[1], index + 1)


def _comment_at(tree: Tree, index: int) -> Span | None:
    """The span of the comment that holds an index."""
    if index >= len(tree.text):
        return None
    byte = tree.byte(index)
    node = tree.root.descendant_for_byte_range(byte, byte + 1)
    while node is not None and not node.type.endswith("comment"):
        node = node.parent if node.parent is not None and node.parent.type.endswith("comment") else None
    while node is not None and node.parent is not None and node.parent.type.endswith("comment"):
        node = node.parent
    return None if node is None else code_span(tree, node)


def _innermost(
    tree: Tree, index: int, kind: Callable[[Tree, Iterable[tree_sitter.Node]], Iterator[Span]]
) -> Span | None:
    code = code_after(tree, index)
    holding = [span for span in kind(tree, _around(tree, index, code)) if _holds(tree, span, index, code)]
    return max(holding, key=lambda span: (span[0], -span[1]), default=None)


def _around(tree: Tree, index: int, code: int) -> Iterator[tree_sitter.Node]:
    """The nodes that reach to or over a piece of the text; all where words close blocks, as those stand behind their nodes."""
    low, high = tree.byte(index), tree.byte(code)
    stack = [tree.root]
    while stack:
        node = stack.pop()
        if tree.language.closer or (node.end_byte >= low and node.start_byte <= high):
            yield node
            stack.extend(reversed(node.children))


def _holds(tree: Tree, span: Span, index: int, code: int) -> bool:
    start, end = span
    if start <= index:
        return index < end or (index == end and tree.language.layout)
    return start <= code


def blocks(tree: Tree, nodes: Iterable[tree_sitter.Node]) -> Iterator[Span]:
    """Start and end of every block among some nodes, with what closes it."""
    for node in nodes:
        if _holds_statements(tree, node) and node.end_byte > node.start_byte:
            yield from block_span(tree, node)


def _holds_statements(tree: Tree, node: tree_sitter.Node) -> bool:
    """Whether a node is a block, or a construct that holds statements between its own words."""
    row = tree.language
    return node.type in row.blocks or (node.type in row.groups and node.type in row.kinds)


def block_span(tree: Tree, node: tree_sitter.Node) -> Iterator[Span]:
    """The span of a block. Where words open and close blocks, it goes from its first statement to before the next clause."""
    if not tree.language.closer:
        yield code_span(tree, node)
        return
    inside = statements_inside(tree, node)
    if inside:
        ends_with_clause = any(
            child.type in tree.language.clauses | tree.language.blocks for child in node.named_children
        )
        _, end = code_span(tree, inside[-1] if ends_with_clause else node)
        is_closed = not ends_with_clause and node.children[-1].type in {tree.language.closer, "}"}
        yield tree.index(inside[0].start_byte), end if is_closed else _behind_closer(tree, end)


def _behind_closer(tree: Tree, end: int) -> int:
    """The end of a block that a word or a brace behind its node closes, and itself where none does."""
    closer = re.compile(rf"\s*(?:{tree.language.closer}\b|}})").match(tree.text, end)
    return closer.end() if closer else end


def statements_inside(tree: Tree, node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The statements of a block: what it holds but comments and clauses."""
    row = tree.language
    skipped = row.clauses | (row.blocks if row.closer else frozenset())
    return [child for child in node.named_children if not child.type.endswith("comment") and child.type not in skipped]


def statements(tree: Tree, nodes: Iterable[tree_sitter.Node]) -> Iterator[Span]:
    """Start and end of every statement among some nodes."""
    return (code_span(tree, node) for node in nodes if is_statement(tree, node))


def unfinished(tree: Tree, start: int, end: int) -> Iterator[Span]:
    """Start and end of what begins in a part of a text and goes on behind it, the outer before the inner.

    A block without a bracket of its own does not count: it begins with its first statement, and is no more than its statements.
    """
    for node in tree.nodes_over(end):
        first, last = code_span(tree, node)
        if (
            node.parent
            and start <= first < end < last
            and (node.type not in tree.language.blocks or _has_bracket(tree, node))
        ):
            yield first, last


def _has_bracket(tree: Tree, block: tree_sitter.Node) -> bool:
    return not tree.language.layout and tree.text[tree.span(block)[0]] == "{"


def code_span(tree: Tree, node: tree_sitter.Node) -> Span:
    """Start and end of a node, without the line end that some grammars count to it."""
    start, end = tree.span(node)
    return start, start + len(tree.text[start:end].rstrip()) if tree.text[end - 1 : end].isspace() else end


def is_statement(tree: Tree, node: tree_sitter.Node) -> bool:
    """Whether a node is a statement or stands where one does."""
    row, parent = tree.language, node.parent
    if not node.is_named or parent is None or node.type.endswith(("comment", "_list")):
        return False
    if node.type in row.blocks or node.type in row.clauses:
        return False
    inside = parent.type in row.blocks or parent.id == tree.root.id or _is_in_group(tree, parent, node)
    return inside or (node.type.endswith("_statement") and not _is_in_header(parent, node))


def _is_in_header(parent: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    """Whether a node is a part of the header of a loop or a condition, as in `for i := 0; i < n; i++ {`."""
    parts = (parent.child_by_field_name(field) for field in _HEADER)
    return any(part is not None and part.id == node.id for part in parts)


def _is_in_group(tree: Tree, group: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    """Whether a node is a statement of a group: behind its label, if it has one."""
    if group.type not in tree.language.groups:
        return False
    label = next((child for child in group.children if child.type == ":"), None)
    return label is None or node.start_byte > label.start_byte


def constructs(language: Language, text: str) -> Iterator[Block]:
    """Every function, if, for, while, try and simple statement of a finished text, in its order."""
    tree = parse(language, text)
    for node in tree.nodes():
        kind = language.kinds.get(node.type)
        if kind is not None:
            yield from _bodies(tree, node, kind)
        elif is_simple(tree, node):
            start, end = code_span(tree, node)
            yield Block("statement", start, start, end)


def _bodies(tree: Tree, node: tree_sitter.Node, kind: str) -> Iterator[Block]:
    """The blocks that belong to a construct itself: bodies, consequences, handlers, alternatives."""
    for body in own_blocks(tree, node):
        inside = statements_inside(tree, body)
        for _, end in block_span(tree, body) if inside else ():
            yield Block(kind, tree.span(node)[0], tree.span(inside[0])[0], end)


def own_blocks(tree: Tree, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The blocks that belong to a construct itself, not to one inside them."""
    if node.type in tree.language.groups:
        yield node
    for child in node.named_children:
        if child.type in tree.language.blocks:
            yield child
        elif child.type in tree.language.clauses or child.type.endswith(("_clause", "body")):
            yield from own_blocks(tree, child)


def is_simple(tree: Tree, node: tree_sitter.Node) -> bool:
    """Whether a node is a statement that holds no others."""
    if not is_statement(tree, node):
        return False
    holders = tree.language.blocks | tree.language.groups
    return all(below.type not in holders for below in descendants(node))
