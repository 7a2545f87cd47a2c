"""Sections in a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.render.section import PLAIN, Section, tone_of
from tui.terminal_text import message, one_line, shorten

NAME = 200
"""The cells that a name takes at most; one that is longer than its column goes on in the next line."""
_OVERHANG = 3
"""The cells by which a head may be wider than its column."""
_STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "": ""}


def style_of(words: str) -> str:
    """The style of what a comparison says."""
    return _STYLES[tone_of(words)]


def section_title(text: str) -> RenderableType:
    """Lay out the title of a section, with a blank line above."""
    return Padding(Text(one_line(text), "bold"), (1, 0, 0, 0), expand=False)


def in_terminal(section: Section) -> Iterator[RenderableType]:
    """Lay out a section: its title, its table and its note; nothing if it has no rows."""
    if not section.rows:
        return
    if section.title:
        yield section_title(section.title)
    yield table_of(section)
    if section.note:
        yield Text(message(section.note), "dim")


def table_of(section: Section, *, name: int = NAME) -> Table:
    """Lay out the table of a section; its names take at most so many cells. Without heads that say something it has none."""
    if PLAIN.issuperset(section.columns):
        return _grid(section, name)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for at, head in enumerate(section.columns):
        cells = [row[at] for row in section.rows if at < len(row)]
        if at == 0:
            table.add_column(Text(one_line(head)), overflow="fold")
        elif head == "meaning":
            table.add_column(head)
        else:
            table.add_column(Text(_folded(one_line(head), cells)), justify="right", no_wrap=True)
    is_nested = any(row[0].startswith("  ") for row in section.rows)
    for row in section.rows:
        if len(row) == 1:
            table.add_section()
        style = "bold" if len(row) == 1 or (is_nested and not row[0].startswith("  ")) else style_of(row[-1])
        table.add_row(*_cells(row, name), style=style)
    return table


def _folded(head: str, cells: Sequence[str]) -> str:
    """A head in as many lines as its column is narrow. Example: `pairs in clusters` over `9 in 8` has two."""
    longest = max((len(text) for text in (*cells, *head.split())), default=1)
    return head if len(head) <= longest + _OVERHANG else textwrap.fill(head, longest)


def _grid(section: Section, name: int) -> Table:
    """Names, numbers and meanings without heads."""
    table = Table.grid(padding=(0, 2))
    has_meaning = section.columns[-1] == "meaning"
    for at, head in enumerate(section.columns):
        table.add_column(min_width=14 if at == 0 else None, no_wrap=head != "meaning" and at > 0, overflow="fold")
        table.columns[at].justify = "right" if head == "number" else "left"
    for row in section.rows:
        first, *values = _cells(row, name)
        last = [values.pop()] if has_meaning else []
        for one in values:
            one.stylize("bold")
        for one in last if has_meaning else [first]:
            one.stylize("dim")
        table.add_row(first, *values, *last)
    return table


def _cells(row: Sequence[str], name: int) -> list[Text]:
    return [Text(shorten(one_line(text), name)) if at == 0 else Text(one_line(text)) for at, text in enumerate(row)]
