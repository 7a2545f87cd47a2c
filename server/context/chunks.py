"""Files cut into pieces that mean something by themselves: functions with what stands right above them, and the code between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import tree_sitter

from server.context.pieces import unix
from syntax.languages import Language, language_of, parser_of
from syntax.parse import descendants

LONGEST_LINES = 60
SHORTEST_LINES = 2
_LARGEST = 200_000
"""Characters; a text beyond that is written by a program and is not parsed."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_COMMON = frozenset(
    _WORD.findall(
        "abstract and assert async await bool boolean break byte case catch char class const continue def default del delete "
        "double elif else end enum except export extends false final finally float for foreach from func function global "
        "implements import impl int interface internal lambda let long match mod module mut namespace new nil none None "
        "nonlocal not null override package pass private protected pub public raise readonly return sealed self short static "
        "str string String struct super switch template this throw throws trait true True False try type typeof undefined "
        "unless unsigned until use using var virtual void when where while with yield"
    )
)
"""Words of the languages themselves: that two pieces share them says nothing."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file: its text without the last line end, the 0-based line it starts on, and its identifiers."""

    text: str
    line: int
    words: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """The identifiers of a text, without the words of the languages."""
    return frozenset(_WORD.findall(text)) - _COMMON


@lru_cache(maxsize=1024)
def chunks(path: str, text: str) -> tuple[Chunk, ...]:
    """The pieces of a file in their order; its language is told by its path. Files without functions are cut by lines."""
    if len(text) > _LARGEST:
        return ()
    text = unix(text)
    lines = text.split("\n")
    language = language_of(path)
    starts = sorted(_starts(language, _root(language, text), lines)) if language else []
    return tuple(
        Chunk(piece, line, words_of(piece)) for line, piece in _pieces(lines, [0, *starts, len(lines)]) if piece
    )


@lru_cache(maxsize=128)
def outline(path: str, text: str) -> str:
    """The lines that declare the functions and classes of a file, for one who wants to use them."""
    language = language_of(path)
    if language is None or len(text) > _LARGEST:
        return ""
    text = unix(text)
    lines = text.split("\n")
    rows = sorted({node.start_point.row for node in descendants(_root(language, text)) if _declares(language, node)})
    return "\n".join(lines[row].rstrip() for row in rows)


def _root(language: Language, text: str) -> tree_sitter.Node:
    """The tree of a text, by a parser of its own: files of the workspace are read in a thread."""
    parser = tree_sitter.Parser(parser_of(language).language)
    return parser.parse(text.encode("utf-8", "surrogatepass")).root_node


def _declares(language: Language, node: tree_sitter.Node) -> bool:
    return node.type in language.named or (language.kinds.get(node.type) == "function" and _has_name(node))


def _has_name(node: tree_sitter.Node) -> bool:
    return node.child_by_field_name("name") is not None or node.child_by_field_name("declarator") is not None


def _starts(language: Language, root: tree_sitter.Node, lines: list[str]) -> Iterator[int]:
    """The lines on which a function or class begins, with what belongs to it above, and those behind its end."""
    for node in _definitions(language, root):
        yield _first_line(node.start_point.row, lines)
        end = node.end_point
        yield end.row if end.column == 0 else end.row + 1


def _definitions(language: Language, root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The functions and classes that have a name, without what is inside of functions."""
    stack = [root]
    while stack:
        node = stack.pop()
        is_function = language.kinds.get(node.type) == "function" and _has_name(node)
        if is_function or node.type in language.named:
            yield node
        if not is_function:
            stack.extend(reversed(node.children))


def _first_line(row: int, lines: list[str]) -> int:
    """Where decorators, annotations and comments begin that stand right above a line, at its own indentation."""
    margin = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    while row > 0 and lines[row - 1].startswith(
        (f"{margin}@", f"{margin}#", f"{margin}//", f"{margin}/*", f"{margin} *")
    ):
        row -= 1
    return row


def _pieces(lines: list[str], starts: list[int]) -> Iterator[tuple[int, str]]:
    """The text from each start to the next, in parts of `LONGEST_LINES` at most, without blank lines around it."""
    for start, end in pairwise(starts):
        for first in range(start, end, LONGEST_LINES):
            part = lines[first : min(end, first + LONGEST_LINES)]
            while part and not part[0].strip():
                first, part = first + 1, part[1:]  # noqa: PLW2901 - the part begins further down
            while part and not part[-1].strip():
                part = part[:-1]
            if len(part) >= SHORTEST_LINES:
                yield first, "\n".join(part)
