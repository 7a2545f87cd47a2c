"""What all pages about a moment get, and the parts they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from replay.records import Record
from tui.inspector.code import FAINT
from tui.terminal_text import LINE_COUNT, LINE_LENGTH, bounded, sanitize

if TYPE_CHECKING:
    from replay.judge.retracing import TracedTape

HEAD = "bold $heading"
WIDE = 90
"""From so many cells on two texts stand beside each other."""


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """A moment as a page gets it."""

    record: Record
    width: int = 80
    """The cells that a line may have."""
    tape: TracedTape | None = None
    """The tape, once it has been read."""
    no_tape: str = ""
    """Why there is no tape; empty while it is being read."""


def text(content: str) -> Content:
    """Return text of unknown origin."""
    return Content(bounded(content))


def head(content: str) -> Content:
    """Return a heading."""
    return Content(content).stylize(HEAD)


def faint(content: str) -> Content:
    """Return a remark."""
    return Content(bounded(content)).stylize(FAINT)


def lines(*parts: Content) -> Content:
    """Put parts below each other."""
    return Content("\n").join(parts)


def folded(content: str, width: int = LINE_LENGTH, most: int = LINE_COUNT) -> Content:
    """Return text of unknown origin whose lines are all whole: a long one goes on in the next row, behind an arrow."""
    rows: list[str] = []
    for line in sanitize(content).split("\n"):
        rows.append(line[:width])
        rows += [f"↪ {line[at : at + width]}" for at in range(width, len(line), width)]
        if len(rows) > most:
            left = len(content) - sum(map(len, rows[:most]))
            return Content("\n".join([*rows[:most], f"… about {max(0, left):,} more characters (c copies all of it)"]))
    return Content("\n".join(rows))


def wrapped(content: Content, width: int) -> Content:
    """Break a sentence between words, on a page whose code is not broken."""
    return Content("\n").join(content.wrap(width))


def waits_for_tape(shown: ShownMoment) -> Content:
    """Say why something of the tape is not shown."""
    return faint(f"Without the tape: {shown.no_tape}" if shown.no_tape else "The tape is being read …")
