"""Differences between two texts: line by line, and word by word. Signs say what is new, so that colours are not needed."""

from __future__ import annotations

import difflib
import re

from textual.content import Content

from replay.play.shown_edits import rows_of
from tui.inspector.code import FAINT
from tui.terminal_text import bounded, clip, reveal_white_space, sanitize

_STYLES = {"+": "on $added", "-": "on $removed", "@": FAINT, " ": ""}
_WORDS = re.compile(r"\w+|[ \t]+|\r?\n|.", re.DOTALL)
_MOST_WORDS = 4_000
"""Longer texts are compared line by line: the time grows with the square of the words."""


def diff(before: str, after: str, context: int = 2) -> Content:
    """Show which lines of `before` (-) become which lines of `after` (+). White space that matters is visible."""
    old, new = (reveal_white_space(text).split("\n") for text in (before, after))
    lines = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
    if not lines:
        return Content("no difference").stylize(FAINT)
    return Content("\n").join(_line(line) for line in clip("\n".join(lines)).split("\n") if line[:1] != "@")


def numbered_diff(before: str, after: str, context: int = 3) -> Content:
    """Show the same with the places (`@@ -12,7 +12,9 @@`, lines from 1) of what differs."""
    old, new = (reveal_white_space(text).split("\n") for text in (before, after))
    lines = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
    if not lines:
        return Content("no difference: the graft is the finished project itself").stylize(FAINT)
    return Content("\n").join(_line(line) for line in clip("\n".join(lines)).split("\n"))


def shown_diff(text: str) -> Content:
    """Show a difference that is a text already, as that of an edit suggestion: each document by its path, then its lines."""
    parts = []
    for kind, row, _ in rows_of(clip(sanitize(text))):
        if kind == "path":
            parts.append(Content(row).stylize("bold"))
        else:
            parts.append(_line(row if kind == "place" else row[:1] + reveal_white_space(row[1:])))
    return Content("\n").join(parts)


def plain_diff(path: str, before: str, after: str) -> str:
    """Return a unified diff of two texts, as `git apply` takes it."""
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}")  # fmt: skip
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def word_diff(before: str, after: str) -> Content:
    """Show `[-what is taken out-]` and `{+what is put in+}` in the text, word by word."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        return diff(before, after)
    if old == new:
        return Content("no difference").stylize(FAINT)
    parts: list[Content] = []
    for kind, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        out, put = "".join(old[first:last]), "".join(new[start:end])
        if kind == "equal":
            parts.append(Content(bounded(out)))
            continue
        if out:
            parts.append(Content(f"[-{_shown(out)}-]").stylize("strike on $removed"))
        if put:
            parts.append(Content("{+" + _shown(put) + "+}").stylize("bold on $added"))
    return Content("").join(parts)


def _shown(text: str) -> str:
    """Return a part of a difference; white space that is all there is of it, and line ends, can be seen."""
    seen = reveal_white_space(text)
    if not text.strip():
        seen = seen.replace(" ", "·")
    return clip(seen.replace("\n", "⏎\n"))


def _line(line: str) -> Content:
    sign, text = line[:1], line[1:]
    if sign == "@":  # the place of a hunk
        return Content(line).stylize(_STYLES.get(sign, ""))
    if sign in "+-" and not text:
        text = "(empty line)"
    return Content(f"{sign} {text}").stylize(_STYLES.get(sign, ""))
