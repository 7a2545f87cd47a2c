"""All about one moment, on five pages."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane

from replay.records import Record
from tui.code import FAINT
from tui.pages import PAGES
from tui.plain import plain, shorten
from tui.words import block, ending_words, place, verdict_words


class Page(ScrollableContainer):
    """A page that scrolls with the keys that move in the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Scroll", key_display="↑↓ j k"),
        Binding("up,k", "scroll_up", "Scroll up", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "Bottom", show=False),
        Binding("left,h", "scroll_left", "Left", show=False),
        Binding("right,l", "scroll_right", "Right", show=False),
    ]


class Detail(Vertical):
    """A heading that says what became of the moment, and pages; only the page that is seen is made."""

    def __init__(self) -> None:
        super().__init__()
        self._record: Record | None = None

    def compose(self) -> ComposeResult:
        """Lay out the heading and the pages."""
        yield Static("", id="heading", markup=False)
        with TabbedContent():
            for number, (name, (title, _)) in enumerate(PAGES.items(), 1):
                with TabPane(Content(f"{number} {title}"), id=name), Page():
                    yield Static("", markup=False)

    def show(self, record: Record | None) -> None:
        """Show this moment."""
        self._record = record
        self.query_one("#heading", Static).update(_heading(record) if record else Content(""))
        self._turn()

    def open(self, name: str) -> None:
        """Go to the page of that name."""
        self.query_one(TabbedContent).active = name

    def focus_page(self) -> None:
        """Give the focus to the page that is seen, so that its keys scroll it."""
        self.screen.set_focus(self._page())

    @on(TabbedContent.TabActivated)
    def _activated(self, event: TabbedContent.TabActivated) -> None:
        event.stop()
        self._turn()

    def _page(self) -> Page:
        active = self.query_one(TabbedContent).active
        return self.query_one(f"#{active or 'suggestion'}  Page", Page)

    def _turn(self) -> None:
        page = self._page()
        _, make = PAGES[self.query_one(TabbedContent).active or "suggestion"]
        if self._record is None:
            page.query_one(Static).update("")
            return
        picture = make(self._record)
        page.query_one(Static).update(picture.content)
        top = max(0, picture.cursor - max(2, page.size.height // 3))
        page.call_after_refresh(page.scroll_to, 0, top, animate=False)


def _heading(record: Record) -> Content:
    latency = f", {record.suggestion.latency:,.0f} ms" if record.suggestion else ""
    where = f"{plain(place(record))}"
    kind = f"  {plain(block(record))}" if block(record) else ""
    about = f"{kind}  tape {shorten(plain(record.moment.tape), 30)}{latency}"
    became = f"{ending_words(record.ending)}; {verdict_words(record.verdict)}"
    return Content.assemble((where, "bold"), (about, FAINT), "\n", plain(became))
