"""The dialog of the screens that only shows something: help, notes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static


class TextDialog(ModalScreen[None]):
    """A text over the screen, until a key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,i,q,enter", "dismiss", "Close")]

    def __init__(self, text: Content) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with VerticalScroll(classes="dialog"):
            yield Static(self._text, markup=False)
