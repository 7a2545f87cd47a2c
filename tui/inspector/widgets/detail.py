"""The details of one moment, on five pages."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane

from replay.records import Record
from tui.glossary import block_label, describe_ending, describe_verdict, location
from tui.inspector.code import FAINT
from tui.inspector.columns import ending_style, verdict_style
from tui.inspector.pages import PAGES
from tui.terminal_text import one_line, shorten

LOCATION = 200
"""The width that a place takes at most in the heading, in cells."""


class ScrollablePage(ScrollableContainer):
    """A page that scrolls with the keys that move the cursor in the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Scroll", key_display="↑↓ j k"),
        Binding("up,k", "scroll_up", "Scroll up", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "Bottom", show=False),
        Binding("left,h", "scroll_left", "Left", show=False),
        Binding("right,l", "scroll_right", "Right", show=False),
    ]


class Detail(Vertical):
    """A heading with the moment's ending and verdict, and its pages. Only the visible page is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._record: Record | None = None

    def compose(self) -> ComposeResult:
        """Lay out the heading and the pages."""
        yield Static("", id="heading", markup=False)
        with TabbedContent():
            for number, (name, (title, _)) in enumerate(PAGES.items(), 1):
                with TabPane(Content(f"{number} {title}"), id=name), ScrollablePage():
                    yield Static("", markup=False)

    def show(self, record: Record | None) -> None:
        """Show this moment."""
        self._record = record
        self.query_one("#heading", Static).update(_heading(record) if record else Content(""))
        self._draw_page()

    def open_page(self, name: str) -> None:
        """Turn to the page of that name."""
        self.query_one(TabbedContent).active = name

    def focus_page(self) -> None:
        """Give the focus to the visible page, so that the keys scroll it."""
        self.screen.set_focus(self._visible_page())

    @on(TabbedContent.TabActivated)
    def _activated(self, event: TabbedContent.TabActivated) -> None:
        event.stop()
        self._draw_page()

    def _visible_page(self) -> ScrollablePage:
        active = self.query_one(TabbedContent).active
        return self.query_one(f"#{active or 'suggestion'}  ScrollablePage", ScrollablePage)

    def _draw_page(self) -> None:
        page = self._visible_page()
        _, make = PAGES[self.query_one(TabbedContent).active or "suggestion"]
        if self._record is None:
            page.query_one(Static).update("")
            return
        drawn = make(self._record)
        page.query_one(Static).update(drawn.content)
        top = max(0, drawn.cursor - max(2, page.size.height // 3))
        page.call_after_refresh(page.scroll_to, 0, top, animate=False)


def _heading(record: Record) -> Content:
    """Return three lines: where the moment is, how it ended, and its verdict."""
    latency = f", {record.suggestion.latency:,.0f} ms" if record.suggestion else ""
    block = f"  {shorten(one_line(block_label(record)), 30)}" if block_label(record) else ""
    about = f"{block}  tape {shorten(one_line(record.moment.tape), 30)}{latency}"
    first = Content.assemble((shorten(one_line(location(record)), LOCATION, keep_end=True), "bold"), (about, FAINT))
    ending, verdict = one_line(describe_ending(record.ending)), one_line(describe_verdict(record.verdict))
    last = Content(verdict).stylize(verdict_style(record))
    return Content("\n").join([first, Content(ending).stylize(ending_style(record)), last])
