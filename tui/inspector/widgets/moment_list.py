"""The list of moments. Only visible lines are read and drawn, so that long runs stay fast."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from replay.run.listing.moment_rows import Row
from tui.inspector.messages import MomentChosen, SortWanted
from tui.inspector.model import RunView
from tui.inspector.moment_columns import COLUMNS, GAP, Column, columns_of, natural_widths, share_width

_NOTHING = "  No moment matches the filters. Escape shows all moments."


class MomentList(ScrollView, can_focus=True):
    """A line for each moment, under a fixed line of titles. Posts `MomentChosen` when the cursor moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next moment", show=False),
        Binding("up,k", "move(-1)", "Moment before", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False),
        Binding("home,g", "go(0)", "First moment", show=False),
        Binding("end,G", "go(-1)", "Last moment", show=False),
    ]
    cursor: reactive[int] = reactive(0)

    def __init__(self) -> None:
        super().__init__()
        self._run: RunView | None = None
        self._columns: tuple[Column, ...] = COLUMNS
        self._natural: list[int] = [column.least for column in COLUMNS]

    @property
    def chosen(self) -> int | None:
        """The number of the record under the cursor; None if the list is empty."""
        return self._run.order[self.cursor] if self._run and self._run.order else None

    def show(self, run: RunView | None, kept: int | None = None) -> None:
        """List the moments of a run. The cursor goes to the record number `kept` if that is in the list, else to the first."""
        self._run = run
        if run is not None:
            self._columns = columns_of(run)
            self._natural = natural_widths(self._columns, run)
        size = len(run.order) if run else 0
        self.virtual_size = Size(0, size + 1)
        place = run.place_of(kept) if run and kept is not None else None
        self.set_reactive(MomentList.cursor, place or 0)
        self._show_cursor()

    def validate_cursor(self, cursor: int) -> int:
        """Return the nearest line that is in the list."""
        return max(0, min(cursor, (len(self._run.order) if self._run else 0) - 1))

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
        self.cursor = index if index >= 0 or not self._run else len(self._run.order) - 1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the line that was clicked, or sort by the column."""
        if event.y > 0:
            self.cursor = event.y - 1 + round(self.scroll_y)
            return
        left = 1
        for column, width in self._widths().items():
            if left <= event.x <= left + width and column.sort:
                self.post_message(SortWanted(column.sort))
                return
            left += width + GAP

    def render_line(self, y: int) -> Strip:
        """Draw the titles (line 0) or one moment."""
        if y == 0:
            return self._strip(self._titles(), "bold $heading")
        index, size = y - 1 + round(self.scroll_y), len(self._run.order) if self._run else 0
        if self._run is None or index >= size:
            return self._strip(Content(_NOTHING if y == 1 and self._run and not size else ""), "")
        row = self._run.row(index)
        return self._strip(self._row(row, index) if row else Content(" (gone)"), self._highlight(index))

    def _highlight(self, index: int) -> str:
        if index != self.cursor:
            return ""
        return "bold on $row" if self.has_focus else "on $row-blurred"

    def _widths(self) -> dict[Column, int]:
        return share_width(self._columns, self._natural, self.size.width - 2)

    def _titles(self) -> Content:
        selection = self._run.selection if self._run else None
        cells = []
        for column, width in self._widths().items():
            sorted_by = selection is not None and bool(column.sort) and selection.sort == column.sort
            arrow = ("▼" if selection and selection.descending else "▲") if sorted_by else ""
            cells.append(Content(column.fit(f"{column.title}{arrow}", width)))
        return Content.assemble(" ", Content(" " * GAP).join(cells))

    def _row(self, row: Row, index: int) -> Content:
        cells = [
            Content(column.fit(column.text(row), width)).stylize(column.style(row))
            for column, width in self._widths().items()
        ]
        return Content.assemble("▌" if index == self.cursor else " ", Content(" " * GAP).join(cells))

    def _strip(self, row: Content, style: str) -> Strip:
        parse = self.app.stylesheet.parse_style
        base = self.visual_style + parse(style) if style else self.visual_style
        parts = row.render(base, end="", parse_style=parse)
        strip = Strip([Segment(text, part.rich_style) for text, part in parts])
        return strip.adjust_cell_length(self.size.width, base.rich_style)

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True)
        self.refresh()
        self.post_message(MomentChosen())
