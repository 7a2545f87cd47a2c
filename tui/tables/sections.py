"""Sections that several tables have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.figures import ADHERENCE_HEAD, Summary, adherence_rows, mapping, reasons
from tui.terminal_text import message

REASONS = 5
"""The number of an ending's reasons that are named: the most frequent ones."""


def section_title(text: str) -> RenderableType:
    """Lay out the title of a section, with a blank line above."""
    return Padding(Text(text, "bold"), (1, 0, 0, 0), expand=False)


def failure_reasons(summary: Summary) -> Iterator[RenderableType]:
    """Lay out the most frequent reasons of failed requests, each in full; nothing if no request failed."""
    found = reasons(summary, "failed")
    if not found:
        return
    yield section_title("why requests failed")
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    for reason, number in islice(found.items(), REASONS):
        table.add_row(Text(f"  {number:,}", "bold"), Text(message(reason).strip(), "yellow", overflow="fold"))
    yield table
    if len(found) > REASONS:
        yield Text(f"  and {len(found) - REASONS:,} more (--json names them under reasons)", "dim")


def machine_warnings(summary: Summary) -> Iterator[RenderableType]:
    """Lay out why the measured latencies may not be those of a quiet machine; nothing if it was one."""
    found = mapping(summary.get("machine")).get("warnings") or ()
    if found:
        yield section_title("measured latencies: this machine was not quiet")
        hint = "endings depend on them: --record-answers keeps latencies, so that a run repeats from them"
        lines = [*(Text(message(warning), "yellow") for warning in found), Text(hint, "dim")]
        yield from (Padding(line, (0, 0, 0, 2), expand=False) for line in lines)


def instructions_section(summary: Summary) -> Iterator[RenderableType]:
    """Lay out how far the suggestions follow instructions of developers; nothing if none was chosen."""
    rows = list(adherence_rows(summary))
    if not rows:
        return
    yield section_title("instructions of developers")
    table = Table("", *(ADHERENCE_HEAD[at] for at in _NARROW), box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.columns[0].overflow, table.columns[0].min_width = "fold", 24
    for name, *cells in rows:
        table.add_row(Text(name), *(Text(cells[at], no_wrap=True) for at in _NARROW))
    yield table
    yield Text("  of the suggestions that an instruction concerns (docs/codealign.md)", "dim")


_NARROW = (0, 1, 3, 4)
"""The columns of `ADHERENCE_HEAD` that 80 cells have room for."""
