"""What is known of a document of which only a window of lines is ever seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_AHEAD = 200
"""So many lines below a window are looked at for where its last line went."""


@dataclass(frozen=True, slots=True)
class Known:
    """A document's text from its first character on; `whole` says that nothing follows."""

    text: str
    whole: bool


def seen(known: Known | None, start: int, content: str) -> Known | None:
    """What is known once a window was seen that begins at line `start` (from 0).

    None if lines between the known part and the window have never been seen. Where the window differs from what was
    known, the window is right: what stood below it goes on below the line that is its last one; if that line is not
    found, what follows is no longer known.
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
    """The lines that go on below the window; None if that cannot be said."""
    near = lines[: len(window) + _AHEAD]
    for block in SequenceMatcher(None, near, window, autojunk=False).get_matching_blocks():
        if block.size and block.b + block.size == len(window):
            return lines[block.a + block.size :]
    return None
