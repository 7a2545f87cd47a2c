"""Labelling for a calibration: one case after the other, the truth, the response, and a score. What a judge said is not shown."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from msgspec import structs
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from corpora.calibration import LabelledCase, read_cases, write_cases
from corpora.usefulness import GAP
from server.judging import Rubric
from tui.terminal_text import one_line, sanitize
from tui.text_dialog import TextDialog
from tui.themes import ThemedApp

_TEN = 10
_ABOVE_GAP = 2
"""Lines above a gap that stay on the screen."""
_HELP = """Above stands what the text below it is scored against. The judge is told the same as you: the words at the top.

0 … 9     give this score, if it is on the scale, and go to the next case without one
t         ten
n p       the next case, the one before
up down   scroll the text below; shift with them scrolls the one above
q         quit; every score is kept at once"""


class LabellingApp(ThemedApp):
    """Shows the cases of a file to one rater, who scores them by the rubric of a judge."""

    TITLE = "ghosttape judge label"
    CSS_PATH = "app.tcss"
    AUTO_FOCUS = "#response"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "go(1)", "Next", key_display="n p"),
        Binding("p", "go(-1)", "Before", show=False),
        Binding("shift+up", "scroll(-1)", "Above", key_display="shift ↑↓"),
        Binding("shift+down", "scroll(1)", "Above", show=False),
        Binding("question_mark", "keys", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, file: Path, rubric: Rubric, rater: str) -> None:
        super().__init__()
        self.file, self.rubric, self.rater = file, rubric, rater
        self._bind_scores()
        self.cases: list[LabelledCase] = read_cases(file)
        self._at = next((at for at, case in enumerate(self.cases) if case.label is None), 0)

    def _bind_scores(self) -> None:
        """A key for each score on the scale; the first stands for all in the footer."""
        low, high = int(self.rubric.low), int(self.rubric.high)
        all_keys = f"{low}-{min(high, _TEN - 1)}{' t' if high == _TEN else ''}"
        for number in range(low, high + 1):
            key = "t" if number == _TEN else str(number)
            self.bind(key, f"score({number})", description="Score", show=number == low, key_display=all_keys)

    @property
    def shown(self) -> LabelledCase:
        """The case on the screen."""
        return self.cases[self._at]

    def compose(self) -> ComposeResult:
        """Lay out the rubric, the two texts and the score."""
        yield Static("", id="headline", markup=False)
        with Vertical(id="texts"):
            for name, title in (("truth", self.rubric.titles[0].lower()), ("response", "to be scored")):
                with VerticalScroll(id=name, classes="side") as side:
                    side.border_title = title
                    yield Static("", markup=False)
        yield Static("", id="label", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first case without a score."""
        self.action_go(0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action is possible: under a dialog none of the screen's is."""
        return len(self.screen_stack) == 1 or f"action_{action}" not in LabellingApp.__dict__

    def action_go(self, step: int) -> None:
        """Show the case so many further on."""
        self._at = (self._at + step) % len(self.cases)
        for name, text in (("truth", sanitize(self.shown.truth)), ("response", sanitize(self.shown.response))):
            at = text.find(GAP)
            content = Content(text) if at < 0 else Content(text).stylize("reverse bold", at, at + len(GAP))
            self.query_one(f"#{name} Static", Static).update(content)
            self.query_one(f"#{name}", VerticalScroll).scroll_to(
                y=max(0, text.count("\n", 0, at) - _ABOVE_GAP) if at >= 0 else 0, animate=False
            )
        self._show()

    def action_score(self, score: int) -> None:
        """Keep a score, and go to the next case without one."""
        case = structs.replace(self.shown, label=float(score), rater=self.rater)
        try:
            write_cases(self.file, [case])
        except OSError as error:
            self.notify(f"The score cannot be kept: {error.strerror}", severity="error", markup=False)
            return
        self.cases[self._at] = case
        order = [*range(self._at + 1, len(self.cases)), *range(self._at)]
        following = next((at for at in order if self.cases[at].label is None), self._at)
        self.action_go(following - self._at)

    def action_scroll(self, lines: int) -> None:
        """Scroll the ground truth."""
        self.query_one("#truth", VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_keys(self) -> None:
        """Explain the keys."""
        self.push_screen(TextDialog(Content(_HELP)))

    def _show(self) -> None:
        done = sum(case.label is not None for case in self.cases)
        place = f"{one_line(self.shown.name)}   case {self._at + 1} of {len(self.cases)}, {done} scored"
        told = " ".join(self.rubric.instructions.split())
        self.query_one("#headline", Static).update(Content(f"{place}\n{sanitize(told)}"))
        label = self.shown.label
        words = "no score yet" if label is None else f"your score: {label:g}"
        scale = f"{self.rubric.low:g} to {self.rubric.high:g}"
        self.query_one("#label", Static).update(Content(f"{words} (scale {scale})"))
