"""An edit suggestion as a small difference, for people."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from replay.records import DocumentChange
from syntax.text import splice

_AROUND = 1
"""The lines around a change that are shown."""


def shown_edits(texts: Mapping[str, str], changes: Sequence[DocumentChange]) -> str:
    """The changes in the form of `diff -u`; empty if they change nothing.

    Raises:
        OffsetError: a change lies outside of its document, or overlaps another.

    """
    return "\n".join(
        line for path in sorted({one.path for one in changes}) for line in _difference(path, texts[path], changes)
    )


def headline(shown: str) -> str:
    """The first line of such a text that changes something, with its place: `src/a.py:12 +total = 1`; empty if there is none."""
    path, line = "", 0
    for row in shown.split("\n"):
        if row.startswith("--- "):
            path = row.removeprefix("--- ")
        elif place := re.match(r"@@ -(\d+)", row):
            line = int(place[1]) - 1
        elif not row.startswith("+++ "):
            line += not row.startswith("+")
            if row[:1] in {"+", "-"} and row[1:].strip():
                return f"{path}:{line} {row}"
    return ""


def _difference(path: str, before: str, changes: Sequence[DocumentChange]) -> Iterator[str]:
    after = splice(before, [one.change for one in changes if one.path == path])
    return difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=_AROUND, lineterm="")
