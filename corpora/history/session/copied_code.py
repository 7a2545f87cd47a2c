"""Copied code: blocks of at least three lines that are elsewhere already, so a person pastes them. Pure.

White space around a line does not count: editors indent pasted text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

LEAST_LINES = 3
"""Lines of a block that are not blank."""
LEAST_CHARACTERS = 30
"""The fewest characters of a pasted part, without white space: three closing braces are typed."""
_Block: TypeAlias = tuple[str, ...]
_LINE_END = re.compile(r"\r?\n")


def blocks(texts: Iterable[str]) -> set[_Block]:
    """All blocks of `LEAST_LINES` lines in the texts."""
    return {block for text in texts for _, _, block in _windows(text)}


def blocks_in(wanted: set[_Block], texts: Iterable[str]) -> set[_Block]:
    """Those of the wanted blocks that are in one of the texts; a text with none of their first lines is skipped."""
    first = {block[0] for block in wanted}
    found: set[_Block] = set()
    for text in texts:
        if wanted and not first.isdisjoint(line.strip() for line in _LINE_END.split(text)):
            found |= {block for _, _, block in _windows(text) if block in wanted}
    return found


def copied_parts(text: str, known: set[_Block]) -> list[tuple[int, int]]:
    """The parts of a text (indices) that consist of known blocks: whole lines, without the last line end."""
    merged: list[tuple[int, int]] = []
    for start, end, block in _windows(text):
        if block not in known:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return [part for part in merged if len("".join(text[slice(*part)].split())) >= LEAST_CHARACTERS]


def _windows(text: str) -> Iterator[tuple[int, int, _Block]]:
    """Each run of `LEAST_LINES` lines that are not blank (blank lines between them do not count): its range and its lines."""
    lines = [(start, end) for start, end in _spans(text) if text[start:end].strip()]
    for at in range(len(lines) - LEAST_LINES + 1):
        window = lines[at : at + LEAST_LINES]
        yield window[0][0], window[-1][1], tuple(text[start:end].strip() for start, end in window)


def _spans(text: str) -> Sequence[tuple[int, int]]:
    """The start and end of each line, without its line end."""
    ends = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    return [(start, start + len(text[start:end].rstrip("\r\n"))) for start, end in pairwise(ends)]
