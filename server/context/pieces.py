"""Pieces of text, and how they are cut: always at the start of a line, if there is one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of another place, which begins at the 0-based `line` of its file."""

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


def fitting(snippets: Iterable[Snippet], size: int) -> tuple[Snippet, ...]:
    """As many snippets as `size` characters hold; the last one may be cut, but not in its first line."""
    kept: list[Snippet] = []
    for snippet in snippets:
        text = (
            snippet.text if len(snippet.text) <= size else snippet.text[: snippet.text.rfind("\n", 0, max(size, 0)) + 1]
        )
        if not text:
            break
        kept.append(snippet if text == snippet.text else replace(snippet, text=text.removesuffix("\n")))
        size -= len(text)
    return tuple(kept)
