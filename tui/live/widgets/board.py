"""The figures: a line each on a narrow screen; on a wide one a column of them, with the moments that ended last below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content
from textual.widgets import Static

from tui.live import live_text
from tui.live.live_text import FAINT
from tui.live.state import Lane, LiveState
from tui.summary_figures import Summary


@dataclass(frozen=True, slots=True)
class ShownLane:
    """What is shown: the run, one of its lanes, and the figures over all lanes."""

    state: LiveState
    lane: Lane
    figures: Summary


_ROWS: tuple[tuple[str, Callable[[ShownLane, int], Content]], ...] = (
    ("passed", lambda shown, _: live_text.passed(shown.figures, shown.state)),
    ("untestable", lambda shown, _: live_text.untestable(shown.figures)),
    ("endings", lambda shown, _: live_text.endings(shown.figures)),
    ("latency", lambda shown, width: live_text.latencies(shown.figures, shown.state, width)),
    ("tests", lambda shown, _: live_text.tests(shown.state, shown.lane)),
    ("pace", lambda shown, _: live_text.pace(shown.state, shown.lane)),
)


class Board(Static):
    """The figures of the run, and what is being done."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, shown: ShownLane, *, wide: bool) -> None:
        """Show the figures as they are now."""
        width = self.size.width - 2
        found = _column(shown, width, self.size.height) if wide else _lines(shown, width)
        if not (isinstance(self.content, Content) and found.is_same(self.content)):
            self.update(found, layout=False)


def _lines(shown: ShownLane, width: int) -> Content:
    rows = []
    for label, said in _ROWS:
        content = said(shown, width - live_text.LABEL)
        rows.append(Content.assemble((f"{label:<{live_text.LABEL}}", FAINT), content).truncate(width, ellipsis=True))
    return Content("\n").join(rows)


def _column(shown: ShownLane, width: int, height: int) -> Content:
    rows: list[Content] = []
    for label, said in _ROWS:
        rows.append(Content(label).stylize("bold $heading"))
        rows += [line.pad_left(1) for line in said(shown, width - 1).wrap(max(8, width - 1))]
    room = height - len(rows) - 1
    if room > 0:
        rows.append(Content("latest moments").stylize("bold $heading"))
        rows += [line.pad_left(1) for line in live_text.latest(shown.lane, room, width)]
    return Content("\n").join(rows)
