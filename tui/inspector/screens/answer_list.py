"""The list of answers to one moment: that of the run, and those to the questions that were asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.glossary import verdict_label
from tui.inspector.again.again_answers import ListedAnswer
from tui.inspector.again.question_fields import difference_words
from tui.terminal_text import headline, one_line

_EVERY_S = 0.5
"""How often the answers are read again."""


class AnswersScreen(ModalScreen[ListedAnswer | None]):
    """Lists answers while they come; the first is that of the run. Ends with the one that is to be shown, or with None."""

    AUTO_FOCUS = "OptionList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,A,q", "dismiss(None)", "Back", priority=True),
        Binding("x", "stop", "End it"),
        Binding("j", "list('cursor_down')", show=False),
        Binding("k", "list('cursor_up')", show=False),
    ]

    def __init__(self, read: Callable[[], Sequence[ListedAnswer]], stop: Callable[[int], bool], at: int | None) -> None:
        super().__init__()
        self._read, self._stop, self._at = read, stop, at
        self.answers: list[ListedAnswer] = []

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(id="dialog", classes="answers"):
            yield Static("The answers at this moment", classes="title")
            yield OptionList(markup=False)
            yield Static("⏎ show it in the pages   x end it   escape back", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Read the answers, and again now and then."""
        self._refresh()
        numbers = [answer.number for answer in self.answers]
        self.query_one(OptionList).highlighted = numbers.index(self._at) if self._at in numbers else 0
        self.set_interval(_EVERY_S, self._refresh)

    def action_list(self, name: str) -> None:
        """Move the cursor of the list."""
        getattr(self.query_one(OptionList), f"action_{name}")()

    def action_stop(self) -> None:
        """End the command that makes the answer under the cursor."""
        at = self.query_one(OptionList).highlighted
        if at is not None and not self._stop(self.answers[at].number):
            self.notify("Nothing that this inspector has started runs here.", timeout=3)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        answer = self.answers[event.option_index]
        if answer.record is not None:
            self.dismiss(answer)

    def _refresh(self) -> None:
        answers, options = list(self._read()), self.query_one(OptionList)
        if answers == self.answers:
            return
        at, self.answers = options.highlighted, answers
        options.clear_options()
        options.add_options(Option(_lines(answer, answers[0])) for answer in answers)
        options.highlighted = at


def _lines(answer: ListedAnswer, base: ListedAnswer) -> Content:
    """Return three lines: who was asked and how, what came of it, and how the suggestion begins."""
    values = answer.question.values
    who = " ".join(part for part in (values["provider"], values["model"]) if part)
    how = difference_words(answer.question, base.question) if answer.number else "the run"
    first = Content.assemble((f"{answer.number or '·':>3}  {one_line(who)}", "bold"), ("  " + one_line(how), "$faint"))
    return Content("\n").join([first, Content(f"     {_outcome(answer)}"), Content(f"     {_suggested(answer)}")])


def _outcome(answer: ListedAnswer) -> str:
    record = answer.record
    if record is None:
        return answer.state or "no answer"
    verdict = verdict_label(record.verdict) or ("not tested" if not answer.state else "")
    said = record.verdict.message if record.verdict else ""
    parts = [one_line(str(record.ending)), one_line(verdict), answer.state, headline(said)]
    return " · ".join(part for part in parts if part)


def _suggested(answer: ListedAnswer) -> str:
    if answer.record is None:
        return one_line(answer.said.splitlines()[-1]) if answer.said else ""
    suggestion = answer.record.suggestion
    return (headline(suggestion.text) if suggestion else "") or "nothing was offered"
