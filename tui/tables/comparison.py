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
from tui.figures import chance_words, difference_sentence, net_words, percent
from tui.tables.sections import section_title
from tui.terminal_text import message, one_line, shorten

_SHORT = {"too few to tell": "too few"}
"""In a table of groups."""
_NAME = 40
"""The cells of a group's name that are shown."""
_STYLES = {"more": "green", "fewer": "red", "too few to tell": "yellow"}


def comparison_table(found: Mapping[str, Any]) -> RenderableType:
    """Lay out the result of `replay.numbers.comparison.compare` in 80 columns."""
    return Group(*_parts(found))


def _parts(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Padding(_shares(found), (1, 0, 0, 0), expand=False)
    yield _overall(found)
    says = found["difference"]["says"]
    yield Padding(Text(difference_sentence(says, found["asked"]), _STYLES.get(says, "")), (1, 0, 0, 0))
    if found["breakdowns"]:
        yield section_title("B less A in groups (p adjusted by Holm)")
        yield _breakdowns(found["breakdowns"])
        if any(one["says"] in _SHORT for one in found["breakdowns"]):
            yield Text(difference_sentence("too few to tell", found["asked"]).replace(" to tell", "", 1), "dim")
    for note in found["notes"]:
        yield Text(f"  {message(note)}", "yellow")
    yield Text("Verdicts are those by a hole that is the same for both (docs/numbers.md).", "dim")


def _shares(found: Mapping[str, Any]) -> Table:
    grid, n = _grid(), found["difference"]["n"]
    for letter, name, passed in zip("AB", found["runs"], found["passed"], strict=True):
        share = f"{passed:,} of {n:,}" + (f", {percent(passed / n)} %" if n else "")
        grid.add_row(Text(letter, "bold"), Text(shorten(one_line(name), 40, keep_end=True)), Text(share, "bold"))
    return grid


def _overall(found: Mapping[str, Any]) -> Table:
    difference, grid = found["difference"], _grid()
    n, clusters = difference["n"], difference["clusters"]
    names = NAMES[found["cluster_by"]] if clusters != 1 else found["cluster_by"]
    effect = difference["design_effect"]
    design = f", design effect {effect:.1f}" if effect is not None else ""
    grid.add_row(Text("B less A", "bold"), Text(f"{net_words(difference['net'])}  p {chance_words(difference['p'])}"))
    grid.add_row(Text("pairs", "dim"), Text(f"{n:,} in {clusters:,} {names}{design}"))
    grid.add_row("", Text(f"only B passes {difference['gained']:,}, only A {difference['broken']:,}"))
    return grid


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=8)
    return grid


def _breakdowns(groups: Sequence[Mapping[str, Any]]) -> Table:
    """A row a group. Where the numbers leave no room for a name in 80 columns, it goes on in a second line."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("", overflow="fold")
    for title in ("pairs in\nclusters", "points (95 %)", "p", "B passes"):
        table.add_column(title, justify="right", no_wrap=True)
    for one in groups:
        name = shorten(one_line(f"{one['by']} {one['group']}"), _NAME)
        pairs = f"{one['n']:,} in {one['clusters']:,}"
        cells = [
            name,
            pairs,
            net_words(one["net"]),
            chance_words(one["p_adjusted"]),
            _SHORT.get(one["says"], one["says"]),
        ]
        table.add_row(*map(Text, cells), style=_STYLES.get(one["says"], ""))
    return table
