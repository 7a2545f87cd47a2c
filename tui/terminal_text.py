"""Make text of unknown origin safe for a terminal: it moves no cursor, hides nothing, and its lines and their number are limited.

All text of tapes, tests, models, paths and ids goes through this module before it is shown: `sanitize` for a text whose length is known to be
small, `bounded` for any other, `headline` and `shorten` for one line of a list. What is printed goes through `tui.console` besides.
"""

from __future__ import annotations

import re

LINE_LENGTH = 1_000
"""The characters of a line that are shown."""
LINE_COUNT = 2_000
"""The lines of a text that are shown."""
MESSAGE_LINES = 40
"""The lines of a message that are shown."""
TAB = 4
"""The spaces that stand for a tab."""
MARKS = 3
"""The combining marks on one character that are shown."""
_CELLS = 8
"""A character and its marks are at most so many characters for each cell that they take."""

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that a terminal obeys, and those that change what is seen while they are not seen themselves."""
_JOINERS = re.compile(
    "(?<=[©®‼⁉™\u2139\u2190-\u2bff〰〽㊗㊙\U0001f000-\U0001faff])[\u200d\ufe0e\ufe0f]+|\ufe0f(?=\u20e3)"
)
"""In an emoji these only choose between shapes. Terminals disagree on the width of the result."""
_MANY_MARKS = re.compile(
    "([\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
    f"{{{MARKS}}})"
    "([\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+)"
)


def sanitize(text: str) -> str:
    """Return `text` with line feeds as line ends, spaces for tabs, and visible signs for control and hidden characters."""
    return _signed(text.replace("\r\n", "\n").replace("\r", "\n")).replace("\t", " " * TAB)


def bounded(text: str, width: int = LINE_LENGTH, lines: int = LINE_COUNT) -> str:
    """Return sanitized `text` with at most `width` characters a line and `lines` lines."""
    return clip(sanitize(text), width, lines)


def message(text: object) -> str:
    """Return an error or another message in the form in which it is printed."""
    return bounded(str(text), lines=MESSAGE_LINES)


def one_line(text: str) -> str:
    """Return sanitized `text` as one line: line ends are visible, too."""
    return clip(sanitize(text).replace("\n", "␊"))


def reveal_white_space(text: str) -> str:
    """Return sanitized `text` in which carriage returns, tabs, and spaces at the end of a line are visible."""
    seen = _signed(text).replace("\t", "→" + " " * (TAB - 1))
    return re.sub(r" +(?=␍?$)", lambda match: "·" * len(match[0]), seen, flags=re.MULTILINE)


def clip(text: str, width: int = LINE_LENGTH, lines: int = LINE_COUNT) -> str:
    """Cut each line after `width` characters and the text after `lines` lines. Each cut says how much it leaves out."""
    found = text.split("\n")
    kept = [_clip_line(line, width) for line in found[:lines]]
    return "\n".join([*kept, f"… {len(found) - lines:,} more lines"] if len(found) > lines else kept)


def clip_last_line(text: str, width: int = LINE_LENGTH) -> str:
    """Cut each line as `clip` does, but keep the end of the last line."""
    *head, last = text.split("\n")
    short = last if len(last) <= width else f"{len(last) - width:,} more characters … {last[-width:]}"
    return "\n".join([*(_clip_line(line, width) for line in head), short])


def headline(text: str) -> str:
    """Return the first line of `text` that is not blank: at most 200 characters, for a list."""
    return next((line.strip() for line in sanitize(text[:2_000]).split("\n") if line.strip()), "")[:200]


def shorten(text: str, width: int, *, keep_end: bool = False) -> str:
    """Fit `text` into `width` cells (a wide character takes two). An ellipsis marks a cut."""
    from rich.cells import cell_len, chop_cells

    most = _CELLS * width + _CELLS
    cut = (text[-most:] if keep_end else text[:most]) if len(text) > most else text
    if len(cut) == len(text) and cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    if keep_end:
        return "…" + chop_cells(cut[::-1], width - 1)[0][::-1]
    return chop_cells(cut, width - 1)[0] + "…"


def _clip_line(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[:width]} … {len(line) - width:,} more characters"


def _signed(text: str) -> str:
    """Replace what a terminal obeys or hides by visible signs. Plain text, the usual case, is returned as it is."""
    if text.isascii():
        return _CONTROLS.sub(_sign, text)
    seen = _CONTROLS.sub(_sign, _JOINERS.sub("", text))
    return _MANY_MARKS.sub(lambda match: f"{match[1]}<{len(match[2]):,} more marks>", seen)


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
