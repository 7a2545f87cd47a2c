"""The known part of a document of which only a few lines are visible at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_AHEAD = 200
"""Lines below the window in which its last line is looked for."""


@dataclass(frozen=True, slots=True)
class Known:
    """The beginning of a document's text; `whole` says that it is all of it."""

    text: str
    whole: bool


def seen(known: Known | None, start: int, content: str) -> Known | None:
    """The known part of a document after the lines from `start` (from 0) were visible.

    None if there are unknown lines between the known part and the window. Where the window differs from the known text, the
    window is right: the known text continues after the window's last line. If that line is not found, the rest is
    unknown.
    """
    if known is None:
        return Known(content, whole=False) if start == 0 else None
    end = "\r\n" if "\r\n" in known.text or "\r\n" in content else "\n"
    lines, window = known.text.split(end), content.split(end)
    if start > len(lines):
        return None
    below = lines[start:]
    if below[: len(window)] == window:
        return known
    rest = _below(below, window)
    text = end.join([*lines[:start], *window, *(rest or ())])
    return Known(text, whole=known.whole and rest is not None)


def _below(lines: Sequence[str], window: Sequence[str]) -> Sequence[str] | None:
    """The known lines after the window; None if the window's last line is not among them."""
    near = lines[: len(window) + _AHEAD]
    for block in SequenceMatcher(None, near, window, autojunk=False).get_matching_blocks():
        if block.size and block.b + block.size == len(window):
            return lines[block.a + block.size :]
    return None
