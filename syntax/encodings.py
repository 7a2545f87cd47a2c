"""The ways in which editors count the characters of a line (LSP 3.17, "PositionEncodingKind").

Texts and tapes count UTF-16 code units; here a number of bytes (UTF-8) or code points (UTF-32) becomes one, and back.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from syntax.text import index_of, length

PositionEncoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]


def to_utf16(line: str, character: int, encoding: PositionEncoding) -> int:
    """A character of a line, counted in an encoding, in UTF-16 code units; inside a character it is that character's beginning.

    `to_utf16("aä😀b", 7, "utf-8")` is 4: one byte, two and four are `aä😀`. Past the line's end it is the end.
    """
    if encoding == "utf-16":
        return min(character, length(line))
    if encoding == "utf-32":
        return length(line[:character])
    content = line.encode("utf-8", "surrogatepass")
    end = min(character, len(content))
    while end < len(content) and content[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return length(content[:end].decode("utf-8", "surrogatepass"))


def from_utf16(line: str, character: int, encoding: PositionEncoding) -> int:
    """The inverse of `to_utf16`."""
    if encoding == "utf-16":
        return character
    before = line[: index_of(line, character)]
    return len(before) if encoding == "utf-32" else len(before.encode("utf-8", "surrogatepass"))
