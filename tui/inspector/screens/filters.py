"""The dialog of filters: each facet with its values, and how many moments have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from replay.run.listing.moment_selection import FACETS, MomentSelection
from tui.terminal_text import one_line, shorten

_VALUES = 200
"""The most frequent values of a facet that are offered; typing finds the others."""
_NAME = 44
"""The width of a value, in cells."""


class FilterDialog(ModalScreen[MomentSelection]):
    """Chooses values of facets. Ends with the selection."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "Done", priority=True),
        Binding("down", "list", "List", show=False),
        Binding("ctrl+u", "clear", "Clear", priority=True, show=False),
    ]

    def __init__(self, selection: MomentSelection, values: Mapping[str, Mapping[str, int]], first: str = "") -> None:
        super().__init__()
        self._selection, self._values, self._first = selection, values, first
        self._offered: list[tuple[str, str] | None] = []

    def compose(self) -> ComposeResult:
        """Lay out the field that narrows the values, and the values."""
        with Vertical(id="dialog"):
            yield Static("Filters: moments that have one of the chosen values in each group", classes="title")
            yield Input(placeholder="type to narrow the values", compact=True)
            yield OptionList(markup=False)
            yield Static("⏎ choose or unchoose   ctrl+u none   escape show them", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Offer all values."""
        self._offer("")
        self.query_one(OptionList).focus()
        begin = next((at for at, one in enumerate(self._offered) if one and one[0] == self._first), None)
        if begin is not None:
            self.query_one(OptionList).highlighted = begin

    def action_done(self) -> None:
        """End with the selection."""
        self.dismiss(self._selection)

    def action_list(self) -> None:
        """Go from the field to the values."""
        self.query_one(OptionList).focus()

    def action_clear(self) -> None:
        """Choose nothing."""
        self._selection = replace(self._selection, facets={}, failures=False)
        self._offer(self.query_one(Input).value)

    @on(Input.Changed)
    def _narrowed(self, event: Input.Changed) -> None:
        self._offer(event.value)

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _toggled(self, event: OptionList.OptionSelected) -> None:
        chosen = self._offered[event.option_index]
        if chosen is not None:
            self._selection = toggled(self._selection, *chosen)
            prompt = self._prompt(*chosen)
            self.query_one(OptionList).replace_option_prompt_at_index(event.option_index, prompt)

    def _offer(self, text: str) -> None:
        options, self._offered = self.query_one(OptionList), []
        options.clear_options()
        made = []
        for facet, value in self._wanted(text.casefold()):
            title = Content.assemble((facet, "bold $heading"), (f"  {FACETS[facet].meaning}", "$faint"))
            made.append(Option(self._prompt(facet, value) if value is not None else title, disabled=value is None))
            self._offered.append(None if value is None else (facet, value))
        options.add_options(made)
        first = next((at for at, one in enumerate(self._offered) if one), None)
        options.highlighted = first

    def _wanted(self, text: str) -> Iterator[tuple[str, str | None]]:
        for facet, counted in self._values.items():
            found = [value for value in counted if text in value.casefold()][:_VALUES]
            chosen = self._selection.facets.get(facet, ())
            if found and (len(counted) > 1 or chosen):
                yield facet, None
                yield from ((facet, value) for value in found)

    def _prompt(self, facet: str, value: str) -> Content:
        mark = "[x]" if value in self._selection.facets.get(facet, ()) else "[ ]"
        name = shorten(one_line(value), _NAME)
        return Content(f"  {mark} {name:<{_NAME}} {self._values[facet].get(value, 0):>9,}")


def toggled(selection: MomentSelection, facet: str, value: str) -> MomentSelection:
    """Return a selection with a value chosen that was not, or the reverse."""
    chosen = selection.facets.get(facet, ())
    left = tuple(one for one in chosen if one != value) if value in chosen else (*chosen, value)
    facets = {**selection.facets, facet: left}
    return replace(selection, facets={name: values for name, values in facets.items() if values})
