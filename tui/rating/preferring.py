"""Comparing two passing solutions: which one a rater prefers, and what he would tell the author of the other one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec import structs
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, ScrollableContainer
from textual.content import Content
from textual.widgets import Footer, Input, Static

from corpora.codealign.codebook import Preference, Showing, read_preferences, write_preference
from corpora.codealign.codebook.rater_preferences import PreferenceChoice
from tui.inspector.code import coloured_code
from tui.rating.rating_app import ENDS, STEPS, RatingApp
from tui.terminal_text import one_line, sanitize
from tui.text_dialog import TextDialog

_HELP = """Both programs pass the tests of the task. Which do you prefer? And what would you tell the author of the other one, so that it becomes more like the one you prefer?

1 2       prefer this one; then write what you would tell the author of the other: enter keeps it, and once more with nothing written goes on
0         no preference, and go on
u         you prefer one and cannot say why, and go on
i         write another instruction
x         take the last instruction back
r         the task
tab       the other side; the arrows scroll it
n p       the next, the one before
q         quit; everything is kept at once

Who wrote a program is not shown, and who stands where is drawn. Go by whatever matters to you."""


class PreferringApp(RatingApp[Showing]):
    """Shows pairs of solutions to one rater."""

    TITLE = "ghosttape instructions prefer"
    CSS_PATH = ["rating.tcss", "preferring.tcss"]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    HELP = _HELP
    ANSWER = "The answer"
    AUTO_FOCUS = "#side-1"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "prefer('left')", "Prefer", key_display="1 2"),
        Binding("2", "prefer('right')", "Prefer", show=False),
        Binding("0", "neither", "Neither"),
        Binding("u", "unsure", "Cannot say why"),
        Binding("i", "tell", "Tell"),
        Binding("x", "take_back", "Take back"),
        Binding("r", "task", "Task"),
        *STEPS,
        *ENDS,
    ]

    def __init__(self, showings: Sequence[Showing], file: Path, rater: str) -> None:
        self.showings, self._file, self.rater = showings, file, rater
        kept = read_preferences(file) if file.exists() else []
        self._own = {(one.pair, one.repeated): one for one in kept if one.rater == rater}
        super().__init__(showings)

    def is_answered(self, item: Showing) -> bool:
        """Whether this person has said something of a pair."""
        return self._said(item) is not None

    def _said(self, showing: Showing) -> Preference | None:
        return self._own.get((showing.pair.name, showing.repeated))

    def compose(self) -> ComposeResult:
        """Lay out the task, the two programs, and what is said of them."""
        yield Static("", id="headline", markup=False)
        with Container(id="sides"):
            for number in (1, 2):
                with ScrollableContainer(id=f"side-{number}", classes="side") as side:
                    side.border_title = str(number)
                    yield Static("", markup=False)
        yield Static("", id="said", markup=False)
        yield Input(id="told", disabled=True, compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def show_item(self) -> None:
        """Show the two programs, and what this person said of them."""
        for number in (1, 2):
            self.query_one(f"#side-{number} Static", Static).update(code_of(self.shown, number - 1))
            self.query_one(f"#side-{number}").scroll_home(animate=False)
        self._show()

    def action_prefer(self, side: str) -> None:
        """Prefer a side, and ask what the author of the other one should hear. What was told the same author before stays."""
        choice = self.shown.choice_of("left" if side == "left" else "right")
        before = self._said(self.shown)
        asks = before.asks if before and before.choice == choice else ()
        if self._keep(choice, asks):
            self.action_tell()

    def action_neither(self) -> None:
        """Prefer neither, and go on."""
        if self._keep("none", ()):
            self._go_on()

    def action_unsure(self) -> None:
        """Say that the reason is not known, and go on."""
        own = self._said(self.shown)
        if own is None or own.choice == "none":
            self.notify("First say which one you prefer: 1 or 2.", severity="warning")
        elif self._keep(own.choice, (), unsure=True):
            self._go_on()

    def action_tell(self) -> None:
        """Open the field for an instruction to the author of the one that is not preferred."""
        own = self._said(self.shown)
        if own is None or own.choice == "none":
            self.notify("First say which one you prefer: 1 or 2.", severity="warning")
            return
        field = self.query_one("#told", Input)
        other = 3 - preferred_side(self.shown, own)
        field.placeholder = f"tell the author of {other}; enter keeps it, with nothing written it goes on"
        field.value, field.disabled = "", False
        self.screen.add_class("-telling")
        field.focus()

    def action_take_back(self) -> None:
        """Take the last instruction back."""
        own = self._said(self.shown)
        if own is not None and own.asks:
            self._keep(own.choice, own.asks[:-1])

    @on(Input.Submitted, "#told")
    def _told(self, event: Input.Submitted) -> None:
        own, text = self._said(self.shown), event.value.strip()
        event.input.value = ""
        if text and own is not None:
            self._keep(own.choice, (*own.asks, text))
            return
        self._close_field()
        if own is not None and (own.asks or own.unsure):
            self._go_on()

    def key_escape(self) -> None:
        """Leave the field, and stay at the pair."""
        self._close_field()

    def action_task(self) -> None:
        """Show the whole task."""
        self.push_screen(TextDialog(Content(sanitize(self.shown.pair.request))))

    def _close_field(self) -> None:
        self.query_one("#told", Input).disabled = True
        self.screen.remove_class("-telling")
        self.query_one("#side-1").focus()

    def _keep(self, choice: PreferenceChoice, asks: tuple[str, ...], *, unsure: bool = False) -> bool:
        """Keep what is said of the pair; False if it could not be kept."""
        shown = self.shown
        one = Preference(pair=shown.pair.name, rater=self.rater, repeated=shown.repeated, swapped=shown.swapped, choice=choice)  # fmt: skip
        one = structs.replace(one, asks=asks, unsure=unsure)
        if not self.is_kept(lambda: write_preference(self._file, one)):
            return False
        self._own[one.pair, one.repeated] = one
        self._show()
        return True

    def _go_on(self) -> None:
        """Show the next pair without an answer; the same where there is none."""
        if not self.go_on():
            self.notify("Every pair has an answer. q quits.")

    def _show(self) -> None:
        done = sum(self._said(one) is not None for one in self.showings)
        place = headline(self.shown, self._at, len(self.showings), done)
        self.query_one("#headline", Static).update(place)
        self.query_one("#said", Static).update(said(self.shown, self._said(self.shown)))


# What stands on the screen of a comparison of two solutions.


def headline(showing: Showing, at: int, of: int, done: int) -> Content:
    """Say how far the rater is, and how the task begins. Whether the pair was seen before is not said."""
    asked = next((line for line in showing.pair.request.splitlines() if line.strip()), "")
    place = f"{at + 1} of {of}, {done} done  "
    return Content.assemble((place, "bold"), (one_line(asked), "$faint"), "\nWhich do you prefer?")


def code_of(showing: Showing, side: int) -> Content:
    """One of the two programs, in colour; side 0 or 1."""
    return coloured_code(sanitize(showing.sides[side].strip("\n")), showing.pair.language)


def said(showing: Showing, own: Preference | None) -> Content:
    """What the rater has said of the pair."""
    if own is None:
        return Content.styled("no answer yet: 1, 2, or 0 for no preference", "$faint")
    if own.choice == "none":
        return Content.styled("no preference", "bold")
    mine = preferred_side(showing, own)
    told = "; ".join(one_line(ask) for ask in own.asks) or ("you cannot say why" if own.unsure else "nothing yet: i")
    return Content.assemble((f"{mine} preferred. ", "bold"), f"To the author of {3 - mine}: {told}")


def preferred_side(showing: Showing, own: Preference) -> int:
    """The number of the side that is preferred, 1 or 2."""
    return 1 if own.choice == showing.choice_of("left") else 2
