"""An edit suggestion as a small difference, for people."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from replay.records import DocumentChange
from syntax.text import splice

_AROUND = 1
"""The lines around a change that are shown."""
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LINE_ENDS = "@@ only line ends differ @@"
RowKind: TypeAlias = Literal["path", "place", "line"]


def shown_edits(texts: Mapping[str, str], changes: Sequence[DocumentChange]) -> str:
    """The changes in the form of `diff -u`; empty if they change nothing.

    Raises:
        OffsetError: a change lies outside of its document, or overlaps another.

    """
    return "\n".join(
        line for path in sorted({one.path for one in changes}) for line in _difference(path, texts[path], changes)
    )


def rows_of(shown: str) -> Iterator[tuple[RowKind, str, int]]:
    """The rows of such a text: what each is, its text (of a path, the path), and of a line its number in the document at the moment.

    A line that is put in has the number of the line above it.
    """
    number, left = 0, [0, 0]
    for row in shown.split("\n"):
        if any(left):
            old, new = not row.startswith("+"), not row.startswith("-")
            left = [left[0] - old, left[1] - new]
            number += old
            yield "line", row, number
        elif hunk := _HUNK.match(row):
            left = [int(hunk[2] or 1), int(hunk[3] or 1)]
            number = int(hunk[1]) - (left[0] > 0)
            yield "place", row, 0
        elif row.startswith("--- "):
            yield "path", row[4:], 0
        elif row and not row.startswith("+++ "):
            yield "place", row, 0


def headline(shown: str) -> str:
    """The first line of such a text that changes something, with its place: `src/a.py:12 +total = 1`; empty if there is none."""
    path = ""
    for kind, row, number in rows_of(shown):
        if kind == "path":
            path = row
        elif row == _LINE_ENDS:
            return f"{path} {row}"
        elif kind == "line" and row[:1] in {"+", "-"} and row[1:].strip():
            return f"{path}:{number} {row}"
    return ""


def _difference(path: str, before: str, changes: Sequence[DocumentChange]) -> Iterator[str]:
    after = splice(before, [one.change for one in changes if one.path == path])
    found = list(difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=_AROUND, lineterm=""))
    return iter(found or ([] if before == after else [f"--- {path}", f"+++ {path}", _LINE_ENDS]))
