"""The inspector: the moments of a run, with the ending and the verdict of each."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Footer

from tui.errors import RunReadError
from tui.inspector.messages import FilterChanged, FilterClosed, MomentChosen
from tui.inspector.model import RunView, read_run
from tui.inspector.pages import PAGES
from tui.inspector.widgets.detail import Detail
from tui.inspector.widgets.filters import FilterBar
from tui.inspector.widgets.header import SummaryHeader
from tui.inspector.widgets.moments import MomentList
from tui.inspector.widgets.notice import Notice


class Inspector(App[None]):
    """Shows the run in a folder; `r` reads it again."""

    TITLE = "ghosttape"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/"),
        Binding("f", "failures", "Failures"),
        Binding("e", "filter('ending')", "Filter", key_display="e v t"),
        Binding("v", "filter('verdict')", "By verdict", show=False),
        Binding("t", "filter('tape')", "By tape", show=False),
        Binding("tab,shift+tab", "pane", "Pane", priority=True, key_display="⇥"),
        *(
            Binding(str(number), f"page('{name}')", "Pages", show=number == 1, key_display="1-5")
            for number, name in enumerate(PAGES, 1)
        ),
        Binding("r", "reload", "Reload"),
        Binding("escape", "show_all", "All moments", show=False),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._run = RunView(folder)

    def compose(self) -> ComposeResult:
        """Lay out the figures, the filters, the list and the detail."""
        yield SummaryHeader()
        yield FilterBar()
        with Container(id="panes"):
            yield MomentList()
            yield Detail()
        yield Notice()
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Read the run."""
        self.action_reload()

    def action_reload(self) -> None:
        """Read the run again. The cursor stays on its moment."""
        notice = self.query_one(Notice)
        try:
            self._run = read_run(self._run.folder)
        except RunReadError as error:
            self._run = RunView(self._run.folder)
            notice.show_unreadable(str(error))
        else:
            notice.show_empty(self._run)
        self.screen.set_class(not self._run.records, "-nothing")
        self.query_one(SummaryHeader).show(self._run)
        self.query_one(FilterBar).set_choices(self._run)
        self._update_list()
        self.screen.set_focus(self.query_one(MomentList) if self._run.records else None)

    def action_search(self) -> None:
        """Search for a text."""
        self.query_one(FilterBar).search()

    def action_failures(self) -> None:
        """Show only failures, or all moments again."""
        self.query_one(FilterBar).toggle_failures()

    def action_filter(self, name: str) -> None:
        """Open the list of choices of one filter."""
        self.query_one(FilterBar).open(name)

    def action_show_all(self) -> None:
        """Show all moments again."""
        self.query_one(FilterBar).clear()
        self.screen.set_focus(self.query_one(MomentList))

    def action_pane(self) -> None:
        """Move the focus from the list to the detail, or from anywhere else to the list."""
        moments = self.query_one(MomentList)
        if moments.has_focus:
            self.query_one(Detail).focus_page()
        else:
            self.screen.set_focus(moments)

    def action_page(self, name: str) -> None:
        """Turn to a page of the detail. The focus stays in its pane."""
        detail = self.query_one(Detail)
        inside = detail.has_focus_within
        detail.open_page(name)
        if inside:
            detail.call_after_refresh(detail.focus_page)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action is possible: without moments only reading again and quitting are."""
        needs_moments = {"search", "failures", "filter", "pane", "page", "show_all"}
        return action not in needs_moments or bool(self._run.records)

    @on(MomentChosen)
    def _show_moment(self, event: MomentChosen) -> None:
        self.query_one(Detail).show(event.record)

    @on(FilterChanged)
    def _update_list(self) -> None:
        bar = self.query_one(FilterBar)
        records = self._run.select(bar.wanted)
        bar.show_count(len(records), len(self._run.records))
        self.query_one(MomentList).show(records, self._run.records)

    @on(FilterClosed)
    def _focus_list(self) -> None:
        self.screen.set_focus(self.query_one(MomentList))


def run(folder: Path) -> None:
    """Inspect the run in `folder` until the user quits."""
    Inspector(folder).run()
