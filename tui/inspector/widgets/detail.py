"""The details of one moment, on seven pages."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static, TabbedContent, TabPane

from replay.errors import ReplayError
from replay.records import Record
from replay.run.sources.tape_shelf import ReadTape, TapeShelf
from syntax.errors import OffsetError
from tui.glossary import FAILED_VERDICTS, block_label, describe_ending, describe_finish, describe_verdict, location
from tui.inspector.code import FAINT, PageContent
from tui.inspector.messages import TapeWanted
from tui.inspector.moment_columns import ending_style, verdict_style
from tui.inspector.pages.pages import PAGES
from tui.inspector.pages.parts import ShownMoment
from tui.terminal_text import one_line, shorten

LOCATION = 200
"""The width that a place takes at most in the heading, in cells."""


class ScrollablePage(ScrollableContainer):
    """A page that scrolls with the keys that move the cursor in the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Scroll down", show=False),
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
        self._note = ""
        self._tapes = TapeShelf({}, {})
        self._page = PageContent(Content(""))

    def compose(self) -> ComposeResult:
        """Lay out the heading and the pages."""
        yield Static("", id="heading", markup=False)
        with TabbedContent():
            for number, (name, (title, _)) in enumerate(PAGES.items(), 1):
                with TabPane(Content(f"{number} {title}"), id=name), ScrollablePage():
                    yield Static("", markup=False)

    @property
    def page(self) -> str:
        """The name of the visible page."""
        return self.query_one(TabbedContent).active or "suggestion"

    @property
    def copied(self) -> str:
        """What the key to copy takes of the visible page."""
        return self._page.copied

    def show(self, record: Record | None, note: str, tapes: TapeShelf) -> None:
        """Show this moment."""
        self._record, self._note, self._tapes = record, note, tapes
        self.query_one("#heading", Static).update(_heading(record, note) if record else Content(""))
        self.draw()

    def open_page(self, name: str) -> None:
        """Turn to the page of that name."""
        self.query_one(TabbedContent).active = name

    def focus_page(self) -> None:
        """Give the focus to the visible page, so that the keys scroll it."""
        self.screen.set_focus(self._visible())

    def draw(self) -> None:
        """Draw the visible page anew."""
        page = self._visible()
        if self._record is None:
            page.query_one(Static).update("")
            return
        tape = self._tapes.known(self._record.moment.tape)
        self._page = drawn = self._drawn(self._record, tape)
        page.query_one(Static).update(drawn.content)
        top = max(0, drawn.cursor - max(2, page.size.height // 3))
        page.call_after_refresh(page.scroll_to, 0, top, animate=False)
        if drawn.needs_tape and tape is None:
            self.post_message(TapeWanted(self._record.moment.tape))

    def _drawn(self, record: Record, tape: ReadTape | None) -> PageContent:
        """The visible page; without the tape, and with the reason, if the moment cannot be found on it."""
        _, make = PAGES[self.page]
        width, why_not = max(20, self.size.width - 4), tape if isinstance(tape, str) else ""
        if tape is not None and not isinstance(tape, str):
            try:
                return make(ShownMoment(record, width, tape))
            except (LookupError, ReplayError, OffsetError) as error:
                why_not = f"the moment is not found on it ({error})"
        return make(ShownMoment(record, width, None, why_not))

    @on(TabbedContent.TabActivated)
    def _activated(self, event: TabbedContent.TabActivated) -> None:
        event.stop()
        self.draw()

    def on_resize(self, event: Resize) -> None:
        """Draw again: two texts stand beside each other only where there is room."""
        self.draw()

    def _visible(self) -> ScrollablePage:
        return self.query_one(f"#{self.page} ScrollablePage", ScrollablePage)


def _heading(record: Record, note: str) -> Content:
    """Return three lines: where the moment is, how it ended, and its verdict; and the person's note, if there is one."""
    moment, verdict = record.moment, record.verdict
    latency = f", {record.suggestion.latency:,.0f} ms" if record.suggestion else ""
    block = f"  {shorten(one_line(block_label(record)), 30)}" if block_label(record) else ""
    about = f"{block}  tape {shorten(one_line(moment.tape), 30)}{latency}"
    place = shorten(one_line(location(record)), LOCATION, keep_end=True)
    first = Content.assemble((place, "bold"), (about, FAINT))
    finish = describe_finish(record.suggestion)
    ending = Content(one_line(describe_ending(record.ending) + (f"; {finish}" if finish else "")))
    name = verdict.name if verdict else ""
    last = Content(one_line(describe_verdict(verdict)))
    parts = [
        first,
        ending.stylize(ending_style(record.ending.name, answered=record.suggestion is not None)),
        last.stylize(verdict_style(name, failed=name in FAILED_VERDICTS)),
    ]
    return Content("\n").join([*parts, *([Content(f"✎ {one_line(note)}").stylize("$text-warning")] if note else [])])
