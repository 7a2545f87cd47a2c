"""What fills the screen when there is nothing to inspect."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.code import FAINT
from tui.model import RunView
from tui.plain import plain


class Notice(Static):
    """Says why there are no moments, and what to do."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def unreadable(self, reason: str) -> None:
        """Say that the folder holds no run that can be read."""
        self._say("This is no run.", reason, "A run is the folder that `ghosttape replay … --out DIR` writes.")

    def empty(self, run: RunView) -> None:
        """Say that the run has no moments, and which tapes were left out of it."""
        why = f"{run.folder} holds a run, but no moment of it has ended yet."
        left = [f"Left out: {entry['tape']}: {entry['reason']}" for entry in run.summary.get("left_out", ())]
        self._say("No moments yet.", "\n\n".join([why, *left]), "If it is still being written, r reads it again.")

    def _say(self, what: str, why: str, hint: str) -> None:
        parts = [Content(what).stylize("bold $text-warning"), Content(plain(why)), Content(hint).stylize(FAINT)]
        self.update(Content("\n\n").join(parts))
