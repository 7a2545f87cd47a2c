"""The screen of two runs: which moments changed, and what each run offered and how its tests ended there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Input, Static

from replay.records import Record
from tui.comparing import comparison_text
from tui.comparing.comparison_text import FAINT, HEAD
from tui.comparing.messages import OrderWanted, PairChosen
from tui.comparing.model import CHANGES, SORTS, ComparedRuns, MomentPair, PairChange, PairSelection
from tui.comparing.widgets.pair_list import PairList
from tui.comparing.widgets.sides import Side, Sides
from tui.inspector.diff import plain_diff
from tui.inspector.messages import SearchClosed
from tui.inspector.repeat_command import command_for
from tui.inspector.widgets.selection_bar import SearchInput
from tui.text_dialog import TextDialog
from tui.themes import ThemedApp

PAGES = {"suggestions": "Suggestions", "tests": "Tests", "difference": "Difference"}
"""The pages of a moment by their names, in the order of the keys 1 to 3."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person is on the screen: which moments are shown, the page, and the moment (its id; empty: the first)."""

    wanted: PairSelection = field(default_factory=PairSelection)
    page: str = "suggestions"
    moment: str = ""


class ComparisonApp(ThemedApp):
    """Shows two runs side by side, from a place on.

    `inspected` says, once the app is closed, which run (0 or 1) is to be opened at which moment, or None; `place` is then where to come back to.
    """

    TITLE = "ghosttape compare"
    CSS_PATH = "app.tcss"
    AUTO_FOCUS = None
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (160, "-very-wide")]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    VERTICAL_BREAKPOINTS = [(0, "-low"), (48, "-tall")]  # noqa: RUF012 - as above
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "next_filter", "Filter"),
        Binding("a", "show('')", "All", show=False),
        Binding("minus", "show('lost')", "Lost", show=False),
        Binding("plus", "show('gained')", "Gained", show=False),
        Binding("equals_sign", "show('same')", "Same", show=False),
        Binding("u", "show('untested')", "Untested", show=False),
        Binding("s", "sort", "Sort"),
        Binding("S", "turn", "Turn the order round", show=False),
        *(
            Binding(str(number), f"page('{name}')", "Page", show=number == 1, key_display="1-3")
            for number, name in enumerate(PAGES, 1)
        ),
        Binding("tab,shift+tab", "pane", "Pane", priority=True, key_display="⇥"),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("n", "match(1)", "Next match", show=False),
        Binding("N", "match(-1)", "Match before", show=False),
        Binding("ampersand", "only_matches", "Only matches", show=False),
        Binding("c", "copy", "Copy"),
        Binding("C", "copy_commands", "Copy the commands", show=False),
        Binding("A", "inspect(0)", "Open", key_display="A B"),
        Binding("B", "inspect(1)", "Open B", show=False),
        Binding("escape", "all", "All", show=False),
        Binding("i", "groups", "Groups"),
        Binding("question_mark", "keys", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, runs: ComparedRuns, place: Place | None = None) -> None:
        super().__init__()
        self.place = place or Place()
        self.inspected: tuple[int, str] | None = None
        self._runs, self._wanted, self._page = runs, self.place.wanted, self.place.page
        self._search = self._found = ""

    def compose(self) -> ComposeResult:
        """Lay out the figures, the filters, the list and the two sides."""
        yield Static("", id="headline", markup=False)
        yield Static("", id="filters", markup=False)
        yield SearchInput(placeholder="search, n N next, & only these", id="search", compact=True)
        with Container(id="panes"):
            yield PairList()
            with Container(id="detail"):
                yield Static("", id="place", markup=False)
                yield Static("", id="tabs", markup=False)
                yield Sides(id="suggestions")
                yield Sides(id="tests")
                with VerticalScroll(id="difference"):
                    yield Static("", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show what changed."""
        self.action_page(self._page)
        self._show()
        moments = self.query_one(PairList)
        moments.cursor = next(
            (at for at, pair in enumerate(moments.pairs) if pair.first.moment.id == self.place.moment), 0
        )
        self.set_focus(moments)

    def on_resize(self) -> None:
        """Fit the names of the runs to the new width."""
        self._put("#headline", comparison_text.headline(self._runs, self.size.width - 2))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action is possible: under a dialog none of the screen's is."""
        return len(self.screen_stack) == 1 or f"action_{action}" not in ComparisonApp.__dict__

    def action_show(self, change: PairChange | str) -> None:
        """Show the moments of one change, or all ("")."""
        found: PairChange | None = next((known for known in CHANGES if known == change), None)
        self._wanted = replace(self._wanted, change=found)
        self._show()

    def action_next_filter(self) -> None:
        """Go on to the next filter: all, lost, gained, same, untested."""
        choices = ("", *get_args(PairChange))
        self.action_show(choices[(choices.index(self._wanted.change or "") + 1) % len(choices)])

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self._sort_by(OrderWanted(names[(names.index(self._wanted.sort) + 1) % len(names)]))

    def action_turn(self) -> None:
        """Turn the order round."""
        self._wanted = replace(self._wanted, descending=not self._wanted.descending)
        self._show()

    def action_page(self, name: str) -> None:
        """Turn to a page of the moment. The focus stays in its pane."""
        inside = not self.query_one(PairList).has_focus
        self._page = name
        for known in PAGES:
            self.screen_stack[0].set_class(known == name, f"-{known}")
        self._put("#tabs", self._tabs())
        if inside and self.focused is not None:
            self.call_after_refresh(self._focus_page)

    def action_pane(self) -> None:
        """Move the focus from the list to the page, and back."""
        moments = self.query_one(PairList)
        if moments.has_focus:
            self._focus_page()
        else:
            self.set_focus(moments)

    def action_search(self) -> None:
        """Search for a text."""
        self.screen.add_class("-search")
        self.set_focus(self.query_one(SearchInput))

    def action_match(self, step: int) -> None:
        """Go to the next match of the search, or to the one before."""
        if self._search:
            self._go_to_match(self.query_one(PairList).cursor + step, step)

    def action_only_matches(self) -> None:
        """Show only what matches the search, or all again."""
        self._wanted = replace(self._wanted, text="" if self._wanted.text else self._search)
        self._show()

    def action_all(self) -> None:
        """Show all moments again, and forget the search."""
        self.query_one(SearchInput).value = self._search = self._found = ""
        self.screen.remove_class("-search")
        self._wanted = replace(self._wanted, change=None, text="")
        self._show()
        self.set_focus(self.query_one(PairList))

    def action_copy(self) -> None:
        """Copy the text of the page."""
        if pair := self.query_one(PairList).chosen:
            self._copy(page_text(self._runs, pair, self._page, self._side()), PAGES[self._page])

    def action_copy_commands(self) -> None:
        """Copy the command lines that repeat this moment."""
        if pair := self.query_one(PairList).chosen:
            self._copy(commands(self._runs, pair, self._side()), "Command")

    def action_inspect(self, side: int) -> None:
        """Leave for the inspector of one run, at this moment."""
        if pair := self.query_one(PairList).chosen:
            self.place = Place(self._wanted, self._page, pair.first.moment.id)
            self.inspected = side, pair.first.moment.id
            self.exit()

    def action_groups(self) -> None:
        """Show the notes on the runs, and the groups of moments."""
        self.push_screen(TextDialog(comparison_text.groups_page(self._runs.found)))

    def action_keys(self) -> None:
        """Show the keys."""
        self.push_screen(TextDialog(help_text()))

    @on(OrderWanted)
    def _sort_by(self, event: OrderWanted) -> None:
        self._wanted = self._wanted.sorted_by(event.sort)
        self._show()

    @on(PairChosen)
    def _show_pair(self, event: PairChosen) -> None:
        pair = event.pair
        self._put("#place", comparison_text.pair_line(pair))
        self.query_one("#detail").set_class(pair is None, "-empty")
        if pair is None:
            empty = (Content(""), Content(""))
            self.query_one("#suggestions", Sides).show(empty, empty)
            self.query_one("#tests", Sides).show(empty, empty)
            self.query_one("#difference > Static", Static).update("")
            return
        titles = (comparison_text.side_line("A", pair.first), comparison_text.side_line("B", pair.second))
        for name, page in (("#suggestions", comparison_text.suggestion_page), ("#tests", comparison_text.tests_page)):
            self.query_one(name, Sides).show(titles, (page(pair.first), page(pair.second)))
        self.query_one("#difference > Static", Static).update(comparison_text.difference_page(pair))

    @on(Input.Changed)
    def _search_for(self, event: Input.Changed) -> None:
        self._search, self._found = event.value, ""
        if self._wanted.text:
            self._wanted = replace(self._wanted, text=event.value)
            self._show()
        elif event.value:
            self._go_to_match(self.query_one(PairList).cursor, 1)
        self._say_filters()

    @on(SearchClosed)
    def _leave_search(self) -> None:
        self.screen.set_class(bool(self._search), "-search")
        self.set_focus(self.query_one(PairList))

    def _go_to_match(self, start: int, step: int) -> None:
        moments = self.query_one(PairList)
        at, count = self._runs.next_match(moments.pairs, self._search, start, step)
        self._found = f"{count:,} match" if count else "no match"
        if at is not None:
            moments.cursor = at
        self._say_filters()

    def _side(self) -> int | None:
        """Which side the focus is in; None: it is elsewhere."""
        sides = list(self.query(f"#{self._page} Side"))
        return sides.index(self.focused) if self.focused in sides else None

    def _copy(self, text: str, what: str) -> None:
        if text:
            self.copy_to_clipboard(text)
        self.notify(f"{what}: {len(text):,} characters copied" if text else "There is nothing to copy.", timeout=2)

    def _say_filters(self) -> None:
        self._put("#filters", comparison_text.filter_line(self._runs, self._wanted, self._found))

    def _show(self) -> None:
        self._say_filters()
        self.query_one(PairList).show(self._runs.select(self._wanted))

    def _tabs(self) -> Content:
        parts = [
            Content(f"{number} {title}").stylize(
                f"{'bold reverse ' if name == self._page else ''}@click=app.page('{name}')"
            )
            for number, (name, title) in enumerate(PAGES.items(), 1)
        ]
        return Content("  ").join(parts)

    def _focus_page(self) -> None:
        page = self.query_one(f"#{self._page}")
        self.set_focus(page.query(Side).first() if isinstance(page, Sides) else page)

    def _put(self, selector: str, content: Content) -> None:
        self.screen_stack[0].query_one(selector, Static).update(content)


# What the keys to copy take of a pair: the text of a page, or the commands that repeat the moment. With a
# side, only that one's.


def page_text(runs: ComparedRuns, pair: MomentPair, page: str, side: int | None) -> str:
    """Return the suggestions or the logs as they are, each under the name of its run if both are taken; or the difference as a patch."""
    if page == "difference":
        return plain_diff(pair.first.moment.path, _suggestion(pair.first), _suggestion(pair.second))
    return _of(runs, pair, side, _suggestion if page == "suggestions" else _log)


def commands(runs: ComparedRuns, pair: MomentPair, side: int | None) -> str:
    """Return the commands that ask again at this moment only, a line each: that of A, then that of B."""
    chosen = [side] if side is not None else [0, 1]
    moment = pair.first.moment
    return "\n".join(
        command_for(moment.id, runs.origins[one].get(moment.tape, ""), runs.configs[one]) for one in chosen
    )


def _of(runs: ComparedRuns, pair: MomentPair, side: int | None, text: Callable[[Record], str]) -> str:
    texts = [text(pair.first), text(pair.second)]
    if side is not None:
        return texts[side]
    if not any(texts):
        return ""
    return "\n\n".join(f"{letter} {name}:\n{own}" for letter, name, own in zip("AB", runs.names, texts, strict=True))


def _suggestion(record: Record) -> str:
    return record.suggestion.text if record.suggestion else ""


def _log(record: Record) -> str:
    return record.verdict.log or record.verdict.message if record.verdict else ""


# The help of the screen of two runs: its keys.

KEYS = (
    ("↑ ↓ j k", "another moment; page up and down, g first, G last"),
    ("f", "the next filter; a click on a filter does the same"),
    ("a escape", "all moments"),
    *((sign, f"only {name}: {meaning}") for name, (sign, meaning) in CHANGES.items()),
    ("s S", "sort by the next column (or a click on a title), turn round"),
    ("1 2 3", "suggestions, tests, the difference of the suggestions"),
    ("/ n N", "search; next match; match before"),
    ("&", "only what matches the search, or all again"),
    ("c C", "copy the page, or the side with the focus; commands to repeat it"),
    ("A B", "the moment in the inspector of run A, of run B; q comes back"),
    ("tab", "from the list to the texts, which scroll together, and back"),
    ("i", "notes on the runs, and the difference in groups of moments"),
    ("T ctrl+p", "the next theme; the command palette"),
    ("q", "close the screen"),
)


def help_text() -> Content:
    """The keys, a line each."""
    lines = [Content.assemble((f"{key:>8}", "bold"), f"  {meaning}") for key, meaning in KEYS]
    words = "Verdicts are those in a hole that is the same for both runs.\nEscape closes this."
    return Content("\n").join([Content("Keys").stylize(HEAD), *lines, Content(""), Content(words).stylize(FAINT)])
