"""The screen of keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static


class HelpScreen(ModalScreen[None]):
    """Names keys by groups. Any of ?, q and Escape leaves it."""

    AUTO_FOCUS = "VerticalScroll"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "Back", key_display="escape"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        super().__init__()
        self._groups = groups

    def compose(self) -> ComposeResult:
        """Lay out the groups below each other."""
        with VerticalScroll(id="dialog"):
            yield Static("Keys", classes="title")
            for title, keys in self._groups:
                rows = [Content.assemble((f"  {key:<14}", "bold"), words) for key, words in keys]
                yield Static(Content("\n").join([Content(title).stylize("bold $heading"), *rows, Content("")]))
            yield Static("escape: back", classes="keys", markup=False)

    def action_down(self) -> None:
        """Scroll down."""
        self.query_one(VerticalScroll).scroll_down()

    def action_up(self) -> None:
        """Scroll up."""
        self.query_one(VerticalScroll).scroll_up()
