"""Text of unknown origin made fit for a terminal: nothing in it moves the cursor, and no line is without end."""

from __future__ import annotations

import re

WIDTH = 1_000
"""Characters of a line that are shown."""
LINES = 2_000
"""Lines of a text that are shown."""
TAB = 4

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""They only choose between shapes of a character, and terminals disagree on the width of the outcome."""


def plain(text: str) -> str:
    """Return `text` with line feeds as its only line ends, tabs as spaces, and control characters as visible signs."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub(_sign, unified).replace("\t", " " * TAB)


def exact(text: str) -> str:
    """Return `plain` text in which carriage returns, tabs, and spaces at the end of a line can be seen."""
    seen = _CONTROLS.sub(_sign, text).replace("\t", "→" + " " * (TAB - 1))
    return re.sub(r" +(?=␍?$)", lambda match: "·" * len(match[0]), seen, flags=re.MULTILINE)


def clip(text: str, width: int = WIDTH, lines: int = LINES) -> str:
    """Cut lines after `width` characters and the text after `lines` lines, and say how much is not shown."""
    every = text.split("\n")
    kept = [_clip_line(line, width) for line in every[:lines]]
    return "\n".join([*kept, f"… {len(every) - lines:,} more lines"] if len(every) > lines else kept)


def tail(text: str, width: int = WIDTH) -> str:
    """Cut the last line of `text` so that its end is kept, the other lines as `clip` does."""
    *head, last = text.split("\n")
    short = last if len(last) <= width else f"{len(last) - width:,} more characters … {last[-width:]}"
    return "\n".join([*(_clip_line(line, width) for line in head), short])


def first_line(text: str) -> str:
    """Return the first line of `text` that is not blank, for a list."""
    return next((line.strip() for line in plain(text[:2_000]).split("\n") if line.strip()), "")[:200]


def shorten(text: str, width: int, *, keep_end: bool = False) -> str:
    """Fit `text` into `width` cells (wide characters count two), with an ellipsis where it was cut."""
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
