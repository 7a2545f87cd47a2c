"""Unified patches as jsdiff's `createTwoFilesPatch` writes them: lines end at LF alone, a CR belongs to its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines, each with its LF, before and after the patch; `at` is their line number, from 0."""

    at: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def hunks(patch: str) -> tuple[Hunk, ...]:
    """The hunks of a patch of one file; other lines are skipped."""
    return tuple(_hunks(patch.split("\n")))


def created(patch: str | None) -> str | None:
    """The text of a file that a patch creates; None if the patch changes an older text."""
    made = hunks(patch or "")
    return None if any(hunk.old for hunk in made) else "".join(line for hunk in made for line in hunk.new)


def patched(text: str, patch: Sequence[Hunk], *, whole: bool = True) -> str | None:
    """The text after a patch, applied exactly at its line numbers; None if it does not fit there.

    If the end of the text is unknown (`whole` is false), hunks after the known part are left out.
    """
    lines = _lines(text)
    for hunk in reversed(patch):
        if not whole and hunk.at + len(hunk.old) > len(lines):
            continue
        if tuple(lines[hunk.at : hunk.at + len(hunk.old)]) != hunk.old:
            return None
        lines[hunk.at : hunk.at + len(hunk.old)] = hunk.new
    return "".join(lines)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [*(part + "\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    number = 0
    while number < len(lines):
        head = _HUNK.match(lines[number])
        number += 1
        if head is None:
            continue
        start, wanted, new_wanted = int(head[1]), int(head[2] or 1), int(head[4] or 1)
        old, new, number = _body(lines, number, wanted, new_wanted)
        yield Hunk(start - 1 if wanted else start, tuple(old), tuple(new))


def _body(lines: Sequence[str], number: int, wanted: int, new_wanted: int) -> tuple[list[str], list[str], int]:
    old: list[str] = []
    new: list[str] = []
    while number < len(lines):
        kind, line = lines[number][:1], lines[number][1:] + "\n"
        if kind == "\\":
            _unended(lines[number - 1][:1], old, new)
        elif len(old) >= wanted and len(new) >= new_wanted:
            break
        else:
            old += [line] if kind in {" ", "-"} else []
            new += [line] if kind in {" ", "+"} else []
        number += 1
    return old, new, number


def _unended(kind: str, old: list[str], new: list[str]) -> None:
    """Remove the LF of the line before: it is the last line of the file, and has none."""
    for lines, kinds in ((old, " -"), (new, " +")):
        if kind in kinds and lines:
            lines[-1] = lines[-1].removesuffix("\n")
