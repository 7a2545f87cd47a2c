"""Small differences between two texts, line by line."""

from __future__ import annotations

import difflib

from textual.content import Content

from tui.inspector.code import FAINT
from tui.terminal_text import clip, reveal_white_space

_STYLES = {"+": "$text-success", "-": "$text-error", "@": FAINT, " ": ""}


def diff(before: str, after: str, context: int = 2) -> Content:
    """Show which lines of `before` (-) become which lines of `after` (+). White space that matters is visible."""
    old, new = (reveal_white_space(text).split("\n") for text in (before, after))
    lines = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
    if not lines:
        return Content("no difference").stylize(FAINT)
    return Content("\n").join(_line(line) for line in clip("\n".join(lines)).split("\n") if line[:1] != "@")


def _line(line: str) -> Content:
    sign, text = line[:1], line[1:]
    if sign in "+-" and not text:
        text = "(empty line)"
    return Content(f"{sign} {text}").stylize(_STYLES.get(sign, ""))
