"""The text on the screen when there is nothing to inspect."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.inspector.code import FAINT
from tui.inspector.model import RunView
from tui.summary_figures import entries
from tui.terminal_text import bounded


class Notice(Static):
    """Says why there are no moments and what to do."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show_unreadable(self, reason: str) -> None:
        """Say why the folder holds no run that can be read."""
        self._show("No run to show.", reason, "A run is the folder that `ghosttape replay … --out DIR` writes.")

    def show_empty(self, run: RunView) -> None:
        """Say that the run has no moments yet, and which tapes it leaves out."""
        why = f"{run.folder} holds a run, but none of its moments has ended yet."
        left = [f"Left out: {entry['tape']}: {entry['reason']}" for entry in entries(run.summary, "left_out")]
        self._show(
            "No moments yet.",
            "\n\n".join([why, *left]),
            "If the run is still going on, its moments appear here by themselves.",
        )

    def _show(self, what: str, why: str, hint: str) -> None:
        parts = [Content(what).stylize("bold $text-warning"), Content(bounded(why)), Content(hint).stylize(FAINT)]
        self.update(Content("\n\n").join(parts))
