"""What the live screen asks, and its help."""

from __future__ import annotations

import re
from typing import ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from tui.glossary import ENDINGS, VERDICTS
from tui.live.live_text import AWAITED, ENDING_MARKS, FAINT, TIMES, VERDICT_MARKS, Mark
from tui.terminal_text import sanitize

ScreenEnd: TypeAlias = Literal["ended", "left", "stopped"]
"""How the screen was closed: the run had ended, it goes on, or it is to be ended."""
_TIME = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d+)?)")

KEYS = (
    ("space", "pause, or go on"),
    ("n", "go on to the end of the next moment, and pause"),
    (".", "carry out one instruction, and pause"),
    ("+ -", f"faster, slower: {TIMES}0.25 to {TIMES}1,000 of the tape's own time"),
    ("=", f"the tape's own time ({TIMES}1)"),
    ("f", "as fast as it goes"),
    (">", "go on for a minute of the tape without a wait"),
    ("g", "go to a time of the tape"),
    ("tab 1-9", "show another tape or corpus"),
    ("l", "show what is being played again"),
    ("T", "the next theme: dark, light, the terminal's own, high contrast"),
    ("ctrl+p", "command palette"),
    ("q", "close the screen"),
)


def help_text() -> Content:
    """The keys and the letters, a line each."""
    lines = [Content("Keys").stylize("bold $heading")]
    lines += [Content.assemble((f"{key:>8}", "bold"), f"  {what}") for key, what in KEYS]
    lines += [Content("No key changes a result. Escape closes this.").stylize(FAINT), Content("")]
    lines += [Content("How a moment ended in the editor").stylize("bold $heading")]
    lines += [_letter(mark, name, ENDINGS[name]) for name, mark in ENDING_MARKS.items()]
    lines += [Content(""), Content("What its tests said").stylize("bold $heading")]
    lines += [_letter(AWAITED, "awaited", "its tests are queued or run")]
    lines += [_letter(mark, name, VERDICTS[name]) for name, mark in VERDICT_MARKS.items()]
    return Content("\n").join(lines)


def _letter(mark: Mark, name: str, meaning: str) -> Content:
    return Content.assemble((f"{mark.letter:>8}", f"bold {mark.style}"), f"  {name}: {meaning}")


class LeaveScreen(ModalScreen[ScreenEnd | None]):
    """Asks what becomes of the run when the screen is closed; None: the screen stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,g,q", "choose('left')", "Let it go on"),
        Binding("e", "choose('stopped')", "End it"),
        Binding("escape", "choose", "Stay"),
    ]

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Vertical(classes="dialog"):
            yield Label("The run has not ended.", classes="question", markup=False)
            yield Static(
                Content.assemble(
                    ("Enter", "bold"),
                    "   close the screen, and let the run go on; come back with\n",
                    f"ghosttape tui --follow {sanitize(self._folder)}\n",
                    ("e", "bold"),
                    "       end the run; what is finished is kept\n",
                    ("Escape", "bold"),
                    "  stay here",
                ),
                markup=False,
            )

    def action_choose(self, choice: ScreenEnd | None = None) -> None:
        """Answer."""
        self.dismiss(choice)


class JumpScreen(ModalScreen[float | None]):
    """Asks for a time of the tape; gives it in ms, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Stay")]

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        """Lay out the field."""
        with Vertical(classes="dialog"):
            yield Label(
                f"Go to which time of the tape? It is {self._now} now, and a replay only goes on.", markup=False
            )
            yield Input(placeholder="12:30, or seconds", restrict=r"[\d:.]*")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the time, if it is one."""
        ms = parse_time(event.value)
        if ms is None:
            self.query_one(Label).update("A time is h:mm:ss, m:ss or seconds.")
        else:
            self.dismiss(ms)

    def action_leave(self) -> None:
        """Go nowhere."""
        self.dismiss(None)


def parse_time(text: str) -> float | None:
    """Return the ms of `1:02:03`, `2:03` or `3.5`; None if it is none of these."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 1000 * (3600 * hours + 60 * minutes + seconds)
