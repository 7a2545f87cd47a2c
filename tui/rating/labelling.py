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
from tui.rating.rating_app import ENDS, STEPS, RatingApp
from tui.terminal_text import one_line, sanitize

_TEN = 10
_ABOVE_GAP = 2
"""Lines above a gap that stay on the screen."""
_HELP = """Above stands what the text below it is scored against. The judge is told the same as you: the words at the top.

0 … 9     give this score, if it is on the scale, and go to the next case without one
t         ten
n p       the next case, the one before
up down   scroll the text below; shift with them scrolls the one above
q         quit; every score is kept at once"""


class LabellingApp(RatingApp[LabelledCase]):
    """Shows the cases of a file to one rater, who scores them by the rubric of a judge."""

    TITLE = "ghosttape judge label"
    CSS_PATH = ["rating.tcss", "labelling.tcss"]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    HELP = _HELP
    ANSWER = "The score"
    AUTO_FOCUS = "#response"
    BINDINGS: ClassVar[list[BindingType]] = [
        *STEPS,
        Binding("shift+up", "scroll(-1)", "Above", key_display="shift ↑↓"),
        Binding("shift+down", "scroll(1)", "Above", show=False),
        *ENDS,
    ]

    def __init__(self, file: Path, rubric: Rubric, rater: str) -> None:
        self.cases: list[LabelledCase] = read_cases(file)
        super().__init__(self.cases)
        self.file, self.rubric, self.rater = file, rubric, rater
        self._bind_scores()

    def _bind_scores(self) -> None:
        """A key for each score on the scale; the first stands for all in the footer."""
        low, high = int(self.rubric.low), int(self.rubric.high)
        all_keys = f"{low}-{min(high, _TEN - 1)}{' t' if high == _TEN else ''}"
        for number in range(low, high + 1):
            key = "t" if number == _TEN else str(number)
            self.bind(key, f"score({number})", description="Score", show=number == low, key_display=all_keys)

    def is_answered(self, item: LabelledCase) -> bool:
        """Whether a case has a score."""
        return item.label is not None

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

    def show_item(self) -> None:
        """Show the two texts, and the score."""
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
        if self.is_kept(lambda: write_cases(self.file, [case])):
            self.cases[self._at] = case
            self.go_on()

    def action_scroll(self, lines: int) -> None:
        """Scroll the ground truth."""
        self.query_one("#truth", VerticalScroll).scroll_relative(y=lines, animate=False)

    def _show(self) -> None:
        done = sum(case.label is not None for case in self.cases)
        place = f"{one_line(self.shown.name)}   case {self._at + 1} of {len(self.cases)}, {done} scored"
        told = " ".join(self.rubric.instructions.split())
        self.query_one("#headline", Static).update(Content(f"{place}\n{sanitize(told)}"))
        label = self.shown.label
        words = "no score yet" if label is None else f"your score: {label:g}"
        scale = f"{self.rubric.low:g} to {self.rubric.high:g}"
        self.query_one("#label", Static).update(Content(f"{words} (scale {scale})"))
