"""Where a key stands in a TOML file, for messages: parsers of TOML give values without their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


def line_of(text: str, path: Sequence[str]) -> int:
    """The line (from 1) at which a key stands, or else the innermost table or key around it; 0 if there is none.

    `seed = 4` in the third line, below `[options]`: 3 for `("options", "seed")`. `-` and `_` count as the same.
    """
    wanted, found, depth = [_folded(part) for part in path], 0, 0
    for number, place in _places(text):
        if len(place) > depth and place == wanted[: len(place)]:
            found, depth = number, len(place)
    return found


def _places(text: str) -> Iterator[tuple[int, list[str]]]:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            yield number, table
        elif key := _KEY.match(line):
            yield number, table + _parts(key[1])


def _parts(dotted: str) -> list[str]:
    return [_folded("".join(part)) for part in _PART.findall(dotted)]


def _folded(key: str) -> str:
    return key.replace("_", "-")
