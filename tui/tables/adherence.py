"""How far suggestions follow instructions of developers, as rows and as a section of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tui.figures import Summary, mapping, share_words
from tui.render.terminal import section_title
from tui.terminal_text import one_line

ADHERENCE_HEAD = ("follow", "share", "follow and pass", "follow, fail", "break, pass")
"""The columns of `adherence_rows` behind the name: of the suggestions that an instruction concerns, those that follow it, and how both did in the tests."""


def adherence_rows(summary: Summary) -> Iterator[Sequence[str]]:
    """What suggestions do to instructions of developers: a row for all together where there are several, and one for each."""
    found = mapping(summary.get("instructions"))
    by_id = mapping(found.get("by_id"))
    for name, figures in ((("all of them", found.get("all")),) if len(by_id) > 1 else ()) + tuple(by_id.items()):
        yield name, *_adherence_cells(mapping(figures))


def _adherence_cells(figures: Mapping[str, Any]) -> Iterator[str]:
    results = mapping(figures.get("results"))
    yield f"{results.get('followed', 0):,} of {results.get('followed', 0) + results.get('broken', 0):,}"
    yield share_words(mapping(figures.get("adherence")))
    yield share_words(mapping(figures.get("follows_and_passes")))
    yield f"{figures.get('follows_and_fails', 0):,}"
    yield f"{figures.get('breaks_and_passes', 0):,}"


def instructions_section(summary: Summary) -> Iterator[RenderableType]:
    """Lay out how far the suggestions follow instructions of developers; nothing if none was chosen."""
    rows = list(adherence_rows(summary))
    if not rows:
        return
    yield section_title("instructions of developers")
    table = Table("", *(ADHERENCE_HEAD[at] for at in _NARROW), box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.columns[0].overflow, table.columns[0].min_width = "fold", 24
    for name, *cells in rows:
        table.add_row(Text(one_line(name)), *(Text(cells[at], no_wrap=True) for at in _NARROW))
    yield table
    yield Text("  of the suggestions that an instruction concerns (docs/codealign.md)", "dim")


_NARROW = (0, 1, 3, 4)
"""The columns of `ADHERENCE_HEAD` that 80 cells have room for."""
