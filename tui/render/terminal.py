"""Sections in a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.numbers.section import PLAIN, Section, tone_of
from tui.terminal_text import message, one_line, shorten

NAME = 200
"""The cells that a name takes at most; one that is longer than its column goes on in the next line."""
_WIDTH, _GAP = 80, 2
_LEAST_NAME = 16
"""The cells that are left for names before numbers go on in the next line."""
_STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "": ""}


def style_of(words: str) -> str:
    """The style of what a comparison says."""
    return _STYLES[tone_of(words)]


def section_title(text: str) -> RenderableType:
    """Lay out the title of a section, with a blank line above."""
    return Padding(Text(one_line(text), "bold"), (1, 0, 0, 0), expand=False)


def in_terminal(section: Section, *, name: int = NAME, dense: bool = False) -> Iterator[RenderableType]:
    """Lay out a section: its title, its table and its note; nothing if it has no rows."""
    if not section.rows:
        return
    if section.title:
        yield section_title(section.title)
    inset = 2 if PLAIN.issuperset(section.columns) and (section.title or "meaning" in section.columns) else 0
    above = 0 if section.title else 1
    yield Padding(table_of(section, name=name, dense=dense), (above, 0, 0, inset), expand=False)
    if section.note:
        yield Text(message(section.note), "dim")


def table_of(section: Section, *, name: int = NAME, dense: bool = False) -> Table:
    """Lay out the table of a section; its names take at most so many cells. Without heads that say something it has none. A dense one has no more than a space between columns.

    In 80 columns numbers stand in one line as long as there is room for some of the name, and heads as long as there is room for all.
    """
    if PLAIN.issuperset(section.columns):
        return _grid(section, name)
    cells = [[one_line(row[at]) for row in section.rows if at < len(row)] for at in range(len(section.columns))]
    names, *numbers = [max(map(cell_len, own), default=0) for own in cells]
    is_tight = min(names, name) + sum(max(size, cell_len(head)) + _GAP for size, head in zip(numbers, section.columns[1:], strict=True)) > _WIDTH  # fmt: skip
    is_full = _LEAST_NAME + sum(size + _GAP for size in numbers) > _WIDTH
    padding = 0 if dense else (0, 1, 0, 0)
    table = Table(box=SIMPLE_HEAD, padding=padding, pad_edge=False, show_edge=False)
    for at, head in enumerate(section.columns):
        words = _folded(one_line(head), cells[at]) if is_tight and at and not dense else one_line(head)
        justify: JustifyMethod = "right" if at and head != "meaning" else "left"
        table.add_column(
            Text(words), justify=justify, overflow="fold", no_wrap=dense or (justify == "right" and not is_full)
        )
    is_nested = any(row[0].startswith("  ") for row in section.rows)
    for row in section.rows:
        if len(row) == 1:
            table.add_section()
        style = "bold" if len(row) == 1 or (is_nested and not row[0].startswith("  ")) else style_of(row[-1])
        table.add_row(*_cells(section, row, name), style=style)
    return table


def _folded(head: str, cells: Sequence[str]) -> str:
    """A head in as many lines as its column is narrow. Example: `pairs in clusters` over `9 in 8` has two."""
    longest = max(map(len, (*cells, *head.split())))
    return head if len(head) < longest + _GAP else textwrap.fill(head, longest)


def _grid(section: Section, name: int) -> Table:
    """Names, numbers and meanings without heads."""
    table = Table.grid(padding=(0, 2))
    has_meaning = section.columns[-1] == "meaning"
    for at, head in enumerate(section.columns):
        table.add_column(
            min_width=16 if at == 0 and "number" in section.columns else None,
            no_wrap=head != "meaning" and at > 0,
            overflow="fold",
        )
        table.columns[at].justify = "right" if head == "number" else "left"
    for row in section.rows:
        first, *values = _cells(section, row, name)
        for one in values[:-1] if has_meaning else values:
            one.stylize("bold")
        (values[-1] if has_meaning and values else first).stylize("" if has_meaning and not values else "dim")
        table.add_row(first, *values)
    return table


def _cells(section: Section, row: Sequence[str], name: int) -> list[Text]:
    """The cells of a row, made safe. A meaning may have several lines."""
    safe = [
        message(text) if head == "meaning" else one_line(text) for head, text in zip(section.columns, row, strict=False)
    ]
    return [Text(shorten(safe[0], name)), *map(Text, safe[1:])]
