"""The failing assertion in the log of a test run, in the words of its test runner."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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
