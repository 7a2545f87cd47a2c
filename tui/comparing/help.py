"""The help of the screen of two runs: its keys."""

from __future__ import annotations

from textual.content import Content

from tui.comparing.comparison_text import FAINT, HEAD
from tui.comparing.model import CHANGES

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
