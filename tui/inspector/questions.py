"""Asking the moments of a run again: opens the dialog and the list of answers, and knows the commands that are under way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from textual.app import App

from replay.records import Moment, Record
from replay.run.sources.tape_shelf import TapeShelf
from server.errors import SettingsError
from tui.inspector.again.answers import ListedAnswer, answers_to
from tui.inspector.again.asker import Asker
from tui.inspector.again.question import Question, config_with, question_of
from tui.inspector.commands import words_for
from tui.inspector.model import RunView
from tui.inspector.screens.answers import AnswersScreen
from tui.terminal_text import message


class Questions:
    """The questions of one inspector. `show` is given the answer that the person chooses; `environment` holds the keys of model servers."""

    def __init__(
        self, app: App[None], folder: Path, environment: Mapping[str, str], show: Callable[[ListedAnswer], None]
    ) -> None:
        self._app, self._folder, self._show = app, folder, show
        self.asker = Asker(folder, environment)

    def ask(self, record: Record, run: RunView, tapes: TapeShelf) -> None:
        """Open the dialog for a moment, then the list of answers."""
        if run.config.get("mode") == "drive":
            self._notify("In drive mode a moment depends on what was accepted before: it cannot be asked alone.")
            return
        start = partial(self._start, record.moment, tapes.path(record.moment.tape), run)
        from tui.inspector.screens.again import AgainDialog  # imports all providers, which takes a tenth of the start

        if question := self._question(run):
            dialog = AgainDialog(question, start, self.asker)
            self._app.push_screen(dialog, lambda number: None if number is None else self.answers(record, run, number))

    def answers(self, record: Record, run: RunView, at: int = 0) -> None:
        """Open the list of answers to a moment, with the cursor on the one of that number."""
        if question := self._question(run):
            own = ListedAnswer(0, question, record)
            read = partial(self._read, own, record.moment.id)
            self._app.push_screen(AnswersScreen(read, self.asker.stop, at), self._chosen)

    def _start(self, moment: Moment, origin: str, run: RunView, question: Question) -> int:
        return self.asker.ask(words_for(moment.id, origin, config_with(run.config, question)))

    def _question(self, run: RunView) -> Question | None:
        try:
            return question_of(run.config)
        except SettingsError as error:
            self._notify(f"The settings of this run cannot be read: {error}")
            return None

    def _read(self, own: ListedAnswer, moment: str) -> list[ListedAnswer]:
        return [own, *answers_to(self._folder, moment)]

    def _chosen(self, answer: ListedAnswer | None) -> None:
        if answer is not None:
            self._show(answer)

    def _notify(self, text: str) -> None:
        self._app.notify(message(text), markup=False)
