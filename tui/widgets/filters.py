"""The line of filters: by ending, by verdict, by tape, by text."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Select, Static

from tui.messages import FilterChanged, FilterLeft
from tui.model import Filter, RunView
from tui.plain import plain, shorten


class SearchInput(Input):
    """A text to look for. Enter and Escape go back to the list; Escape also forgets the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Forget", priority=True),
        Binding("enter,down", "done", "Search", key_display="⏎"),
    ]

    def action_leave(self) -> None:
        """Forget the text and go back."""
        self.value = ""
        self.post_message(FilterLeft())

    def action_done(self) -> None:
        """Go back to the list."""
        self.post_message(FilterLeft())


class FilterBar(Horizontal):
    """Lets the person choose moments; posts `FilterChanged`."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = Filter()

    def compose(self) -> ComposeResult:
        """Lay out the filters in one line."""
        for name in ("ending", "verdict", "tape"):
            yield Select[str]([], prompt=f"any {name}", id=name, compact=True)
        yield SearchInput(placeholder="/ search", id="search", compact=True)
        yield Static("", id="shown", markup=False)

    def offer(self, run: RunView) -> None:
        """Offer what occurs in `run`, with its count; choices that still occur are kept."""
        for name, found in (("ending", run.endings()), ("verdict", run.verdicts()), ("tape", run.by_tape())):
            self._offer(name, found)

    def told(self, shown: int, total: int) -> None:
        """Say how many moments are left."""
        words = ["failures: "] if self.wanted.failures else []
        self.query_one("#shown", Static).update("".join([*words, f"{shown:,} of {total:,}"]))

    def open(self, name: str) -> None:
        """Give the focus to one filter and open its choices."""
        select = self.query_one(f"#{name}", Select)
        self.screen.set_focus(select)
        select.action_show_overlay()

    def search(self) -> None:
        """Give the focus to the search text."""
        self.screen.set_focus(self.query_one(SearchInput))

    def toggle_failures(self) -> None:
        """Show failures only, or all again."""
        self._want(failures=not self.wanted.failures)

    def forget(self) -> None:
        """Show all moments again."""
        for select in self.query(Select):
            select.clear()
        self.query_one(SearchInput).value = ""
        self._want(failures=False)

    @on(Select.Changed)
    def _chosen(self, event: Select.Changed) -> None:
        event.stop()
        self._want(**{str(event.select.id): "" if event.value is Select.NULL else str(event.value)})

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._want(text=event.value)

    def _want(self, **changes: str | bool) -> None:
        wanted = dataclasses.replace(self.wanted, **changes)  # type: ignore[arg-type]
        if wanted != self.wanted:
            self.wanted = wanted
            self.post_message(FilterChanged(wanted))

    def _offer(self, name: str, found: Mapping[str, int]) -> None:
        select = self.query_one(f"#{name}", Select)
        chosen = getattr(self.wanted, name)
        most = sorted(Counter(found).items(), key=lambda pair: (-pair[1], pair[0]))
        with self.prevent(Select.Changed):
            select.set_options([(Text(f"{shorten(plain(value), 24)} {number:,}"), value) for value, number in most])
            if chosen in found:
                select.value = chosen
        if chosen and chosen not in found:
            self._want(**{name: ""})
