"""The line under the figures: which moments are shown, in which order, and the text that is searched for."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from replay.run.listing.moment_selection import MomentSelection
from tui.inspector.messages import SearchChanged, SearchClosed
from tui.terminal_text import one_line, shorten


class SearchInput(Input):
    """The text to search for. Enter goes to the first match; Escape also clears the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear", "Clear", priority=True),
        Binding("enter,down", "done", "Search", key_display="⏎"),
    ]

    def action_clear(self) -> None:
        """Clear the text and return to the list."""
        self.value = ""
        self.post_message(SearchClosed())

    def action_done(self) -> None:
        """Return to the list."""
        self.post_message(SearchClosed())


class SelectionBar(Horizontal):
    """Says what is selected, and holds the search field."""

    def compose(self) -> ComposeResult:
        """Lay out the words and the field in one line."""
        yield Static("", id="selected", markup=False)
        yield SearchInput(placeholder="/ search, n N next, & only these", id="search", compact=True)
        yield Static("", id="shown", markup=False)

    def show(self, selection: MomentSelection, shown: int, total: int, found: str) -> None:
        """Say which moments are shown, how many of all they are, and how many match the search."""
        self.query_one("#selected", Static).update(selection_words(selection) or "all moments")
        label = f"{found}  " if found else ""
        self.query_one("#shown", Static).update(f"{label}{shown:,} of {total:,}")

    def focus_search(self) -> None:
        """Give the focus to the field."""
        self.screen.set_focus(self.query_one(SearchInput))

    def set_text(self, text: str) -> None:
        """Write a text into the field without searching for it."""
        with self.prevent(Input.Changed):
            self.query_one(SearchInput).value = text

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(SearchChanged(event.value))


def selection_words(selection: MomentSelection) -> str:
    """Return what a selection shows, as `failures, ending: late or shown, sorted by ms down`."""
    parts = ["failures"] if selection.failures else []
    parts += [
        f"{name}: {' or '.join(shorten(one_line(value), 30) for value in values)}"
        for name, values in selection.facets.items()
    ]
    parts += [f'with "{shorten(one_line(selection.text), 30)}"'] if selection.text else []
    if selection.sort or selection.descending:
        parts.append(f"by {selection.sort or 'tape'} {'▼' if selection.descending else '▲'}")
    return ", ".join(parts)
