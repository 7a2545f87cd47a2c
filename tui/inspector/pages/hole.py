"""The page *hole*: what in the finished project the suggestion was put in place of, and why; for an untestable moment, why it is that."""

from __future__ import annotations

import re

from textual.content import Content

from replay.records import Record, Rewriting
from syntax.text import index_of
from tui.glossary import REWRITING, STOPS, UNTESTABLE, VERDICTS, block_label, describe_verdict
from tui.inspector.code import FAINT, TRUTH, PageContent, code_with_hole
from tui.inspector.diff import word_diff
from tui.inspector.pages.parts import ShownMoment, faint, head, lines, text, waits_for_tape, wrapped
from tui.terminal_text import one_line

_CURSOR = re.compile(r" *\d+ ▌")
"""The line of code in which the hole begins."""


def hole_page(shown: ShownMoment) -> PageContent:
    """Show the finished project around the hole, and why the hole is there and ends there."""
    record = shown.record
    why_not = [wrapped(part, shown.width) for part in _why_untestable(record)]
    why = [wrapped(part, shown.width) for part in _why(record)]
    page = lines(*why_not, *_place(shown), Content(""), *why)
    rows = page.plain.split("\n")
    hole = next((index for index, row in enumerate(rows) if _CURSOR.match(row)), 0)
    return PageContent(page, 0 if why_not else hole, record.moment.truth, needs_tape=True)


def _why_untestable(record: Record) -> list[Content]:
    verdict = record.verdict
    if verdict is None or verdict.name not in {"untestable", "infrastructure", "repeated"}:
        return []
    reason = UNTESTABLE.get(verdict.reason, verdict.reason) or VERDICTS.get(verdict.name, "")
    parts = [Content.assemble((f"Why this is {verdict.name}: ", "bold $text-warning"), text(reason), ".")]
    parts += [text(verdict.message)] if verdict.message else []
    parts += _rewritten(verdict.rewriting) if verdict.rewriting else []
    return [*parts, Content("")]


def _rewritten(found: Rewriting) -> list[Content]:
    side = "before the cursor" if found.cause == "before" else "behind the cursor"
    return [
        text(f"Why: {REWRITING[found.cause]}."),
        Content(""),
        head(f"What stood {side} at the moment"),
        text(found.then),
        Content(""),
        head(f"What stands {side} in the finished document"),
        text(found.now),
        Content(""),
        head("From then to now: [-taken out-] {+put in+}"),
        word_diff(found.then, found.now),
    ]


def _place(shown: ShownMoment) -> list[Content]:
    moment = shown.record.moment
    if shown.tape is None:
        truth = [head("The hole, as the run kept it"), text(moment.truth) if moment.truth else faint("nothing")]
        return [wrapped(waits_for_tape(shown), shown.width), Content(""), *truth]
    span = _span(shown)
    if span is None:
        return [faint("The moment has no hole in the finished document.")]
    path, start, end = span
    finished = shown.tape.finished(path)
    first, last = finished.count("\n", 0, start) + 1, finished.count("\n", 0, end) + 1
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    legend = Content.assemble(
        ("The finished document, ", FAINT),
        (one_line(path), "bold"),
        (f", {where}: the suggestion took the place of what is marked ", FAINT),
        ("like this", TRUTH),
    )
    return [wrapped(legend, shown.width), code_with_hole(moment, finished, start, end)]


def _span(shown: ShownMoment) -> tuple[str, int, int] | None:
    """Where the hole is: the path, and indices in the finished document; as the verdict says, else as it is found again."""
    verdict, path = shown.record.verdict, shown.record.moment.path
    if shown.tape is None:
        return None
    if verdict and verdict.hole:
        finished = shown.tape.finished(path)
        return path, index_of(finished, verdict.hole[0]), index_of(finished, verdict.hole[1])
    found = shown.tape.retrace(shown.record)
    return None if isinstance(found, str) else (found.hole.path, found.hole.start, found.hole.end)


def _why(record: Record) -> list[Content]:
    moment, verdict = record.moment, record.verdict
    wanted = f" ({block_label(record)})" if block_label(record) else ""
    parts = [
        head("Why it is there and ends there"),
        text(f"Wanted at the moment: {STOPS.get(moment.stop, moment.stop)}{wanted}."),
    ]
    if moment.stop == "auto" and verdict and verdict.hole:
        parts.append(text("The hole follows the suggestion: up to where both have said the same amount of code."))
    if verdict and verdict.part < 1:
        parts.append(
            text(f"It says {100 * verdict.part:.0f} % of the statement it ends in; the rest is the developer's.")
        )
    if verdict and verdict.fixed:
        parts.append(text(f"In the one hole that all suggestions of this moment share its verdict is {verdict.fixed}."))
    if moment.function:
        parts.append(text(f"It lies in the function at {moment.function}."))
    for part in moment.within:
        label = "/".join(filter(None, (part.kind, part.scenario)))
        parts += [
            Content(""),
            head(f"A smaller part begins here too: {part.stop}"),
            text(f"{label}\n{part.truth}".strip()),
        ]
    return [*parts, *_missed(record)]


def _missed(record: Record) -> list[Content]:
    missed = record.missed
    if missed is None:
        return []
    parts = [Content(""), head("What the editor did not wait for")]
    if missed.suggestion is None:
        return [*parts, text(f"The answer failed, too: {missed.failed}" if missed.failed else "There was no answer.")]
    parts += [text(missed.suggestion.text or "(nothing)"), text(describe_verdict(missed.verdict))]
    return parts
