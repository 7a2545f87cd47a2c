"""The pages on which the details of one moment are told."""

from __future__ import annotations

import re
from collections.abc import Callable

from textual.content import Content

from replay.records import Record, Step, Suggestion
from server.templates import TEMPLATES
from tui.code import FAINT, GHOST, STRUCK, Picture, suggested, written
from tui.diff import diff
from tui.plain import clip, plain, shorten
from tui.words import ending_words, verdict_words

_HEAD = "bold $text-accent"
_MARK = "bold $text-warning"
_WORDS = sorted({word for template in TEMPLATES.values() for word in template.marks}, key=len, reverse=True)
_MARKS = re.compile("⟨(?:before|cursor|system|user|assistant|file [^⟩\n]*)⟩|" + "|".join(map(re.escape, _WORDS)))


def suggestion_page(record: Record) -> Picture:
    """Show the code at the cursor with the suggestion in it, or say in words why there is none."""
    picture = suggested(record.moment, record.suggestion)
    if record.suggestion and record.suggestion.text:
        legend = [("The suggestion stands in the code ", FAINT), ("like this", GHOST)]
        if record.suggestion.end > record.suggestion.start:
            legend += [("; what it replaces, ", FAINT), ("like this", STRUCK)]
        return Picture(Content("\n").join([Content.assemble(*legend), picture.content]), picture.cursor + 1)
    reason = Content.assemble(("No suggestion. ", "bold $text-warning"), plain(ending_words(record.ending)), ".")
    return Picture(Content("\n").join([reason, Content(""), picture.content]), picture.cursor + 2)


def truth_page(record: Record) -> Picture:
    """Show what the developer wrote there, and how the suggestion differs from it."""
    truth = record.moment.truth
    if not truth:
        return Picture(_faint("No ground truth: nothing that was written here is left in the finished project."), 0)
    picture = written(record.moment)
    parts = [_head("Ground truth: what stands here in the finished project"), picture.content]
    if record.suggestion and record.suggestion.text:
        parts += [Content(""), _head("From the ground truth (-) to the suggestion (+)")]
        parts += [diff(truth, record.suggestion.text)]
    return Picture(Content("\n").join(parts), 0)


def repairs_page(record: Record) -> Picture:
    """Show each repair that changed the text, and the raw text."""
    suggestion = record.suggestion
    if suggestion is None:
        return Picture(_faint(f"Nothing came back, so there was nothing to repair. {ending_words(record.ending)}."), 0)
    steps = [part for step in suggestion.trail for part in (*_step(step), Content(""))]
    parts = steps or [_faint("No repair changed it."), Content("")]
    parts += [_head("Raw text, as the provider gave it"), _text(suggestion.raw) if suggestion.raw else _faint("none")]
    return Picture(Content("\n").join(parts), 0)


def prompt_page(record: Record) -> Picture:
    """Show the prompt that the provider was given, and who that was."""
    suggestion = record.suggestion
    if suggestion is None or not suggestion.prompt:
        return Picture(_faint("No prompt was kept for this moment."), 0)
    return Picture(Content("\n").join([_head(_origin(suggestion)), _worded(suggestion.prompt)]), 0)


def tests_page(record: Record) -> Picture:
    """Show the verdict with its message, and the log of the test run."""
    verdict = record.verdict
    if verdict is None:
        return Picture(_faint("The graft was not tested."), 0)
    style = {"passed": "bold $text-success", "untestable": "bold $text-warning"}.get(verdict.name, "bold $text-error")
    counts = [f"{number} {word}" for number, word in ((verdict.passed, "passed"), (verdict.failed, "failed")) if number]
    ran = [*counts, *([f"took {verdict.wall_ms / 1000:.1f} s"] if verdict.wall_ms else [])]
    parts = [Content(plain(verdict_words(verdict))).stylize(style)]
    parts += [_faint(", ".join(ran))] if ran else []
    parts += [_text(verdict.message)] if verdict.message else []
    parts += [Content(""), _head("Log of the test run"), _text(verdict.log)] if verdict.log else []
    parts += [Content(""), _head("The program as it was run"), _text(verdict.program)] if verdict.program else []
    return Picture(Content("\n").join(parts), 0)


PAGES: dict[str, tuple[str, Callable[[Record], Picture]]] = {
    "suggestion": ("Suggestion", suggestion_page),
    "truth": ("Ground truth", truth_page),
    "repairs": ("Repairs", repairs_page),
    "prompt": ("Prompt", prompt_page),
    "tests": ("Tests", tests_page),
}
"""Name, title and maker of each page, in the order of the keys 1 to 5."""


def _step(step: Step) -> list[Content]:
    return [_head(f"Repair: {step.step}"), diff(step.before, step.after)]


def _origin(suggestion: Suggestion) -> str:
    cache = "" if suggestion.cache == "none" else f", answered from the cache ({suggestion.cache})"
    return shorten(plain(f"Prompt for provider {suggestion.provider or 'of this run'}{cache}"), 200)


def _worded(prompt: str) -> Content:
    """The prompt, with the marks of its parts and the words of the model families standing out from the code."""
    return _text(prompt).highlight_regex(_MARKS, style=_MARK)


def _text(text: str) -> Content:
    return Content(clip(plain(text)))


def _head(text: str) -> Content:
    return Content(text).stylize(_HEAD)


def _faint(text: str) -> Content:
    return Content(plain(text)).stylize(FAINT)
