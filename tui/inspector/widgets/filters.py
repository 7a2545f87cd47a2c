"""The line of filters: ending, verdict, tape and a text to search for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Select, Static

from tui.inspector.messages import FilterChanged, FilterClosed
from tui.inspector.model import MomentFilter, RunView
from tui.terminal_text import one_line, shorten


class SearchInput(Input):
    """The text to search for. Enter and Escape return to the list; Escape also clears the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear", "Clear", priority=True),
        Binding("enter,down", "done", "Search", key_display="⏎"),
    ]

    def action_clear(self) -> None:
        """Clear the text and return to the list."""
        self.value = ""
        self.post_message(FilterClosed())

    def action_done(self) -> None:
        """Return to the list."""
        self.post_message(FilterClosed())


class FilterBar(Horizontal):
    """The filters that select moments. Posts `FilterChanged`."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = MomentFilter()

    def compose(self) -> ComposeResult:
        """Lay out the filters in one line."""
        for name in ("ending", "verdict", "tape"):
            yield Select[str]([], prompt=f"any {name}", id=name, compact=True)
        yield SearchInput(placeholder="/ search", id="search", compact=True)
        yield Static("", id="shown", markup=False)

    def set_choices(self, run: RunView) -> None:
        """Set the choices to the values that occur in `run`, with their counts. A chosen value that still occurs stays chosen."""
        for name, found in (
            ("ending", run.ending_counts()),
            ("verdict", run.verdict_counts()),
            ("tape", run.tape_counts()),
        ):
            self._set_choices_of(name, found)

    def show_count(self, shown: int, total: int) -> None:
        """Say how many of the moments the filters let through."""
        label = "failures: " if self.wanted.failures else ""
        self.query_one("#shown", Static).update(f"{label}{shown:,} of {total:,}")

    def open(self, name: str) -> None:
        """Give the focus to one filter and open its list of choices."""
        select = self.query_one(f"#{name}", Select)
        self.screen.set_focus(select)
        select.action_show_overlay()

    def search(self) -> None:
        """Give the focus to the field for the search text."""
        self.screen.set_focus(self.query_one(SearchInput))

    def toggle_failures(self) -> None:
        """Turn the filter for failures on or off."""
        self._change(failures=not self.wanted.failures)

    def clear(self) -> None:
        """Turn every filter off."""
        for select in self.query(Select):
            select.clear()
        self.query_one(SearchInput).value = ""
        self._change(failures=False)

    @on(Select.Changed)
    def _choice_changed(self, event: Select.Changed) -> None:
        event.stop()
        self._change(**{str(event.select.id): "" if event.value is Select.NULL else str(event.value)})

    @on(Input.Changed)
    def _text_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._change(text=event.value)

    def _change(self, **changes: str | bool) -> None:
        wanted = dataclasses.replace(self.wanted, **changes)  # type: ignore[arg-type]
        if wanted != self.wanted:
            self.wanted = wanted
            self.post_message(FilterChanged(wanted))

    def _set_choices_of(self, name: str, found: Mapping[str, int]) -> None:
        select = self.query_one(f"#{name}", Select)
        chosen = getattr(self.wanted, name)
        ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        with self.prevent(Select.Changed):
            select.set_options(
                [(Text(f"{shorten(one_line(value), 24)} {number:,}"), value) for value, number in ordered]
            )
            if chosen in found:
                select.value = chosen
        if chosen and chosen not in found:
            self._change(**{name: ""})
