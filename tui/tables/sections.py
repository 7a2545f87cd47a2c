"""Sections that several tables have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.figures import Summary, mapping, reasons
from tui.render.terminal import section_title
from tui.terminal_text import message

REASONS = 5
"""The number of an ending's reasons that are named: the most frequent ones."""


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
