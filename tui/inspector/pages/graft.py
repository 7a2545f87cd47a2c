"""The page *graft*: how what was tested differs from the finished project."""

from __future__ import annotations

from textual.content import Content

from tui.glossary import UNTESTABLE
from tui.inspector.code import PageContent
from tui.inspector.diff import diff, numbered_diff, plain_diff
from tui.inspector.pages.parts import ShownMoment, faint, head, lines, waits_for_tape
from tui.terminal_text import one_line


def graft_page(shown: ShownMoment) -> PageContent:
    """Show the graft as a difference from the finished document: - what the developer wrote, + what the suggestion says."""
    record, moment = shown.record, shown.record.moment
    if shown.tape is None:
        offered = record.suggestion.text if record.suggestion else ""
        parts = [
            waits_for_tape(shown),
            Content(""),
            head("From what was typed (-) to the suggestion (+)"),
            diff(moment.truth, offered),
        ]
        return PageContent(lines(*parts), 0, plain_diff(moment.path, moment.truth, offered), needs_tape=True)
    found = shown.tape.retrace(record)
    if isinstance(found, str):
        return PageContent(faint(f"There is no graft: {UNTESTABLE.get(found, found)}."), needs_tape=True)
    title = head(f"{one_line(moment.path)}: from the finished project (-) to the graft (+)")
    tested = [] if record.verdict else [faint("The graft was not tested.")]
    return PageContent(
        lines(title, *tested, numbered_diff(found.finished, found.graft)),
        0,
        plain_diff(moment.path, found.finished, found.graft),
        needs_tape=True,
    )
