"""The page *tests*: the failing assertion, and the whole log behind it."""

from __future__ import annotations

from textual.content import Content

from replay.records import Verdict
from tui.glossary import adherence_told, describe_verdict
from tui.inspector.code import FAINT, PageContent
from tui.inspector.pages.assertions import failing_assertion
from tui.inspector.pages.parts import ShownMoment, faint, folded, head, lines, text, wrapped
from tui.terminal_text import bounded, one_line

_ADHERENCE = {"broken": "bold $text-error", "followed": "bold $text-success"}


def tests_page(shown: ShownMoment) -> PageContent:
    """Show the verdict, the failing assertion, and the log of the test run."""
    verdict = shown.record.verdict
    if verdict is None:
        return PageContent(faint("The graft was not tested."))
    style = {"passed": "bold $text-success", "untestable": "bold $text-warning"}.get(verdict.name, "bold $text-error")
    parts = [Content(bounded(describe_verdict(verdict))).stylize(style), *_counts(verdict), *_quoted(verdict)]
    parts += [text(verdict.message)] if verdict.message and not _is_quoted(verdict) else []
    parts += [faint("Why: see Hole (2).")] if verdict.name == "untestable" else []
    parts += _instructions(verdict, shown.width)
    parts += [Content(""), head("Log of the test run"), folded(verdict.log)] if verdict.log else []
    parts += [Content(""), head("The program that was run"), folded(verdict.program)] if verdict.program else []
    return PageContent(lines(*parts), 0, verdict.log or verdict.message)


def _counts(verdict: Verdict) -> list[Content]:
    counts = [f"{number} {word}" for number, word in ((verdict.passed, "passed"), (verdict.failed, "failed")) if number]
    ran = [*counts, *([f"took {verdict.wall_ms / 1000:.1f} s"] if verdict.wall_ms else [])]
    return [faint(", ".join(ran))] if ran else []


def _instructions(verdict: Verdict, width: int) -> list[Content]:
    """What the suggestion does to each instruction of developers that the run checks; what is broken first."""
    rows = [
        wrapped(Content.assemble((f"{name}: ", _ADHERENCE.get(name, FAINT)), one_line(", ".join(ids))), width)
        for name, ids in adherence_told(verdict).items()
    ]
    return [Content(""), head("Instructions of developers"), *rows] if rows else []


def _quoted(verdict: Verdict) -> list[Content]:
    found = [] if verdict.name == "passed" else failing_assertion(verdict.log)
    if not found:
        return []
    quoted = [Content.assemble(("▌ ", "bold $text-error"), text(line)) for line in found]
    return [Content(""), head("The first failure"), *quoted]


def _is_quoted(verdict: Verdict) -> bool:
    return verdict.message.strip() in "\n".join(failing_assertion(verdict.log))
