"""The list of moments that two runs share. Only visible lines are drawn, so that large runs stay fast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from replay.numbers.paired.paired_moments import fixed_verdict
from tui.comparing.comparison_text import STYLES
from tui.comparing.messages import OrderWanted, PairChosen
from tui.comparing.model import CHANGES, MomentPair, place_of
from tui.glossary import block_label
from tui.terminal_text import headline, one_line, shorten

_VERDICT, _BLOCK = 14, 16
_ROOM_FOR_BLOCK = 70
"""A list that is narrower has no column of blocks."""


class PairList(ScrollView, can_focus=True):
    """A line for each pair, under a fixed line of titles. Posts `PairChosen` when the cursor moves, `OrderWanted` when a title is clicked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", key_display="↑↓", show=False),
        Binding("up,k", "move(-1)", "Before", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False),
        Binding("home,g", "go(0)", "First", show=False),
        Binding("end,G", "go(-1)", "Last", show=False),
    ]
    cursor: reactive[int] = reactive(0)

    def __init__(self) -> None:
        super().__init__()
        self._pairs: Sequence[MomentPair] = ()

    @property
    def pairs(self) -> Sequence[MomentPair]:
        """What is listed."""
        return self._pairs

    @property
    def chosen(self) -> MomentPair | None:
        """The pair under the cursor; None if the list is empty."""
        return self._pairs[self.cursor] if self._pairs else None

    def show(self, pairs: Sequence[MomentPair]) -> None:
        """List these pairs. The cursor stays on its pair if that is still in the list."""
        kept = self.chosen
        self._pairs = pairs
        self.virtual_size = Size(0, len(pairs) + 1)
        self.set_reactive(PairList.cursor, next((at for at, pair in enumerate(pairs) if pair is kept), 0))
        self.watch_cursor()

    def validate_cursor(self, cursor: int) -> int:
        """Return the nearest line that is in the list."""
        return max(0, min(cursor, len(self._pairs) - 1))

    def watch_cursor(self) -> None:
        """Scroll to the cursor and post `PairChosen`."""
        self.scroll_to_region(Region(0, self.cursor, 1, 2), animate=False, force=True)
        self.refresh()
        self.post_message(PairChosen(self.chosen))

    def action_move(self, by: int) -> None:
        """Move the cursor down by `by` pairs."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor down by `by` screens."""
        self.cursor += by * max(1, self.size.height - 2)

    def action_go(self, index: int) -> None:
        """Move the cursor to a pair; -1 is the last."""
        self.cursor = index if index >= 0 else len(self._pairs) - 1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the line that was clicked, or sort by the column whose title was."""
        if event.y > 0:
            self.cursor = event.y - 1 + round(self.scroll_y)
            return
        end = 0
        for title, width in self._widths():
            end += width + 1
            if event.x < end:
                self.post_message(OrderWanted(title))
                return

    def render_line(self, y: int) -> Strip:
        """Draw the titles (line 0) or one pair."""
        if y == 0:
            return self._strip(
                self._row([(title if title != "change" else "", "") for title, _ in self._widths()]), "bold $heading"
            )
        index = y - 1 + round(self.scroll_y)
        if index >= len(self._pairs):
            return self._strip(Content("  No moment is of this kind." if y == 1 and not self._pairs else ""), "")
        style = "bold on $row" if self.has_focus else "on $row-blurred"
        return self._strip(self._row(list(self._cells(self._pairs[index]))), style if index == self.cursor else "")

    def _widths(self) -> list[tuple[str, int]]:
        """The columns with their widths in cells: the place takes what the others leave."""
        block = [("block", _BLOCK)] if self.size.width >= _ROOM_FOR_BLOCK else []
        verdicts = [("A", _VERDICT), ("B", _VERDICT)]
        taken = sum(width + 1 for _, width in (*block, *verdicts)) + 3
        return [("change", 2), ("moment", max(8, self.size.width - taken)), *block, *verdicts]

    def _cells(self, pair: MomentPair) -> Iterator[tuple[str, str]]:
        """The text and the style of each column."""
        texts = {
            "change": f" {CHANGES[pair.change][0]}",
            "moment": one_line(place_of(pair)),
            "block": one_line(block_label(pair.first)),
        }
        texts |= {"A": headline(fixed_verdict(pair.first)) or "—", "B": headline(fixed_verdict(pair.second)) or "—"}
        for title, _ in self._widths():
            passed = title in {"A", "B"} and texts[title] == "passed"
            yield texts[title], STYLES[pair.change] if title == "change" else "$text-success" if passed else ""

    def _row(self, cells: Sequence[tuple[str, str]]) -> Content:
        fitted = [
            Content(set_cell_size(shorten(text, width, keep_end=title == "moment"), width)).stylize(style)
            for (text, style), (title, width) in zip(cells, self._widths(), strict=True)
        ]
        return Content(" ").join(fitted)

    def _strip(self, row: Content, style: str) -> Strip:
        parse = self.app.stylesheet.parse_style
        base = self.visual_style + parse(style) if style else self.visual_style
        strip = Strip([Segment(text, part.rich_style) for text, part in row.render(base, end="", parse_style=parse)])
        return strip.adjust_cell_length(self.size.width, base.rich_style)
