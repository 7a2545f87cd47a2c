"""What stands on the screen of a comparison of two solutions."""

from __future__ import annotations

from textual.content import Content

from corpora.codealign.codebook import Preference, Showing
from tui.inspector.code import coloured_code
from tui.terminal_text import one_line, sanitize

HELP = """Both programs pass the tests of the task. Which do you prefer? And what would you tell the author of the other one, so that it becomes more like the one you prefer?

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
