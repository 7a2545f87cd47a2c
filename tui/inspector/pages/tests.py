"""The page *tests*: the failing assertion, and the whole log behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from textual.content import Content

from replay.records import Verdict
from tui.glossary import adherence_told, describe_verdict
from tui.inspector.code import FAINT, PageContent
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


# The failing assertion in the log of a test run, in the words of its test runner.

MOST = 14
"""The lines that are quoted."""
_PYTEST = re.compile(r"^E(   |$)")
_PYTEST_CODE = re.compile(r"^>  ")
_PYTEST_PLACE = re.compile(r"^\S+:\d+: \w")
_TAP = re.compile(r"^\s*not ok \d+|^\s*✖ |^\s*● |^\s+\d+\) ")
_TAP_PARENT = re.compile(r"^\s*not ok \d+ - .*\.(m|c)?[jt]sx?\b")
_TRACEBACK = "Traceback (most recent call last):"
_OTHER = re.compile(
    r"\bAssert(ion)?\w*(Error|Failed|Exception)?\b|\bFAIL(ED|URE)?\b|panicked at|[Ee]xpected\b.*(but|got|actual|received)|^\s*\w*(Error|Exception)\b|: error[: ]|\berror\[E\d+\]"
)


def failing_assertion(log: str) -> list[str]:
    """Return the lines of the first failure: of pytest, node, jest, mocha and vitest, a Python traceback, or any that names a failure.

    An empty list if no line looks like one.
    """
    lines = log.split("\n")
    for rule in (_of_pytest, _of_node, _of_traceback, _of_any):
        if found := rule(lines):
            return found[:MOST]
    return []


def _of_pytest(lines: Sequence[str]) -> list[str]:
    first = _first(lines, _PYTEST.match)
    if first is None:
        return []
    code = next((index for index in range(first, max(-1, first - 4), -1) if _PYTEST_CODE.match(lines[index])), first)
    end = first
    while end < len(lines) and (_PYTEST.match(lines[end]) or end < first):
        end += 1
    place = [line for line in lines[end : end + 3] if _PYTEST_PLACE.match(line)]
    return [*lines[code:end], *place[:1]]


def _of_node(lines: Sequence[str]) -> list[str]:
    """The innermost failing test: files and suites fail because something in them does."""
    places = [index for index, line in enumerate(lines) if _TAP.match(line)]
    first = next((index for index in places if not _TAP_PARENT.match(lines[index])), places[0] if places else None)
    if first is None:
        return []
    indent = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return [line for line in lines[first:end] if line.strip() not in {"", "---", "..."}]


def _of_traceback(lines: Sequence[str]) -> list[str]:
    first = _first(lines, lambda line: line.strip() == _TRACEBACK)
    if first is None:
        return []
    indent = len(lines[first]) - len(lines[first].lstrip())
    end = next((index for index in range(first + 1, len(lines)) if lines[index].strip() and len(lines[index]) - len(lines[index].lstrip()) <= indent), first)  # fmt: skip
    return list(lines[max(first + 1, end - 4) : end + 1])


def _of_any(lines: Sequence[str]) -> list[str]:
    first = _first(lines, _OTHER.search)
    return [] if first is None else [line for line in lines[first : first + 6] if line.strip()]


def _first(lines: Sequence[str], matches: Callable[[str], object]) -> int | None:
    return next((index for index, line in enumerate(lines) if matches(line)), None)
