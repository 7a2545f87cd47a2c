"""The figures of the run, at the top of the screen."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.inspector.code import FAINT
from tui.inspector.model import RunView
from tui.summary_figures import counts, judged_counts, passed_words, share_words, testable_share
from tui.terminal_text import one_line, shorten

GAP = 2


class SummaryHeader(Widget):
    """The run, its moments and tests, and how its moments ended. No figure is cut: a narrow screen shows more lines."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Content] = []
        self.has_figures = False

    def show(self, run: RunView) -> None:
        """Show the figures of `run`."""
        self._parts = [*_figures(run), *_endings(run)]
        self.has_figures = True
        self.refresh(layout=True)

    def show_waiting(self, run: RunView) -> None:
        """Show what is known of `run` before its figures are."""
        self._parts = [*_begin(run), _figure("moments", f"{run.total:,}"), Content("counting …").stylize(FAINT)]
        self.refresh(layout=True)

    def render(self) -> Content:
        """Draw the figures."""
        return Content("\n").join(packed(self._parts, self.size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that the figures need."""
        return len(packed(self._parts, width))


def packed(parts: Iterable[Content], width: int) -> list[Content]:
    """Put parts on as few lines of `width` cells as their order allows; no part is broken."""
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + GAP + part.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], " " * GAP, part)
        else:
            lines.append(part)
    return lines


def _begin(run: RunView) -> Iterable[Content]:
    yield Content(shorten(one_line(run.folder.resolve().name), 60)).stylize("bold $text-accent")
    if run.state:
        yield Content(f"not finished: {run.state}").stylize("bold $text-warning")


def _figures(run: RunView) -> Iterable[Content]:
    yield from _begin(run)
    yield _figure("moments", f"{run.summary.get('moments', run.total):,}")
    if passed := passed_words(run.summary, name_interval=False):
        yield _figure("tests passed", passed)
        if share := share_words(testable_share(run.summary)):
            yield _figure("testable", share)
    judged = judged_counts(run.summary)
    found = [(name, number) for name, number in (("untestable", judged.untestable), ("not tested", judged.untested))]
    yield from (_figure(name, f"{number:,}") for name, number in found if number)
    if not passed and not any(number for _, number in found):
        yield Content("no verdicts").stylize(FAINT)


def _endings(run: RunView) -> Iterable[Content]:
    for index, (name, number) in enumerate(counts(run.summary, "endings").items()):
        yield _figure(name if index else f"ended: {name}", f"{number:,}")


def _figure(name: str, text: str) -> Content:
    return Content.assemble((f"{one_line(name)} ", FAINT), (text, "bold"))
