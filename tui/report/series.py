"""What a plot draws of a run: each run has its colour, its mark and its label in all plots of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from tui.report.drawing import COLOURS
from tui.report.reported import ReportedRun
from tui.terminal_text import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SERIES = tuple(COLOURS[f"c{number}"] for number in range(1, 7))
_MARKS = "osD^vPXp"
_NAMES = {1: 44, 2: 22}
"""The characters of a name that a key has room for, by the columns that it has."""
_ROW = 0.2
"""The height of a row of a key, in inches."""


@dataclass(frozen=True, slots=True)
class RunSeries:
    """A run in the plots. `label` is what the page calls it, `place` says which of the runs it is, from 0."""

    run: ReportedRun
    label: str
    place: int

    @property
    def look(self) -> dict[str, Any]:
        """Its colour, its mark and its line, as matplotlib takes them: no two of twelve runs are alike."""
        dashes = "--" if self.place % 12 > 5 else "-"
        return {"color": SERIES[self.place % 6], "marker": _MARKS[self.place % 8], "linestyle": dashes}

    def name(self, width: int = 28) -> str:
        """Its label and its name, of which so many characters are shown."""
        return f"{self.label} {shorten(one_line(self.run.name), width)}"


def key_height(runs: Sequence[RunSeries]) -> float:
    """How much higher a plot is for its key, in inches."""
    return 0.0 if len(runs) < 2 else _ROW * ceil(len(runs) / _columns(runs))


def _columns(runs: Sequence[RunSeries]) -> int:
    return 1 if len(runs) < 4 else 2


def draw_key(axes: Axes, runs: Sequence[RunSeries]) -> None:
    """Name the series above the plot, where they hide nothing; one alone has no key."""
    if len(runs) < 2:
        return
    from matplotlib.lines import Line2D

    columns = _columns(runs)
    handles = [
        Line2D([], [], markersize=4, linewidth=1.4, label=each.name(_NAMES[columns]), **each.look) for each in runs
    ]
    axes.get_figure().legend(handles=handles, loc="outside upper left", ncols=columns, fontsize=9, columnspacing=1.2, handlelength=1.8)  # type: ignore[union-attr] # fmt: skip


def draw_points(
    axes: Axes, places: Sequence[float], shares: Sequence[Mapping[str, Any]], series: RunSeries, *, line: bool = True
) -> None:
    """Draw shares in percent with their intervals, which are left out where there are none."""
    values = [100 * share["value"] for share in shares]
    below = [max(0.0, value - 100 * end_of(share, "low")) for value, share in zip(values, shares, strict=True)]
    above = [max(0.0, 100 * end_of(share, "high") - value) for value, share in zip(values, shares, strict=True)]
    look = series.look if line else {**series.look, "linestyle": ""}
    axes.errorbar(places, values, (below, above), markersize=4, linewidth=1.4, elinewidth=1, capsize=2, clip_on=False, **look)  # fmt: skip


def end_of(share: Mapping[str, Any], end: str) -> float:
    """One end of a share's interval; the share itself where it has none."""
    found = share.get(end)
    return float(share["value"] if found is None else found)


def in_percent(axes: Axes) -> None:
    """Give a plot an axis of shares in percent."""
    axes.set_ylim(0, 100)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.grid(axis="y", color=COLOURS["line"], linewidth=0.6)
    axes.set_axisbelow(True)
