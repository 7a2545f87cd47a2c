"""The table of two runs over the same moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.numbers.clusters import NAMES
from tui.figures import percent
from tui.tables.sections import section_title
from tui.terminal_text import message, one_line, shorten

_WORDS = {
    "more": "B passes more",
    "fewer": "B passes fewer",
    "as many": "as many pass, to within {asked} points",
    "too few to tell": "too few to tell: the interval is wider than the {asked} points that are asked about",
}
_STYLES = {"more": "green", "fewer": "red", "too few to tell": "yellow"}


def comparison_table(found: Mapping[str, Any]) -> RenderableType:
    """Lay out the result of `replay.numbers.comparison.compare` in 80 columns."""
    return Group(*_parts(found))


def _parts(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Padding(_overall(found), (1, 0, 0, 0), expand=False)
    says = found["difference"]["says"]
    yield Padding(Text(_WORDS[says].format(asked=_points(found["asked"])), _STYLES.get(says, "")), (1, 0, 0, 0))
    if found["breakdowns"]:
        yield section_title("B less A in groups (p adjusted by Holm)")
        yield _breakdowns(found["breakdowns"])
    for note in found["notes"]:
        yield Text(f"  {message(note)}", "yellow")
    yield Text("Verdicts are those by a hole that is the same for both (docs/numbers.md).", "dim")


def _overall(found: Mapping[str, Any]) -> Table:
    difference, grid = found["difference"], Table.grid(padding=(0, 2))
    n, clusters = difference["n"], difference["clusters"]
    names = NAMES[found["cluster_by"]] if clusters != 1 else found["cluster_by"]
    effect = difference["design_effect"]
    for letter, name, passed in zip("AB", found["runs"], found["passed"], strict=True):
        share = f"{passed:,} of {n:,}" + (f", {percent(passed / n)} %" if n else "")
        grid.add_row(Text(letter, "bold"), Text(shorten(one_line(name), 40, keep_end=True)), Text(share, "bold"))
    grid.add_row(Text("B less A", "bold"), Text(_net(difference["net"])), Text(f"p {_chance(difference['p'])}"))
    design = f", design effect {effect:.1f}" if effect is not None else ""
    only = f"only B passes {difference['gained']:,}, only A {difference['broken']:,}"
    grid.add_row(Text("pairs", "dim"), Text(f"{n:,} in {clusters:,} {names}{design}"), Text(only))
    return grid


def _breakdowns(groups: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title in ("", "pairs", "clusters", "points (95 %)", "p", ""):
        table.add_column(title, justify="left" if not title else "right", no_wrap=True)
    for one in groups:
        name = shorten(one_line(f"{one['by']} {one['group']}"), 22)
        numbers = [f"{one[key]:,}" for key in ("n", "clusters")]
        cells = [name, *numbers, _net(one["net"]), _chance(one["p_adjusted"]), one["says"]]
        table.add_row(*map(Text, cells), style=_STYLES.get(one["says"], ""))
    return table


def _net(net: Mapping[str, float | None]) -> str:
    """Return a difference in percentage points with its interval, as `+3.1 (-1.0 to +7.2)`."""
    value, low, high = (net[name] for name in ("value", "low", "high"))
    if value is None:
        return ""
    ends = "" if low is None or high is None else f" ({100 * low:+.1f} to {100 * high:+.1f})"
    return f"{100 * value:+.1f}{ends}"


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _points(share: float) -> str:
    return f"{100 * share:g}"
