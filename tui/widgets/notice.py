"""What fills the screen when there is nothing to inspect."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.widgets import Static

from tui.code import FAINT
from tui.plain import plain


class Notice(Static):
    """Says why there are no moments, and what to do."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def unreadable(self, reason: str) -> None:
        """Say that the folder holds no run that can be read."""
        self._say("This is no run.", reason, "A run is the folder that `ghosttape replay … --out DIR` writes.")

    def empty(self, folder: Path) -> None:
        """Say that the run has no moments yet."""
        why = f"{folder} holds a run, but no moment of it has ended yet."
        self._say("No moments yet.", why, "If it is still being written, r reads it again.")

    def _say(self, what: str, why: str, hint: str) -> None:
        parts = [Content(what).stylize("bold $text-warning"), Content(plain(why)), Content(hint).stylize(FAINT)]
        self.update(Content("\n\n").join(parts))
