"""Pieces of text, and how they are cut: at the start of a line if possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

_A_LINE = 3
"""Characters before each line of a piece where it is shown as a comment."""
_A_PIECE = 16
"""Characters around a piece and its path, whatever the form: a comment's mark, a fence, or a family's word for a file."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of another place; `line` is its first line in its file, from 0."""

    path: str
    text: str
    line: int = field(default=0, compare=False)


def unix(text: str) -> str:
    """The text with a line feed for every line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def tail(text: str, size: int) -> str:
    """The end of a text, `size` characters at most. While text is added, its start moves in steps of half the size."""
    return text[tail_start(text, size) :]


def tail_start(text: str, size: int) -> int:
    """The index at which `tail` begins."""
    if len(text) <= size:
        return 0
    step = max(size // 2, 1)
    start = -(-(len(text) - size) // step) * step
    line = start if text[start - 1] == "\n" else text.find("\n", start) + 1
    return line if 0 < line < len(text) - step // 2 else start


def head(text: str, size: int) -> str:
    """The start of a text, `size` characters at most."""
    if len(text) <= size:
        return text
    return text[: text.rfind("\n", 0, size) + 1] or text[:size]


def cost(path: str, text: str) -> int:
    r"""The most characters that a piece takes in a prompt: its path, its lines, and the marks around them.

    `cost("a.py", "x\ny")` is 4 + 16 + 3 + 3 · 2 = 29.
    """
    return len(path) + _A_PIECE + len(text) + _A_LINE * (text.count("\n") + 1)


def fitting(snippets: Iterable[Snippet], size: int) -> tuple[Snippet, ...]:
    """The first snippets that fit into `size` characters of a prompt; the last one may be cut after its first line or later."""
    kept: list[Snippet] = []
    for snippet in snippets:
        text = _first_lines(snippet.text, size - cost(snippet.path, ""))
        if text is None:
            break
        kept.append(snippet if text == snippet.text else replace(snippet, text=text))
        size -= cost(snippet.path, text)
    return tuple(kept)


def _first_lines(text: str, size: int) -> str | None:
    """The text, or those of its first lines that take no more than `size` characters, marks and line ends included."""
    if len(text) + _A_LINE * text.count("\n") <= size:
        return text
    end, size = -1, size + 1 + _A_LINE  # nothing goes before the first of them
    while (after := text.find("\n", end + 1)) >= 0 and (size := size - (after - end) - _A_LINE) >= 0:
        end = after
    return text[:end] if end > 0 else None
