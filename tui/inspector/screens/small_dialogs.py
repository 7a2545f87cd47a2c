"""Small dialogs: a line of text, or one of several names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.terminal_text import one_line, shorten


class TextInputDialog(ModalScreen[str | None]):
    """Asks for a line of text. Ends with it, or with None."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel", priority=True)]

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Lay out the question and the field."""
        with Vertical(id="dialog", classes="small"):
            yield Static(Content(self._title), classes="title")
            yield Input(self._text, compact=True)
            yield Static("⏎ keep   escape cancel", classes="keys", markup=False)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class ChoiceDialog(ModalScreen[tuple[str, bool] | None]):
    """Offers names with their meanings. Ends with a name and whether it is to be removed, or with None."""

    AUTO_FOCUS = "OptionList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", priority=True),
        Binding("delete,x", "remove", "Remove"),
    ]

    def __init__(self, title: str, choices: Mapping[str, str]) -> None:
        super().__init__()
        self._title, self._choices = title, choices

    def compose(self) -> ComposeResult:
        """Lay out the names."""
        with Vertical(id="dialog", classes="small"):
            yield Static(Content(self._title), classes="title")
            yield OptionList(
                *(
                    Option(Content(f"{shorten(one_line(name), 24):<24}  {shorten(one_line(meaning), 60)}"))
                    for name, meaning in self._choices.items()
                ),
                markup=False,
            )
            yield Static("⏎ use   x remove   escape cancel", classes="keys", markup=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss((list(self._choices)[event.option_index], False))

    def action_remove(self) -> None:
        """End with the name under the cursor, to be removed."""
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.dismiss((list(self._choices)[at], True))
