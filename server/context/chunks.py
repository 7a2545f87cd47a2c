"""Cuts files into pieces: functions with their decorators and comments, and the code between them."""

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
"""The largest text in characters that is parsed; larger ones are usually generated."""
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
"""Keywords, which do not show that two pieces are similar."""


@dataclass(frozen=True, slots=True)
class CodeChunk:
    """A piece of a file: its text without the last line end, its first line (from 0), and its identifiers."""

    text: str
    line: int
    words: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """The identifiers of a text, without the words of the languages."""
    return frozenset(_WORD.findall(text)) - _COMMON


@lru_cache(maxsize=1024)
def chunks(path: str, text: str) -> tuple[CodeChunk, ...]:
    """The pieces of a file in their order. The path determines the language. Files without functions are cut by lines."""
    if len(text) > _LARGEST:
        return ()
    text = unix(text)
    lines = text.split("\n")
    language = language_of(path)
    starts = sorted(_starts(language, _root(language, text), lines)) if language else []
    return tuple(
        CodeChunk(piece, line, words_of(piece)) for line, piece in _pieces(lines, [0, *starts, len(lines)]) if piece
    )


@lru_cache(maxsize=128)
def outline(path: str, text: str) -> str:
    """The lines that declare the functions and classes of a file."""
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
    """The first line of each function or class with its decorators and comments, and the line after its end."""
    for node in _definitions(language, root):
        yield _first_line(node.start_point.row, lines)
        end = node.end_point
        yield end.row if end.column == 0 else end.row + 1


def _definitions(language: Language, root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The named functions and classes, except those inside functions."""
    stack = [root]
    while stack:
        node = stack.pop()
        is_function = language.kinds.get(node.type) == "function" and _has_name(node)
        if is_function or node.type in language.named:
            yield node
        if not is_function:
            stack.extend(reversed(node.children))


def _first_line(row: int, lines: list[str]) -> int:
    """The first line of the decorators, annotations and comments directly above a line, with its indentation."""
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
