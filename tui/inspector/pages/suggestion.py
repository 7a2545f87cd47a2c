"""The page *suggestion*: the code with the suggestion in it, and what was really typed beside it."""

from __future__ import annotations

from textual.content import Content

from tui.glossary import describe_ending
from tui.inspector.code import (
    FAINT,
    GHOST,
    STRUCK,
    PageContent,
    code_with_ground_truth,
    code_with_suggestion,
    side_by_side,
)
from tui.inspector.diff import word_diff
from tui.inspector.pages.parts import WIDE, ShownMoment, faint, head, lines
from tui.terminal_text import bounded


def suggestion_page(shown: ShownMoment) -> PageContent:
    """Show the code at the cursor with the suggestion in it, or say why there is none; beside or below it what was really typed."""
    record, moment = shown.record, shown.record.moment
    code = code_with_suggestion(moment, record.suggestion)
    offered = record.suggestion.text if record.suggestion else ""
    top = _legend(shown) if offered else Content.assemble(("No suggestion. ", "bold $text-warning"), bounded(describe_ending(record.ending)), ".")  # fmt: skip
    typed = lines(head("What was really typed here"), _typed(shown))
    if shown.width >= WIDE:
        level = [Content("")] * max(0, code.cursor - 2)  # so that what was typed begins where the cursor is
        page = lines(
            top, side_by_side(lines(head("The code at the moment"), code.content), lines(*level, typed), shown.width)
        )
        return PageContent(page, code.cursor + 2, offered)
    parts = [top, *([] if offered else [Content("")]), code.content, Content(""), typed]
    if offered and moment.truth:
        parts += [
            Content(""),
            head("From it to the suggestion: [-taken out-] {+put in+}"),
            word_diff(moment.truth, offered),
        ]
    return PageContent(lines(*parts), code.cursor + (1 if offered else 2), offered)


def _typed(shown: ShownMoment) -> Content:
    moment, offered = shown.record.moment, shown.record.suggestion
    if not moment.truth:
        return faint("Nothing of it is in the finished project (see Hole).")
    parts = [code_with_ground_truth(moment).content]
    if shown.width >= WIDE and offered and offered.text:
        parts += [Content(""), head("From it to the suggestion"), word_diff(moment.truth, offered.text)]
    return lines(*parts)


def _legend(shown: ShownMoment) -> Content:
    legend = [("The suggestion is marked ", FAINT), ("like this", GHOST)]
    offered = shown.record.suggestion
    if offered and offered.end > offered.start:
        legend += [("; the text that it replaces is marked ", FAINT), ("like this", STRUCK)]
    return Content.assemble(*legend)
