"""The page *repairs*: from the raw text through each step to what was offered."""

from __future__ import annotations

from textual.content import Content

from replay.records import TrailStep
from tui.glossary import describe_ending
from tui.inspector.code import PageContent
from tui.inspector.diff import word_diff
from tui.inspector.pages.parts import ShownMoment, faint, head, lines, text
from tui.terminal_text import one_line


def repairs_page(shown: ShownMoment) -> PageContent:
    """Show the raw text, what each repair took out and put in, and the text that was offered."""
    offered, ending = shown.record.suggestion, shown.record.ending
    if offered is None:
        return PageContent(faint(f"No answer came back, so there was nothing to repair. {describe_ending(ending)}."))
    steps = [part for step in offered.trail for part in (*_step(step), Content(""))]
    changed = (
        [faint("[-taken out-] {+put in+}"), *steps] if steps else [faint("No repair changed the text."), Content("")]
    )
    parts = [
        head("Raw text from the provider"),
        text(offered.raw) if offered.raw else faint("none"),
        Content(""),
        *changed,
    ]
    parts += [head("Offered"), text(offered.text) if offered.text else faint("nothing")]
    return PageContent(lines(*parts), 0, offered.raw)


def _step(step: TrailStep) -> list[Content]:
    undone = " (undone, because its result has more syntax errors)" if step.undone else ""
    return [head(f"Repair: {one_line(step.step)}{undone}"), word_diff(step.before, step.after)]
