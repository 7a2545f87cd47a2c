"""The code around a moment with ghost text set in it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.highlight import highlight

from replay.records import Moment, Suggestion
from syntax import text as units
from tui.plain import clip, plain, tail

GHOST = "italic on $primary 35%"
TRUTH = "italic on $success 25%"
STRUCK = "strike $text-error"
FAINT = "$foreground 50%"
_LEXERS = {"typescriptreact": "typescript", "javascriptreact": "javascript", "shellscript": "bash"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of code, and the line of it (from 0) in which the cursor stands."""

    content: Content
    cursor: int


@dataclass(frozen=True, slots=True)
class _Parts:
    """What stands where: kept text, struck text left of the cursor, ghost text, struck text right of it, kept text."""

    before: str
    left: str
    ghost: str
    right: str
    after: str


def suggested(moment: Moment, suggestion: Suggestion | None) -> Picture:
    """Show the moment with the suggestion at the cursor; what it replaces is struck through."""
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


def written(moment: Moment) -> Picture:
    """Show the moment with the ground truth at the cursor, under the last lines before it."""
    lines = moment.before.split("\n")
    return _draw(moment, _Parts("\n".join(lines[-3:]), "", moment.truth, "", ""), TRUTH)


def _draw(moment: Moment, parts: _Parts, style: str) -> Picture:
    before = tail(plain(parts.before))
    left, ghost, right = (clip(plain(part)) for part in (parts.left, parts.ghost, parts.right))
    after = clip(plain(parts.after))
    coloured = _coloured(before + ghost + after, moment.language)
    middle = coloured[len(before) : len(before) + len(ghost)].stylize(style) if ghost else _cursor()
    struck = [Content(part.replace("\n", "⏎\n")).stylize(STRUCK) if part else Content("") for part in (left, right)]
    page = Content("").join([coloured[: len(before)], struck[0], middle, struck[1], coloured[len(before + ghost) :]])
    first = moment.line - before.count("\n")
    numbered = before.count("\n") + left.count("\n")
    return Picture(_numbered(page, first, numbered, ghost.count("\n")), numbered)


def _cursor() -> Content:
    return Content("│").stylize("bold $text-warning")


def _coloured(code: str, language: str) -> Content:
    """Colour the tokens; the lexer drops one line end at the end, which is put back."""
    content = highlight(code, language=_LEXERS.get(language, language or "text"))
    return content + Content("\n") if code.endswith("\n") else content


def _numbered(page: Content, first: int, cursor: int, extra: int) -> Content:
    """Put the document's line numbers (from 1) on the left; lines that only the ghost text adds have none."""
    lines = page.split("\n", allow_blank=True)
    width = len(str(first + len(lines)))
    rows = []
    for index, line in enumerate(lines):
        number = first + index + 1 - (0 if index <= cursor else min(extra, index - cursor))
        label = "" if cursor < index <= cursor + extra else str(number)
        mark = "▌" if index == cursor else " "
        rows.append(Content.assemble((f"{label:>{width}} ", FAINT), (mark, "$text-warning"), line))
    return Content("\n").join(rows)
