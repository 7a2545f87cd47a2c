"""Make text of unknown origin safe for a terminal: it moves no cursor, and its lines and their number are limited."""

from __future__ import annotations

import re

LINE_LENGTH = 1_000
"""The characters of a line that are shown."""
LINE_COUNT = 2_000
"""The lines of a text that are shown."""
TAB = 4
"""The spaces that stand for a tab."""

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""These characters only choose between shapes of a character. Terminals disagree on the width of the result."""


def sanitize(text: str) -> str:
    """Return `text` with line feeds as line ends, spaces for tabs, and visible signs for control characters."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub(_sign, unified).replace("\t", " " * TAB)


def reveal_white_space(text: str) -> str:
    """Return sanitized `text` in which carriage returns, tabs, and spaces at the end of a line are visible."""
    seen = _CONTROLS.sub(_sign, text).replace("\t", "→" + " " * (TAB - 1))
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

    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    if keep_end:
        return "…" + chop_cells(text[::-1], width - 1)[0][::-1]
    return chop_cells(text, width - 1)[0] + "…"


def _clip_line(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[:width]} … {len(line) - width:,} more characters"


def _sign(match: re.Match[str]) -> str:
    character = match[0]
    if character in _JOINERS:
        return ""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
