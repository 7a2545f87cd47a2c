"""The part of a document that fits on the screen: colours of the language, cursor, selection, and ghost text where an editor would show it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from textual.content import Content
from textual.highlight import highlight

from syntax.text import index_of
from tui.live.lane_documents import View
from tui.terminal_text import sanitize

_LEXERS = {"typescriptreact": "typescript", "javascriptreact": "javascript", "shellscript": "bash"}
_NUMBER = "$faint"
_SELECTED = "on $secondary 45%"
_STRUCK = "strike $text-error"
_CURSOR = "reverse"
_LONGEST = 2_000
"""Characters of a line that are coloured; what comes behind is not on the screen."""


@dataclass(frozen=True, slots=True)
class GhostText:
    """What is offered in the place of a range of the document (UTF-16 code units), in a style that says how it ends."""

    text: str
    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class _Cut:
    """The lines of a document that are drawn, as indices into its text."""

    top: int
    """The first line, from 0."""
    begin: int
    end: int


def draw(view: View, ghost: GhostText | None, width: int, height: int, top: int) -> tuple[Content, int]:
    """The lines around the cursor, as many as fit into cells, and the first of them (from 0): `top` again if the cursor stands well below it."""
    start, end = (ghost.start, ghost.end) if ghost else (view.start, view.end)
    left, right = index_of(view.text, start), index_of(view.text, end)
    cut = _cut(view.text, right, ghost.text.count("\n") if ghost else 0, height, top)
    before, middle, after = (
        view.text[cut.begin : left],
        view.text[max(left, cut.begin) : right],
        view.text[right : cut.end],
    )
    if ghost:
        shown = _with_ghost(_clipped_head(before), middle, ghost, _clipped(after), view.language)
    else:
        shown = _with_selection(_clipped_head(before), _clipped(middle), _clipped(after), view.language)
    row = sanitize(before).count("\n")
    column = len(sanitize(before)) - (sanitize(before).rfind("\n") + 1)
    extra = ghost.text.count("\n") if ghost else 0
    return _framed(shown, cut.top, (row, column), extra, (width, height)), cut.top


def _cut(text: str, cursor: int, extra: int, height: int, top: int) -> _Cut:
    """The lines to draw. They stay where they are until the cursor comes near an end of them."""
    line = text.count("\n", 0, cursor)
    margin = min(2, height // 4)
    if not top + margin * (top > 0) <= line < top + max(1, height - margin - min(extra, height // 2)):
        top = max(0, line - 2 * height // 5)
    begin = cursor
    for _ in range(line - top + 1):
        begin = text.rfind("\n", 0, begin)
    end = cursor
    for _ in range(height):
        end = text.find("\n", end) + 1 or len(text)
    return _Cut(top, begin + 1, end)


def _clipped(text: str) -> str:
    return sanitize("\n".join(line[:_LONGEST] for line in text.split("\n")))


def _clipped_head(text: str) -> str:
    """The same of a text before the cursor, whose last line goes on."""
    head, line_end, last = text.rpartition("\n")
    return _clipped(head) + line_end + sanitize(last)


def _with_ghost(before: str, replaced: str, ghost: GhostText, after: str, language: str) -> Content:
    offered = _clipped(ghost.text)
    coloured = _coloured(before + offered + after, language)
    if not offered:
        return _with_selection(before, _clipped(replaced), after, language)
    own = coloured[len(before) : len(before) + len(offered)].stylize(ghost.style).stylize(_CURSOR, 0, 1)
    struck = Content(_clipped(replaced)).stylize(_STRUCK)
    return Content("").join([coloured[: len(before)], own, struck, coloured[len(before) + len(offered) :]])


def _with_selection(before: str, selected: str, after: str, language: str) -> Content:
    at = len(before) + len(selected)
    under, rest = (after[:1], after[1:]) if after[:1] not in {"", "\n"} else (" ", after)
    coloured = _coloured(before + selected + under + rest, language)
    if selected:
        coloured = coloured.stylize(_SELECTED, len(before), at)
    return coloured.stylize(_CURSOR, at, at + 1)


@lru_cache(maxsize=8)
def _coloured(code: str, language: str) -> Content:
    """Colour the tokens. The lexer drops a line end at the end of the code; it is added again."""
    content = highlight(code, language=_LEXERS.get(language, language or "text"))
    return content + Content("\n") if code.endswith("\n") else content


def _framed(shown: Content, first: int, cursor: tuple[int, int], extra: int, size: tuple[int, int]) -> Content:
    """Number the lines (from 1; lines that only the ghost text has are not numbered), and cut what does not fit."""
    (row, column), (width, height) = cursor, size
    lines = shown.split("\n", allow_blank=True)[:height]
    digits = max(3, len(str(first + height)))
    room = max(8, width - digits - 2)
    left = max(0, column - room * 3 // 4) if column > room - 3 else 0
    rows = []
    for index, line in enumerate(lines):
        number = first + index + 1 - min(extra, max(0, index - row))
        label = "" if row < index <= row + extra else str(number)
        mark = ("▌", "$text-warning") if index == row else (" ", "")
        rows.append(Content.assemble((f"{label:>{digits}} ", _NUMBER), mark, line[left : left + room]))
    return Content("\n").join(rows)
