"""Code that stands elsewhere already: blocks of at least three lines, which a person would paste and not type. Pure.

White space around a line does not count: editors indent what is pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

LEAST_LINES = 3
"""A block has at least so many lines in a row that are not blank."""
LEAST_CHARACTERS = 30
"""And at least so many characters beside white space: three closing braces are typed."""
_Block: TypeAlias = tuple[str, ...]
_LINE_END = re.compile(r"\r?\n")


def blocks(texts: Iterable[str]) -> set[_Block]:
    """All blocks of `LEAST_LINES` lines in the texts."""
    return {block for text in texts for _, _, block in _windows(text)}


def standing(wanted: set[_Block], texts: Iterable[str]) -> set[_Block]:
    """Those of the wanted blocks that stand in one of the texts; their first lines are looked for before anything else."""
    first = {block[0] for block in wanted}
    found: set[_Block] = set()
    for text in texts:
        if wanted and not first.isdisjoint(line.strip() for line in _LINE_END.split(text)):
            found |= {block for _, _, block in _windows(text) if block in wanted}
    return found


def pasted(text: str, known: set[_Block]) -> list[tuple[int, int]]:
    """Which parts of a text to be written (indices) stand elsewhere: whole lines, the last line end left out."""
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
    """Each run of `LEAST_LINES` lines that are not blank (blank ones may stand between): its place and its lines."""
    lines = [(start, end) for start, end in _spans(text) if text[start:end].strip()]
    for at in range(len(lines) - LEAST_LINES + 1):
        window = lines[at : at + LEAST_LINES]
        yield window[0][0], window[-1][1], tuple(text[start:end].strip() for start, end in window)


def _spans(text: str) -> Sequence[tuple[int, int]]:
    """Where each line begins and ends, its line end left out."""
    ends = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    return [(start, start + len(text[start:end].rstrip("\r\n"))) for start, end in pairwise(ends)]
