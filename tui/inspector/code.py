"""The code around a moment, with ghost text in it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.highlight import highlight

from replay.records import Moment, Suggestion
from syntax import text as units
from tui.terminal_text import clip, clip_last_line, sanitize

GHOST = "italic on $primary 35%"
TRUTH = "italic on $success 25%"
STRUCK = "strike $text-error"
FAINT = "$foreground 50%"
_LEXERS = {"typescriptreact": "typescript", "javascriptreact": "javascript", "shellscript": "bash"}


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of a page, and the index (from 0) of the line with the cursor."""

    content: Content
    cursor: int


@dataclass(frozen=True, slots=True)
class _Parts:
    """The code in parts, in their order on the screen."""

    before: str
    """Text before the suggestion."""
    left: str
    """Text left of the cursor that the suggestion replaces."""
    ghost: str
    """The suggestion, or the ground truth."""
    right: str
    """Text right of the cursor that the suggestion replaces."""
    after: str
    """Text after the suggestion."""


def code_with_suggestion(moment: Moment, suggestion: Suggestion | None) -> PageContent:
    """Show the code with the suggestion at the cursor. The text that it replaces is struck through."""
    if suggestion is None or not suggestion.text:
        return _draw(moment, _Parts(moment.before, "", "", "", moment.after), GHOST)
    left = max(0, moment.offset - suggestion.start)
    right = max(0, suggestion.end - moment.offset)
    size = units.length(moment.before)
    start = units.index_of(moment.before, max(0, size - left))
    end = units.index_of(moment.after, min(right, units.length(moment.after)))
    parts = _Parts(
        moment.before[:start], moment.before[start:], suggestion.text, moment.after[:end], moment.after[end:]
    )
    return _draw(moment, parts, GHOST)


def code_with_ground_truth(moment: Moment) -> PageContent:
    """Show the ground truth at the cursor, under the last lines before it."""
    lines = moment.before.split("\n")
    return _draw(moment, _Parts("\n".join(lines[-3:]), "", moment.truth, "", ""), TRUTH)


def _draw(moment: Moment, parts: _Parts, style: str) -> PageContent:
    before = clip_last_line(sanitize(parts.before))
    left, ghost, right = (clip(sanitize(part)) for part in (parts.left, parts.ghost, parts.right))
    after = clip(sanitize(parts.after))
    coloured = _coloured(before + ghost + after, moment.language)
    middle = coloured[len(before) : len(before) + len(ghost)].stylize(style) if ghost else _cursor()
    struck = [Content(part.replace("\n", "⏎\n")).stylize(STRUCK) if part else Content("") for part in (left, right)]
    page = Content("").join([coloured[: len(before)], struck[0], middle, struck[1], coloured[len(before + ghost) :]])
    first = moment.line - before.count("\n")
    numbered = before.count("\n") + left.count("\n")
    return PageContent(_numbered(page, first, numbered, ghost.count("\n")), numbered)


def _cursor() -> Content:
    return Content("│").stylize("bold $text-warning")


def _coloured(code: str, language: str) -> Content:
    """Colour the tokens. The lexer drops a line end at the end of the code; it is added again."""
    content = highlight(code, language=_LEXERS.get(language, language or "text"))
    return content + Content("\n") if code.endswith("\n") else content


def _numbered(page: Content, first: int, cursor: int, extra: int) -> Content:
    """Put the document's line numbers (from 1) on the left. Lines that only the ghost text adds have no number."""
    lines = page.split("\n", allow_blank=True)
    width = len(str(first + len(lines)))
    rows = []
    for index, line in enumerate(lines):
        number = first + index + 1 - (0 if index <= cursor else min(extra, index - cursor))
        label = "" if cursor < index <= cursor + extra else str(number)
        mark = "▌" if index == cursor else " "
        rows.append(Content.assemble((f"{label:>{width}} ", FAINT), (mark, "$text-warning"), line))
    return Content("\n").join(rows)
