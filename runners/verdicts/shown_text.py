"""Text that a program wrote, made fit to be shown: no terminal escapes, no control characters, no more than so much."""

from __future__ import annotations

import re

MESSAGE_LENGTH = 300
LOG_LENGTH = 20_000

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links, and other strings
    r"|[ -/]*[0-~])?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    """Return the text without terminal escapes, control characters and marks that turn its direction.

    Tabs and line feeds stay; a lone carriage return, which would write over the line, begins another.
    """
    text = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _UNSEEN.sub("", text))


def first_line(text: str) -> str:
    """Return one line of plain text of at most `MESSAGE_LENGTH` characters, marked where it was cut."""
    line = next(iter(plain(text).strip().splitlines()), "").strip()
    return line if len(line) <= MESSAGE_LENGTH else f"{line[: MESSAGE_LENGTH - 1].rstrip()}…"


def tail(text: str, length: int = LOG_LENGTH) -> str:
    """Return the end of a log: at most `length` characters of it, from the start of a line.

    The first line then says how much is left out. A last line that is itself too long is cut inside, where `length` says.
    """
    text = text.strip("\n")
    if len(text) <= length:
        return text
    start = text.find("\n", len(text) - length - 1) + 1 or len(text) - length
    return f"[… {start:,} characters left out]\n{text[start:]}"
