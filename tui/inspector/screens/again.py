"""The dialog that asks a moment again: with another provider, model, prompt, temperature or set of repairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Checkbox, Input, Static

from replay.errors import ServerError
from server.errors import SettingsError
from server.providers.registry import known_providers
from server.settings import REPAIRS
from tui.inspector.again.asker import Asker
from tui.inspector.again.question_fields import Question
from tui.terminal_text import bounded, message, one_line

_EVERY_S = 0.1
"""How often it is looked whether the command has begun."""
_ROWS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (("provider", "Provider", ""), ("model", "Model", "the provider's own")),
    (("base_url", "Base URL", "the provider's own"),),
    (("text", "Text", "answer of provider fixed"),),
    (("template", "Template", "by the model's name"), ("max_tokens", "Tokens", "of the answer")),
    (("before", "Before", "prompt's tokens: own"), ("after", "After", "prompt's tokens: own")),
    (("temperature", "Temperature", "0"), ("seed", "Seed", "0")),
)
"""The fields with their labels and what stands in them while they are empty."""


class AgainDialog(ModalScreen[int | None]):
    """Asks again. Ends with the number of the answer once the command has begun, or with None."""

    AUTO_FOCUS = "#provider"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", priority=True)]

    def __init__(self, question: Question, ask: Callable[[Question], int], asker: Asker) -> None:
        super().__init__()
        self._given, self._ask, self._asker = question, ask, asker
        self._number: int | None = None

    def compose(self) -> ComposeResult:
        """Lay out the fields."""
        with Vertical(id="dialog"):
            yield Static("Ask again at this moment (the run stays as it is)", classes="title")
            for row in _ROWS:
                with Horizontal(classes="row"):
                    for at, (name, label, empty) in enumerate(row):
                        yield Static(label, classes="label second" if at else "label")
                        yield self._field(name, empty)
            with Horizontal(classes="row"):
                yield Static("Repairs", classes="label")
                for repair in REPAIRS:
                    yield Checkbox(repair, repair in self._given.repairs, id=repair, compact=True)
            with Horizontal(classes="row"):
                yield Static("Further", classes="label")
                empty = 'settings as JSON: {"context": {"edits": 0}}'
                yield Input(one_line(self._given.other), empty, id="other", compact=True)
            with VerticalScroll(id="said"):
                yield Static("", markup=False)
            yield Static("⏎ ask   tab next field   space repair on/off   escape cancel", classes="keys", markup=False)

    @property
    def question(self) -> Question:
        """What the fields hold now."""
        values = {name: self._typed(name, given) for name, given in self._given.values.items()}
        repairs = tuple(repair for repair in REPAIRS if self.query_one(f"#{repair}", Checkbox).value)
        return Question(values, repairs, self._typed("other", self._given.other))

    def on_mount(self) -> None:
        """Look now and then whether the command has begun."""
        for box in self.query(Checkbox):
            _sign(box)
        self.set_interval(_EVERY_S, self._look)

    def action_cancel(self) -> None:
        """End without an answer; a command that has not begun is ended."""
        if self._number is not None:
            self._asker.stop(self._number)
        self.dismiss(None)

    @on(Checkbox.Changed)
    def _switched(self, event: Checkbox.Changed) -> None:
        _sign(event.checkbox)

    @on(Input.Submitted)
    def _start(self) -> None:
        if self._number is not None:
            return
        try:
            self._number = self._ask(self.question)
        except (SettingsError, ServerError, OSError) as error:
            self._say(message(error))
        else:
            self._say("asking …")

    def _look(self) -> None:
        number = self._number
        if number is None:
            return
        if self._asker.has_begun(number):
            self.dismiss(number)
        elif self._asker.has_ended(number):
            self._number = None
            self._say(self._asker.discard(number))

    def _say(self, text: str) -> None:
        self.query_one("#said Static", Static).update(Content(bounded(text)))

    def _field(self, name: str, empty: str) -> Input:
        known = SuggestFromList(known_providers()) if name == "provider" else None
        return Input(one_line(self._given.values[name]), empty, suggester=known, id=name, compact=True)

    def _typed(self, name: str, given: str) -> str:
        """Return what a field holds. What was not changed stays as it was given, also where signs stand for hidden characters."""
        shown = self.query_one(f"#{name}", Input).value
        return given if shown == one_line(given) else shown


def _sign(box: Checkbox) -> None:
    """Show the state of a box as a sign, not by its colour alone."""
    box.BUTTON_INNER = "X" if box.value else " "
    box.refresh()
