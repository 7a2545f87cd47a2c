"""The list of moments: one line each, drawn only where it is seen, so that long runs stay quick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from replay.records import Record
from tui.columns import COLUMNS, GAP, Column, columns_of, natural, widths
from tui.messages import MomentChosen


class MomentList(ScrollView, can_focus=True):
    """One line a moment, under a line of titles that stays. Posts `MomentChosen` when the cursor moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Moment", key_display="↑↓ j k"),
        Binding("up,k", "move(-1)", "Moment before", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False),
        Binding("home,g", "go(0)", "First", show=False),
        Binding("end,G", "go(-1)", "Last", show=False),
    ]
    cursor: reactive[int] = reactive(0)

    def __init__(self) -> None:
        super().__init__()
        self._records: Sequence[Record] = ()
        self._columns: tuple[Column, ...] = COLUMNS
        self._wishes: list[int] = []

    @property
    def chosen(self) -> Record | None:
        """The moment under the cursor, or None when the list is empty."""
        return self._records[self.cursor] if self._records else None

    def show(self, records: Sequence[Record], every: Sequence[Record]) -> None:
        """List `records`, with columns fit for `every` record; the cursor stays on its moment where it can."""
        kept = self.chosen.moment.id if self.chosen else ""
        self._records, self._columns = records, columns_of(every)
        self._wishes = natural(self._columns, every)
        self.virtual_size = Size(0, len(records) + 1)
        places = (index for index, record in enumerate(records) if kept and record.moment.id == kept)
        self.set_reactive(MomentList.cursor, next(places, 0))
        self._follow()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor inside the list."""
        return max(0, min(cursor, len(self._records) - 1))

    def watch_cursor(self) -> None:
        """Tell that another moment is chosen."""
        self._follow()

    def action_move(self, by: int) -> None:
        """Move the cursor by some moments."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by a screenful."""
        self.cursor += by * max(1, self.size.height - 2)

    def action_go(self, index: int) -> None:
        """Move the cursor to a moment; -1 is the last."""
        self.cursor = index if index >= 0 else len(self._records) - 1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the line that was clicked."""
        if event.y > 0:
            self.cursor = event.y - 1 + round(self.scroll_y)

    def render_line(self, y: int) -> Strip:
        """Draw the titles or one moment."""
        if y == 0:
            return self._strip(self._row(None), "bold $text-accent")
        index = y - 1 + round(self.scroll_y)
        if index >= len(self._records):
            nothing = "  No moment is like this. Escape shows all again." if y == 1 and not self._records else ""
            return self._strip(Content(nothing), "")
        return self._strip(self._row(self._records[index]), self._highlight(index))

    def _highlight(self, index: int) -> str:
        if index != self.cursor:
            return ""
        return "bold on $primary 50%" if self.has_focus else "on $primary 25%"

    def _row(self, record: Record | None) -> Content:
        cells = []
        for column, width in zip(self._columns, widths(self._columns, self._wishes, self.size.width - 2), strict=True):
            text = column.fit(column.text(record) if record else column.title, width)
            cells.append(Content(text).stylize(column.style(record)) if record else Content(text))
        return Content.assemble(" ", Content(" " * GAP).join(cells))

    def _strip(self, row: Content, style: str) -> Strip:
        parse = self.app.stylesheet.parse_style
        base = self.visual_style + parse(style) if style else self.visual_style
        parts = row.render(base, end="", parse_style=parse)
        strip = Strip([Segment(text, part.rich_style) for text, part in parts])
        return strip.adjust_cell_length(self.size.width, base.rich_style)

    def _follow(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True)
        self.refresh()
        self.post_message(MomentChosen(self.chosen))
