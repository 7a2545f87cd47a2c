"""The inspector: the moments of a run, with the ending and the verdict of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from os import environ
from pathlib import Path
from typing import ClassVar

from msgspec import structs
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Footer

from replay.records import Moment, Record
from replay.run.listing.moment_selection import FACETS, SORTS, MomentSelection
from replay.run.sources.tape_shelf import TapeShelf
from server.errors import SettingsError
from tui.errors import RunReadError
from tui.inspector.again.again_answers import ListedAnswer, answers_to
from tui.inspector.again.asker import Asker
from tui.inspector.again.question_fields import Question, config_with, question_of
from tui.inspector.key_bindings import KEYS, MAIN_BINDINGS
from tui.inspector.messages import MomentChosen, SearchChanged, SearchClosed, SortWanted, TapeWanted
from tui.inspector.model import RunView
from tui.inspector.pages.pages import PAGES, page_that_explains
from tui.inspector.pages.share_groups import groups_page
from tui.inspector.repeat_command import command_for, words_for
from tui.inspector.screens.answer_list import AnswersScreen
from tui.inspector.screens.filters import FilterDialog
from tui.inspector.screens.help import HelpScreen
from tui.inspector.screens.small_dialogs import ChoiceDialog, TextInputDialog
from tui.inspector.widgets.detail import Detail
from tui.inspector.widgets.header import SummaryHeader
from tui.inspector.widgets.moment_list import MomentList
from tui.inspector.widgets.notice import Notice
from tui.inspector.widgets.selection_bar import SelectionBar, selection_words
from tui.preferences import Preferences, SavedFilter, change_preferences, read_preferences
from tui.terminal_text import message
from tui.text_dialog import TextDialog
from tui.themes import ThemedApp

_EVERY_S = 1.0
"""How often it is looked whether the run has grown."""


class Inspector(ThemedApp):
    """Shows the run in a folder, from a moment on (by its id) if one is named, and reads it again when it grows."""

    TITLE = "ghosttape"
    CSS_PATH = "app.tcss"
    AUTO_FOCUS = None
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide"), (160, "-very-wide")]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        *MAIN_BINDINGS,
        *(Binding(str(number), f"page('{name}')", "Page", show=False) for number, name in enumerate(PAGES, 1)),
    ]

    def __init__(self, folder: Path, moment: str = "") -> None:
        super().__init__()
        self._folder, self._moment = folder, moment
        self._run: RunView | None = None
        self._tapes = TapeShelf({}, {})
        self._search, self._found, self._state = "", "", ""
        self._questions = Questions(self, folder, environ, self._show_answer)

    def compose(self) -> ComposeResult:
        """Lay out the figures, the selection, the list and the detail."""
        yield SummaryHeader()
        yield SelectionBar()
        with Container(id="panes"):
            yield MomentList()
            yield Detail()
        yield Notice()
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Read the run, and look now and then whether it has grown."""
        self.action_reload()
        self.query_one(MomentList).cursor = self._run.place_of_moment(self._moment) if self._run else 0
        self.set_interval(_EVERY_S, self._look)

    def on_unmount(self) -> None:
        """Close the database, and end what still asks again."""
        self._questions.asker.close()
        if self._run is not None:
            self._run.close()

    def action_reload(self) -> None:
        """Read the run again. The cursor stays on its moment."""
        kept, notice = self.query_one(MomentList).chosen, self.query_one(Notice)
        try:
            if self._run is None:
                self._run = RunView.open(self._folder)
                self._tapes = TapeShelf(self._run.store.fact("origins") or {}, self._run.config)
            else:
                self._run.read()
        except RunReadError as error:
            notice.show_unreadable(str(error))
        else:
            if not self._run.total:
                notice.show_empty(self._run)
        nothing = self._run is None or not self._run.total
        had_nothing = self.screen_stack[0].has_class("-nothing")
        self.screen_stack[0].set_class(nothing, "-nothing")
        if self._run is not None:
            self._state = self._run.state
            self._show_figures()
        self._show(kept)
        if nothing or had_nothing or self.focused is None:
            self.set_focus(None if nothing else self.query_one(MomentList))

    def _show_figures(self) -> None:
        """Show the figures; before those of a large run are summed up, a page is drawn."""
        header = self.query_one(SummaryHeader)
        if self._run is not None:
            if self._run.is_summed:
                header.show(self._run)
                return
            if not header.has_figures:  # else the old ones stay until then
                header.show_waiting(self._run)
            self.call_after_refresh(self._sum_up)

    def _sum_up(self) -> None:
        if self._run is not None:
            try:
                self.query_one(SummaryHeader).show(self._run)
            except RunReadError as error:
                self._complain(str(error))

    def action_why(self) -> None:
        """Open the page that explains this moment; where nothing went wrong, go to the next failure first."""
        moments, run = self.query_one(MomentList), self._run
        record = self._record()
        if run is not None and (record is None or not _is_odd(record)):
            place = run.next_failure(moments.cursor)
            if place is None:
                self.notify("No failure and no untestable moment is shown.", timeout=3)
                return
            moments.cursor = place
            record = self._record()
        if record is not None:
            self.query_one(Detail).open_page(page_that_explains(record))

    def action_search(self) -> None:
        """Search for a text."""
        self.query_one(SelectionBar).focus_search()

    def action_match(self, step: int) -> None:
        """Go to the next match of the search, or to the one before."""
        moments = self.query_one(MomentList)
        if self._search and self._run is not None:
            self._go_to_match(moments.cursor + step, step)

    def action_only_matches(self) -> None:
        """Show only what matches the search, or all again."""
        if self._run is not None:
            self._select(replace(self._run.selection, text="" if self._run.selection.text else self._search))

    def action_failures(self) -> None:
        """Show only failures, or all moments again."""
        if self._run is not None:
            self._select(replace(self._run.selection, failures=not self._run.selection.failures))

    def action_filter(self, name: str) -> None:
        """Open the dialog of filters at one facet."""
        if self._run is not None:
            values = {facet: self._run.store.listing.values(facet) for facet in FACETS}
            self.push_screen(FilterDialog(self._run.selection, values, name), self._select)

    def action_save_filter(self) -> None:
        """Save the filters and the order under a name."""
        self.push_screen(TextInputDialog("Save this filter as"), self._save_filter)

    def action_saved_filters(self) -> None:
        """Offer the saved filters."""
        preferences, problem = read_preferences()
        saved = {name: selection_words(selection_of(kept)) for name, kept in preferences.filters.items()}
        if problem:
            self._complain(problem)
        elif saved:
            self.push_screen(ChoiceDialog("Saved filters", saved), self._use_filter)
        else:
            self.notify("No filter is saved yet: W saves the one that is in use.", timeout=3)

    def action_sort(self) -> None:
        """Sort by the next column."""
        if self._run is not None:
            names = list(SORTS)
            after = names[(names.index(self._run.selection.sort) + 1) % len(names)]
            self._select(replace(self._run.selection, sort=after, descending=False))

    def action_turn(self) -> None:
        """Turn the order round."""
        if self._run is not None:
            self._select(replace(self._run.selection, descending=not self._run.selection.descending))

    def action_mark(self) -> None:
        """Mark the moment, or take the mark away."""
        moments, run = self.query_one(MomentList), self._run
        row = run.row(moments.cursor) if run and run.order else None
        if run is not None and row is not None:
            self._keep(moments.cursor, mark=not row.mark)

    def action_note(self) -> None:
        """Write a note about the moment."""
        moments, run = self.query_one(MomentList), self._run
        row = run.row(moments.cursor) if run and run.order else None
        if row is not None:
            self.push_screen(
                TextInputDialog("Note about this moment", row.note), partial(self._keep_note, moments.cursor)
            )

    def action_copy(self) -> None:
        """Copy the text of the page."""
        self._copy(self.query_one(Detail).copied, PAGES[self.query_one(Detail).page][0])

    def action_copy_command(self) -> None:
        """Copy the command line that repeats this moment."""
        record = self._record()
        if record is not None and self._run is not None:
            command = command_for(record.moment.id, self._tapes.path(record.moment.tape), self._run.config)
            self._copy(command, "Command")

    def action_again(self) -> None:
        """Ask again at this moment, in another way."""
        record = self._record()
        if record is not None and self._run is not None:
            self._questions.ask(record, self._run, self._tapes)

    def action_answers(self) -> None:
        """List the answers at this moment."""
        record = self._record()
        if record is not None and self._run is not None:
            self._questions.answers(record, self._run)

    def action_show_all(self) -> None:
        """Show all moments again."""
        self.query_one(SelectionBar).set_text("")
        self._search = self._found = ""
        if self._run is not None:
            self._select(MomentSelection())
        self.set_focus(self.query_one(MomentList))

    def action_pane(self) -> None:
        """Move the focus from the list to the detail, or from anywhere else to the list."""
        moments = self.query_one(MomentList)
        self.query_one(Detail).focus_page() if moments.has_focus else self.set_focus(moments)

    def action_page(self, name: str) -> None:
        """Turn to a page of the detail. The focus stays in its pane."""
        detail = self.query_one(Detail)
        inside = detail.has_focus_within
        detail.open_page(name)
        if inside:
            detail.call_after_refresh(detail.focus_page)

    def action_groups(self) -> None:
        """Show the shares by language, category, tape and length."""
        try:
            self.push_screen(TextDialog(groups_page(self._run.summary if self._run else {})))
        except RunReadError as error:
            self._complain(str(error))

    def action_keys(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen(KEYS))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action is possible: without moments only few are, and under a dialog none of the screen's."""
        own = f"action_{action}" in Inspector.__dict__
        if own and len(self.screen_stack) > 1:
            return False
        return not own or action in {"reload", "keys"} or bool(self._run and self._run.total)

    @on(MomentChosen)
    def _show_moment(self) -> None:
        moments, run = self.query_one(MomentList), self._run
        row = run.row(moments.cursor) if run and run.order else None
        self.query_one(Detail).show(self._record(), row.note if row else "", self._tapes)

    @on(SortWanted)
    def _sort_by(self, event: SortWanted) -> None:
        if self._run is not None:
            again = self._run.selection.sort == event.sort
            descending = again and not self._run.selection.descending
            self._select(replace(self._run.selection, sort=event.sort, descending=descending))

    @on(SearchChanged)
    def _search_for(self, event: SearchChanged) -> None:
        self._search, self._found = event.text, ""
        if self._run is not None and self._run.selection.text:
            self._select(replace(self._run.selection, text=event.text))
        elif event.text and self._run is not None:
            self._go_to_match(self.query_one(MomentList).cursor, 1)
        else:
            self._say_selection()

    @on(SearchClosed)
    def _focus_list(self) -> None:
        self.set_focus(self.query_one(MomentList))

    @on(TapeWanted)
    def _read_tape(self, event: TapeWanted) -> None:
        self.run_worker(partial(self._read_in_thread, event.name), thread=True, group="tapes", exclusive=True)

    def _read_in_thread(self, name: str) -> None:
        self._tapes.read(name)
        self.call_from_thread(self.query_one(Detail).draw)

    def _show_answer(self, answer: ListedAnswer) -> None:
        note = f"asked again: answer {answer.number}" if answer.number else ""
        self.query_one(Detail).show(answer.record, note, self._tapes)

    def _record(self) -> Record | None:
        moments = self.query_one(MomentList)
        try:
            return self._run.record(moments.cursor) if self._run else None
        except RunReadError as error:
            self._complain(str(error))
            return None

    def _look(self) -> None:
        """Read the run again if it has grown, or is not being written any more."""
        run = self._run
        if run is None or len(self.screen_stack) > 1:
            if run is None and (self._folder / "run.sqlite").is_file():
                self.action_reload()
            return
        if run.has_grown() or run.state != self._state:
            self.action_reload()

    def _select(self, selection: MomentSelection | None) -> None:
        if self._run is not None and selection is not None:
            kept = self.query_one(MomentList).chosen
            self._run.select(selection)
            self._show(kept)

    def _show(self, kept: int | None) -> None:
        self.query_one(MomentList).show(self._run, kept)
        self._say_selection()

    def _say_selection(self) -> None:
        if self._run is not None:
            run = self._run
            self.query_one(SelectionBar).show(run.selection, len(run.order), run.total, self._found)

    def _go_to_match(self, start: int, step: int) -> None:
        assert self._run is not None
        place, count = self._run.next_match(self._search, start, step)
        self._found = f"{count:,} match" if count else "no match"
        if place is not None:
            self.query_one(MomentList).cursor = place
        self._say_selection()

    def _keep_note(self, place: int, note: str | None) -> None:
        if note is not None and self._run is not None:
            self._keep(place, note=note)
            self._show_moment()

    def _keep(self, place: int, *, mark: bool | None = None, note: str | None = None) -> None:
        assert self._run is not None
        try:
            self._run.mark(place, mark=mark, note=note)
        except RunReadError as error:
            self._complain(str(error))
        self.query_one(MomentList).refresh()

    def _save_filter(self, name: str | None) -> None:
        if name and self._run is not None:
            kept = filter_of(self._run.selection)
            self._complain(
                change_preferences(lambda known: structs.replace(known, filters={**known.filters, name: kept}))
            )

    def _use_filter(self, chosen: tuple[str, bool] | None) -> None:
        if chosen is None:
            return
        name, remove = chosen
        if remove:
            self._complain(change_preferences(partial(without_filter, name)))
        elif found := read_preferences()[0].filters.get(name):
            self._select(selection_of(found))

    def _copy(self, text: str, what: str) -> None:
        if text:
            self.copy_to_clipboard(text)
        self.notify(f"{what}: {len(text):,} characters copied" if text else "There is nothing to copy.", timeout=2)


def _is_odd(record: Record) -> bool:
    """Whether there is something to explain: no test passed with what was offered."""
    return record.verdict.name != "passed" if record.verdict else record.ending.name == "failed"


def run(folder: Path) -> None:
    """Inspect the run in `folder` until the user quits."""
    Inspector(folder).run()


# Filters as the person's preferences keep them, and as the inspector uses them.


def filter_of(selection: MomentSelection) -> SavedFilter:
    """Return what is kept of a selection."""
    facets = {name: list(values) for name, values in selection.facets.items()}
    return SavedFilter(facets, selection.text, selection.failures, selection.sort, selection.descending)


def selection_of(kept: SavedFilter) -> MomentSelection:
    """Return the selection that was kept; facets and orders that are unknown are left out."""
    facets = {name: tuple(values) for name, values in kept.facets.items() if name in FACETS}
    return MomentSelection(facets, kept.text, kept.failures, kept.sort if kept.sort in SORTS else "", kept.descending)


def without_filter(name: str, known: Preferences) -> Preferences:
    """Return the preferences without a saved filter."""
    return structs.replace(known, filters={other: kept for other, kept in known.filters.items() if other != name})


# Asking the moments of a run again: opens the dialog and the list of answers, and knows the commands that
# are under way.


class Questions:
    """The questions of one inspector. `show` is given the answer that the person chooses; `environment` holds the keys of model servers."""

    def __init__(
        self, app: App[None], folder: Path, environment: Mapping[str, str], show: Callable[[ListedAnswer], None]
    ) -> None:
        self._app, self._folder, self._show = app, folder, show
        self.asker = Asker(folder, environment)

    def ask(self, record: Record, run: RunView, tapes: TapeShelf) -> None:
        """Open the dialog for a moment, then the list of answers."""
        if run.config.get("mode") == "drive":
            self._notify("In drive mode a moment depends on what was accepted before: it cannot be asked alone.")
            return
        start = partial(self._start, record.moment, tapes.path(record.moment.tape), run)
        from tui.inspector.screens.again import AgainDialog  # imports all providers, which takes a tenth of the start

        if question := self._question(run):
            dialog = AgainDialog(question, start, self.asker)
            self._app.push_screen(dialog, lambda number: None if number is None else self.answers(record, run, number))

    def answers(self, record: Record, run: RunView, at: int = 0) -> None:
        """Open the list of answers to a moment, with the cursor on the one of that number."""
        if question := self._question(run):
            own = ListedAnswer(0, question, record)
            read = partial(self._read, own, record.moment.id)
            self._app.push_screen(AnswersScreen(read, self.asker.stop, at), self._chosen)

    def _start(self, moment: Moment, origin: str, run: RunView, question: Question) -> int:
        return self.asker.ask(words_for(moment.id, origin, config_with(run.config, question)))

    def _question(self, run: RunView) -> Question | None:
        try:
            return question_of(run.config)
        except SettingsError as error:
            self._notify(f"The settings of this run cannot be read: {error}")
            return None

    def _read(self, own: ListedAnswer, moment: str) -> list[ListedAnswer]:
        return [own, *answers_to(self._folder, moment)]

    def _chosen(self, answer: ListedAnswer | None) -> None:
        if answer is not None:
            self._show(answer)

    def _notify(self, text: str) -> None:
        self._app.notify(message(text), markup=False)
