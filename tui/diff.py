"""Small differences between two texts, line by line."""

from __future__ import annotations

import difflib

from textual.content import Content

from tui.code import FAINT
from tui.plain import clip, exact

_STYLES = {"+": "$text-success", "-": "$text-error", "@": FAINT, " ": ""}


def diff(before: str, after: str, context: int = 2) -> Content:
    """Show what has to change in `before` to make it `after`; white space that matters can be seen."""
    old, new = (exact(text).split("\n") for text in (before, after))
    lines = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
    if not lines:
        return Content("no difference").stylize(FAINT)
    return Content("\n").join(_line(line) for line in clip("\n".join(lines)).split("\n") if line[:1] != "@")


def _line(line: str) -> Content:
    return Content(f"{line[:1]} {line[1:]}").stylize(_STYLES.get(line[:1], ""))
