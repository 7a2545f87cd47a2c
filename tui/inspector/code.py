"""The code around a moment, with ghost text in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from textual.content import Content
from textual.highlight import highlight

from replay.records import Moment, Suggestion
from syntax import text as units
from tui.terminal_text import clip, clip_last_line, sanitize

GHOST = "italic $ghost-text on $ghost"
TRUTH = "italic $truth-text on $truth"
STRUCK = "strike $text-error"
FAINT = "$faint"
_AROUND = 8
"""The lines of a document that are shown on each side of a hole."""
_LEXERS = {"typescriptreact": "typescript", "javascriptreact": "javascript", "shellscript": "bash"}


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of a page, and the index (from 0) of the line with the cursor."""

    content: Content
    cursor: int = 0
    copied: str = ""
    """What the key to copy takes: the text itself, not the signs that stand for its characters."""
    needs_tape: bool = False
    """Whether the page says more once the tape has been read."""


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


def code_with_hole(moment: Moment, text: str, start: int, end: int) -> Content:
    """Show the lines of the moment's finished document around a part of it (indices into `text`), and mark the part."""
    lines = text[:start].split("\n")
    first = max(0, len(lines) - 1 - _AROUND)
    before = clip_last_line(sanitize("\n".join(lines[first:])))
    part = clip(sanitize(text[start:end]), lines=200)
    after = clip(sanitize("\n".join(text[end:].split("\n")[: _AROUND + 1])))
    coloured = coloured_code(before + part + after, moment.language)
    marked = coloured[len(before) : len(before) + len(part)].stylize(TRUTH) if part else _cursor()
    page = Content("").join([coloured[: len(before)], marked, coloured[len(before + part) :]])
    return _numbered(page, first, before.count("\n"), 0)


def side_by_side(left: Content, right: Content, width: int) -> Content:
    """Put two texts beside each other in `width` cells; a line that is too long is folded."""
    half = (width - 3) // 2
    rows = []
    for one, other in zip_longest(_folded(left, half), _folded(right, half), fillvalue=Content("")):
        rows.append(Content.assemble(one.pad_right(half - one.cell_length), (" │ ", FAINT), other))
    return Content("\n").join(rows)


def _folded(text: Content, width: int) -> list[Content]:
    return [part for line in text.split("\n", allow_blank=True) for part in (line.fold(width) or [Content("")])]


def _draw(moment: Moment, parts: _Parts, style: str) -> PageContent:
    before = clip_last_line(sanitize(parts.before))
    left, ghost, right = (clip(sanitize(part)) for part in (parts.left, parts.ghost, parts.right))
    after = clip(sanitize(parts.after))
    coloured = coloured_code(before + ghost + after, moment.language)
    middle = coloured[len(before) : len(before) + len(ghost)].stylize(style) if ghost else _cursor()
    struck = [Content(part.replace("\n", "⏎\n")).stylize(STRUCK) if part else Content("") for part in (left, right)]
    page = Content("").join([coloured[: len(before)], struck[0], middle, struck[1], coloured[len(before + ghost) :]])
    first = moment.line - before.count("\n")
    numbered = before.count("\n") + left.count("\n")
    return PageContent(_numbered(page, first, numbered, ghost.count("\n")), numbered)


def _cursor() -> Content:
    return Content("│").stylize("bold $text-warning")


def coloured_code(code: str, language: str) -> Content:
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
