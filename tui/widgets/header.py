"""The figures of the run, at the top of the screen."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.code import FAINT
from tui.model import RunView
from tui.plain import plain, shorten
from tui.summary import counts, passed_words


class SummaryHeader(Static):
    """Two lines: the run, its moments and tests; then how its moments ended."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, run: RunView) -> None:
        """Show the figures of `run`."""
        self.update(Content("\n").join([self._figures(run), self._endings(run)]))

    def _figures(self, run: RunView) -> Content:
        moments = run.summary.get("moments", len(run.records))
        passed = passed_words(run.summary)
        return Content.assemble(
            (shorten(plain(run.folder.resolve().name), 18), "bold $text-accent"),
            f"  {moments:,} moments",
            ("  tests passed " if passed else "  no verdicts", FAINT),
            (passed, "bold"),
        )

    def _endings(self, run: RunView) -> Content:
        found = counts(run.summary, "endings").items()
        parts = [Content.assemble((f"{name} ", FAINT), f"{number:,}") for name, number in found]
        untestable = sum(counts(run.summary, "untestable").values())
        parts += [Content.assemble(("│ untestable ", FAINT), f"{untestable:,}")] if untestable else []
        return Content("  ").join(parts)
