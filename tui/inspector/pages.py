"""The pages about one moment."""

from __future__ import annotations

import re
from collections.abc import Callable

from textual.content import Content

from replay.records import Record, Rewriting, Step, Suggestion
from server.prompt.templates import TEMPLATES
from tui.glossary import REWRITING, describe_ending, describe_verdict
from tui.inspector.code import FAINT, GHOST, STRUCK, PageContent, code_with_ground_truth, code_with_suggestion
from tui.inspector.diff import diff
from tui.terminal_text import bounded, one_line, shorten

_HEAD = "bold $text-accent"
_MARK = "bold $text-warning"
_TOKENS = sorted({token for template in TEMPLATES.values() for token in template.marks}, key=len, reverse=True)
_MARKS = re.compile("⟨(?:before|cursor|system|user|assistant|file [^⟩\n]*)⟩|" + "|".join(map(re.escape, _TOKENS)))


def suggestion_page(record: Record) -> PageContent:
    """Show the code at the cursor with the suggestion in it, or say why there is no suggestion."""
    page = code_with_suggestion(record.moment, record.suggestion)
    if record.suggestion and record.suggestion.text:
        legend = [("The suggestion is marked ", FAINT), ("like this", GHOST)]
        if record.suggestion.end > record.suggestion.start:
            legend += [("; the text that it replaces is marked ", FAINT), ("like this", STRUCK)]
        return PageContent(Content("\n").join([Content.assemble(*legend), page.content]), page.cursor + 1)
    reason = Content.assemble(("No suggestion. ", "bold $text-warning"), bounded(describe_ending(record.ending)), ".")
    return PageContent(Content("\n").join([reason, Content(""), page.content]), page.cursor + 2)


def truth_page(record: Record) -> PageContent:
    """Show the text that the developer wrote here, and how the suggestion differs from it."""
    truth = record.moment.truth
    if not truth:
        return PageContent(
            _faint("No ground truth: the finished project holds nothing of the text that was written here."), 0
        )
    page = code_with_ground_truth(record.moment)
    parts = [_head("Ground truth: the text of the finished project here"), page.content]
    if record.suggestion and record.suggestion.text:
        parts += [Content(""), _head("From the ground truth (-) to the suggestion (+)")]
        parts += [diff(truth, record.suggestion.text)]
    return PageContent(Content("\n").join(parts), 0)


def repairs_page(record: Record) -> PageContent:
    """Show each repair that changed the text, and the raw text."""
    suggestion = record.suggestion
    if suggestion is None:
        return PageContent(
            _faint(f"No answer came back, so there was nothing to repair. {describe_ending(record.ending)}."), 0
        )
    steps = [part for step in suggestion.trail for part in (*_step(step), Content(""))]
    parts = steps or [_faint("No repair changed the text."), Content("")]
    parts += [_head("Raw text from the provider"), _text(suggestion.raw) if suggestion.raw else _faint("none")]
    return PageContent(Content("\n").join(parts), 0)


def prompt_page(record: Record) -> PageContent:
    """Show the prompt, and which provider it was sent to."""
    suggestion = record.suggestion
    if suggestion is None or not suggestion.prompt:
        return PageContent(_faint("The run holds no prompt for this moment."), 0)
    return PageContent(Content("\n").join([_head(_prompt_title(suggestion)), _highlighted(suggestion.prompt)]), 0)


def tests_page(record: Record) -> PageContent:
    """Show the verdict with its message, and the log of the test run."""
    verdict = record.verdict
    if verdict is None:
        return PageContent(_faint("The graft was not tested."), 0)
    style = {"passed": "bold $text-success", "untestable": "bold $text-warning"}.get(verdict.name, "bold $text-error")
    counts = [f"{number} {word}" for number, word in ((verdict.passed, "passed"), (verdict.failed, "failed")) if number]
    ran = [*counts, *([f"took {verdict.wall_ms / 1000:.1f} s"] if verdict.wall_ms else [])]
    parts = [Content(bounded(describe_verdict(verdict))).stylize(style)]
    parts += [_faint(", ".join(ran))] if ran else []
    parts += [_text(verdict.message)] if verdict.message else []
    parts += _rewritten(verdict.rewriting) if verdict.rewriting else []
    parts += [Content(""), _head("Log of the test run"), _text(verdict.log)] if verdict.log else []
    parts += [Content(""), _head("The program that was run"), _text(verdict.program)] if verdict.program else []
    return PageContent(Content("\n").join(parts), 0)


def _rewritten(found: Rewriting) -> list[Content]:
    side = "Before the cursor" if found.cause == "before" else "Behind the cursor"
    return [
        _text(f"Why: {REWRITING[found.cause]}."),
        Content(""),
        _head(f"{side} at the moment"),
        _text(found.then),
        Content(""),
        _head(f"{side} in the finished document"),
        _text(found.now),
    ]


PAGES: dict[str, tuple[str, Callable[[Record], PageContent]]] = {
    "suggestion": ("Suggestion", suggestion_page),
    "truth": ("Ground truth", truth_page),
    "repairs": ("Repairs", repairs_page),
    "prompt": ("Prompt", prompt_page),
    "tests": ("Tests", tests_page),
}
"""The title and the function of each page by its name, in the order of the keys 1 to 5."""


def _step(step: Step) -> list[Content]:
    undone = " (undone, because its result has more syntax errors)" if step.undone else ""
    return [_head(f"Repair: {one_line(step.step)}{undone}"), diff(step.before, step.after)]


def _prompt_title(suggestion: Suggestion) -> str:
    cache = "" if suggestion.cache == "none" else f", answered from the cache ({suggestion.cache})"
    return shorten(one_line(f"Prompt for provider {suggestion.provider or 'of this run'}{cache}"), 200)


def _highlighted(prompt: str) -> Content:
    """Return the prompt; the marks of its parts and the special tokens of model families are highlighted."""
    return _text(prompt).highlight_regex(_MARKS, style=_MARK)


def _text(text: str) -> Content:
    return Content(bounded(text))


def _head(text: str) -> Content:
    return Content(text).stylize(_HEAD)


def _faint(text: str) -> Content:
    return Content(bounded(text)).stylize(FAINT)
