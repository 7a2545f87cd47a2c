"""What a result shows: a table with a title. The terminal, Markdown and a page each show any of them, and know nothing else of results.

Cells are texts as they are; each renderer makes them safe for where they go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["", "good", "bad", "unsure"]
_TONES: dict[str, Tone] = {
    "better": "good",
    "more": "good",
    "worse": "bad",
    "fewer": "bad",
    "too few": "unsure",
    "too few to tell": "unsure",
}
TOO_FEW = {"too few to tell": "too few"}
"""What a comparison says, as short as a cell has room for."""
PLAIN = frozenset({"", "value", "number", "meaning"})
"""Heads that say nothing which the rows do not say."""


@dataclass(frozen=True, slots=True)
class Section:
    """A table: its title, the head of each column, and rows of words."""

    title: str
    columns: Sequence[str]
    """The first column is of names and the others are of numbers, but for one that is called `meaning`."""
    rows: Sequence[Sequence[str]]
    """A row whose name begins with spaces belongs to the one above it; a row of one cell is a heading in the table."""
    note: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether it does not fit beside another one on a page."""
        return len(self.columns) > 4


def tone_of(words: str) -> Tone:
    """Whether the word of a comparison is good news. Example: `fewer` is bad."""
    return _TONES.get(words, "")


def in_one(sections: Iterable[Section], title: str = "") -> Section:
    """Put sections of the same columns into one table, each under its title, without the meanings of its rows."""
    found = [_without_meanings(section) for section in sections if section.rows]
    first, others = (found[0], found[1:]) if found else (Section(title, [], []), [])
    below = (row for own in others for row in ([own.title], *([f"  {name}", *cells] for name, *cells in own.rows)))
    return replace(first, title=title, rows=[*first.rows, *below])


def _without_meanings(section: Section) -> Section:
    if "meaning" not in section.columns:
        return section
    at = list(section.columns).index("meaning")
    columns, *rows = ([*row[:at], *row[at + 1 :]] for row in (section.columns, *section.rows))
    return replace(section, columns=columns, rows=rows)


def meanings(sections: Iterable[Section]) -> Section:
    """What the rows of some sections mean, as a table of its own."""
    rows = [
        [row[0], row[-1]] for section in sections if section.columns[-1] == "meaning" for row in section.rows if row[-1]
    ]
    return Section("", ["", "meaning"], rows)
