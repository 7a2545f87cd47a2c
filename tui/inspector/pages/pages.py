"""The pages about one moment, in the order of their keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from textual.content import Content

from replay.records import Record, Suggestion, TrailStep
from server.context.budget import CHARACTERS_A_TOKEN
from server.prompt.templates import TEMPLATES
from tui.glossary import UNTESTABLE, describe_ending
from tui.inspector.code import (
    FAINT,
    GHOST,
    STRUCK,
    PageContent,
    code_with_ground_truth,
    code_with_suggestion,
    side_by_side,
)
from tui.inspector.diff import diff, numbered_diff, plain_diff, shown_diff, word_diff
from tui.inspector.pages.hole import hole_page
from tui.inspector.pages.parts import WIDE, ShownMoment, faint, folded, head, lines, text, waits_for_tape
from tui.inspector.pages.tests import tests_page
from tui.inspector.pages.time import time_page
from tui.terminal_text import bounded, one_line, shorten

# The page *prompt*: its sections with about how many tokens each has, and its text.

_MARK = "bold $text-warning"
_TOKENS = sorted({token for template in TEMPLATES.values() for token in template.marks}, key=len, reverse=True)
_MARKS = re.compile("⟨(?:before|cursor|system|user|assistant|file [^⟩\n]*)⟩|" + "|".join(map(re.escape, _TOKENS)))
_NAME = 40
"""The width of the name of a section, in cells."""
_SECTIONS = 30
"""The sections that are named."""


def prompt_page(shown: ShownMoment) -> PageContent:
    """Show the sections of the prompt, and the prompt; its marks and the special tokens of model families stand out."""
    offered = shown.record.suggestion
    if offered is None or not offered.prompt:
        return PageContent(faint("The run holds no prompt for this moment."))
    table = [Content(f"  {name:<{_NAME}} {size:>9,} {tokens(size):>9,}") for name, size in sections(offered.prompt)]
    more = [faint(f"  … {len(table) - _SECTIONS:,} more sections")] if len(table) > _SECTIONS else []
    parts = [
        head(_title(offered)),
        faint(f"  {'section':<{_NAME}} {'characters':>9} {'about so many tokens':>9}"),
        *table[:_SECTIONS],
        *more,
        Content(f"  {'all':<{_NAME}} {len(offered.prompt):>9,} {tokens(len(offered.prompt)):>9,}").stylize("bold"),
        Content(""),
        head("Text"),
        folded(offered.prompt).highlight_regex(_MARKS, style=_MARK),
    ]
    return PageContent(lines(*parts), 0, offered.prompt)


def tokens(characters: int) -> int:
    """Return about how many tokens a text of so many characters has: 3.2 characters a token, as the server reckons."""
    return round(characters / CHARACTERS_A_TOKEN)


def sections(prompt: str) -> Iterator[tuple[str, int]]:
    """Yield each section, named by the mark it begins with, with its characters; what stands before the first mark is `start`."""
    name, begin = "start", 0
    for mark in _MARKS.finditer(prompt):
        if mark.start() > begin:
            yield name, mark.start() - begin
        name, begin = shorten(one_line(mark[0]), _NAME), mark.end()
    if len(prompt) > begin:
        yield name, len(prompt) - begin


def _title(offered: Suggestion) -> str:
    cache = "" if offered.cache == "none" else f", answered from the cache ({offered.cache})"
    return shorten(one_line(f"Prompt for provider {offered.provider or 'of this run'}{cache}"), 200)


# The page *repairs*: from the raw text through each step to what was offered.


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


# The page *suggestion*: the code with the suggestion in it, and what was really typed beside it.


def suggestion_page(shown: ShownMoment) -> PageContent:
    """Show the code at the cursor with the suggestion in it, or say why there is none; beside or below it what was really typed."""
    record, moment = shown.record, shown.record.moment
    if moment.next_edit is not None:
        return _edit_page(shown)
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


def _edit_page(shown: ShownMoment) -> PageContent:
    """Show an edit suggestion as a difference at its place, what the person did next, and the code at the cursor."""
    record, moment = shown.record, shown.record.moment
    offered = record.suggestion.text if record.suggestion else ""
    nothing = Content.assemble(("No edit. ", "bold $text-warning"), bounded(describe_ending(record.ending)), ".")
    parts = [
        head("The edit suggestion"),
        shown_diff(offered) if offered else nothing,
        Content(""),
        head("What the person did next"),
        shown_diff(moment.truth) if moment.truth else faint("Nothing within two minutes, or no answer came."),
        Content(""),
        head("The code at the moment"),
        code_with_suggestion(moment, None).content,
    ]
    return PageContent(lines(*parts), 0, offered)


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


# The page *graft*: how what was tested differs from the finished project.


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
    tested = [] if record.verdict else [faint("The graft was not tested.")]
    parts, plain = list[Content](), ""
    for path, (finished, graft) in {found.hole.path: (found.finished, found.graft), **found.others}.items():
        parts.append(head(f"{one_line(path)}: from the finished project (-) to the graft (+)"))
        parts += [*tested, numbered_diff(finished, graft)]
        plain += plain_diff(path, finished, graft)
    return PageContent(lines(*parts), 0, plain, needs_tape=True)


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
