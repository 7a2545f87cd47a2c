"""The shares of a run in groups: by language, category and cell of a corpus, by tape, and by the length of the ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len
from textual.content import Content

from tui.inspector.code import FAINT
from tui.summary_figures import DASH, Summary, groups, percent
from tui.terminal_text import one_line, shorten

_NAME = 30
_HEAD = "bold $heading"


def groups_page(summary: Summary) -> Content:
    """Lay out a line for each group: the share that passes of the testable moments, with its interval, and how many are testable."""
    found = groups(summary)
    if not found:
        return Content("There are no groups: the run has not ended, or has no verdicts.\nEscape closes this.")
    parts = [Content(f"{'':<{_NAME}}{'testable':>9}{'passed':>8}  95 %").stylize(FAINT)]
    for title, rows in found:
        parts += [Content(title).stylize(_HEAD), *(_row(name, figure) for name, figure in rows), Content("")]
    return Content("\n").join(
        [*parts, Content("The intervals go by clusters (docs/numbers.md). Escape closes this.").stylize(FAINT)]
    )


def _row(name: str, figure: Mapping[str, Any]) -> Content:
    short = shorten(one_line(name), _NAME - 2)
    short += " " * (_NAME - 2 - cell_len(short))
    value, low, high = (figure.get(key) for key in ("value", "low", "high"))
    share = "" if value is None else f"{percent(value)} %"
    ends = "" if low is None or high is None else f"{percent(low)}{DASH}{percent(high)}"
    return Content.assemble(f"  {short}{figure.get('n') or 0:>9,}", (f"{share:>8}", "bold"), f"  {ends}")
