"""The pages about one moment, in the order of their keys."""

from __future__ import annotations

from collections.abc import Callable

from replay.records import Record
from tui.inspector.code import PageContent
from tui.inspector.pages.graft import graft_page
from tui.inspector.pages.hole import hole_page
from tui.inspector.pages.parts import ShownMoment
from tui.inspector.pages.prompt import prompt_page
from tui.inspector.pages.repairs import repairs_page
from tui.inspector.pages.suggestion import suggestion_page
from tui.inspector.pages.tests import tests_page
from tui.inspector.pages.time import time_page

PAGES: dict[str, tuple[str, Callable[[ShownMoment], PageContent]]] = {
    "suggestion": ("Suggestion", suggestion_page),
    "hole": ("Hole", hole_page),
    "repairs": ("Repairs", repairs_page),
    "graft": ("Graft", graft_page),
    "tests": ("Tests", tests_page),
    "prompt": ("Prompt", prompt_page),
    "time": ("Time", time_page),
}
"""The title and the function of each page by its name, in the order of the keys 1 to 7."""


def page_that_explains(record: Record) -> str:
    """Return the name of the page that says why a moment ended as it did."""
    verdict = record.verdict
    if record.ending.name == "filtered":
        return "repairs"
    if verdict is not None and verdict.name in {"untestable", "repeated"}:
        return "hole"
    if verdict is not None:
        return "tests"
    return "time" if record.ending.name in {"late", "superseded", "cancelled", "debounced"} else "suggestion"
