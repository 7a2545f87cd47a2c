"""The list of moments. Only visible lines are drawn, so that long runs stay fast."""

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
from tui.inspector.columns import COLUMNS, GAP, Column, columns_of, natural_widths, share_width
from tui.inspector.messages import MomentChosen


class MomentList(ScrollView, can_focus=True):
    """A line for each moment, under a fixed line of titles. Posts `MomentChosen` when the cursor moves."""

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
        self._natural: list[int] = []

    @property
    def chosen(self) -> Record | None:
        """The moment under the cursor; None if the list is empty."""
        return self._records[self.cursor] if self._records else None

    def show(self, records: Sequence[Record], all_records: Sequence[Record]) -> None:
        """List `records`, in columns that fit `all_records`. The cursor stays on its moment if that is still in the list."""
        kept = self.chosen.moment.id if self.chosen else ""
        self._records, self._columns = records, columns_of(all_records)
        self._natural = natural_widths(self._columns, all_records)
        self.virtual_size = Size(0, len(records) + 1)
        places = (index for index, record in enumerate(records) if kept and record.moment.id == kept)
        self.set_reactive(MomentList.cursor, next(places, 0))
        self._show_cursor()

    def validate_cursor(self, cursor: int) -> int:
        """Return the nearest line that is in the list."""
        return max(0, min(cursor, len(self._records) - 1))

    def watch_cursor(self) -> None:
        """Scroll to the cursor and post `MomentChosen`."""
        self._show_cursor()

    def action_move(self, by: int) -> None:
        """Move the cursor down by `by` moments."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor down by `by` screens."""
        self.cursor += by * max(1, self.size.height - 2)

    def action_go(self, index: int) -> None:
        """Move the cursor to a moment; -1 is the last."""
        self.cursor = index if index >= 0 else len(self._records) - 1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the line that was clicked."""
        if event.y > 0:
            self.cursor = event.y - 1 + round(self.scroll_y)

    def render_line(self, y: int) -> Strip:
        """Draw the titles (line 0) or one moment."""
        if y == 0:
            return self._strip(self._row(None), "bold $text-accent")
        index = y - 1 + round(self.scroll_y)
        if index >= len(self._records):
            nothing = (
                "  No moment matches the filters. Escape shows all moments." if y == 1 and not self._records else ""
            )
            return self._strip(Content(nothing), "")
        return self._strip(self._row(self._records[index]), self._highlight(index))

    def _highlight(self, index: int) -> str:
        if index != self.cursor:
            return ""
        return "bold on $primary 50%" if self.has_focus else "on $primary 25%"

    def _row(self, record: Record | None) -> Content:
        cells = []
        for column, width in share_width(self._columns, self._natural, self.size.width - 2).items():
            text = column.fit(column.text(record) if record else column.title, width)
            cells.append(Content(text).stylize(column.style(record)) if record else Content(text))
        return Content.assemble(" ", Content(" " * GAP).join(cells))

    def _strip(self, row: Content, style: str) -> Strip:
        parse = self.app.stylesheet.parse_style
        base = self.visual_style + parse(style) if style else self.visual_style
        parts = row.render(base, end="", parse_style=parse)
        strip = Strip([Segment(text, part.rich_style) for text, part in parts])
        return strip.adjust_cell_length(self.size.width, base.rich_style)

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True)
        self.refresh()
        self.post_message(MomentChosen(self.chosen))
