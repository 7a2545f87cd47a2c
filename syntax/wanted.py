"""What is wanted at a cursor: a line, a statement or a block, told from the text alone.

The server ends suggestions by it, and the judge takes the same part out of the finished project.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from syntax.languages import Language

Extent: TypeAlias = Literal["line", "statement", "block"]
"""The rest of the line, the innermost statement, or the innermost block."""
Stop: TypeAlias = Literal["auto", "line", "statement", "block", "any"]
"""Where a suggestion is to end. `auto`: the extent follows from the text around the cursor. `any`: nowhere, as in a benchmark's task
whose end no syntax gives."""

# The functions with a cache are called many times with the same text by the repairs of one answer.
_HEADER = re.compile(
    r"\s*(?:(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b|[)\]}])"
)
_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_ONLY_CLOSERS = re.compile(r"[)\]}>\"'`;:,\s]*$")


def wanted(language: Language | None, before: str, after: str, stop: Stop) -> Extent:
    """The extent that a hint asks for at a cursor between two texts; their lines end with line feeds.

    With "auto", and with "any", it is the *block* after a header, the *line* where more than closers stands right of the cursor,
    and else the *statement*.
    """
    if stop not in {"auto", "any"}:
        return cast("Extent", stop)
    if is_after_header(language, before):
        return "block"
    return "statement" if is_only_closers(after.partition("\n")[0]) else "line"


def is_only_closers(rest: str) -> bool:
    """Whether nothing but closers and white space stands on the rest of a line."""
    return _ONLY_CLOSERS.match(rest) is not None


@lru_cache(maxsize=8)
def is_after_header(language: Language | None, before: str) -> bool:
    """Whether the last code before the cursor opens a block: a `{`, or in a layout language a line that ends with its `:`."""
    left = code_before(before, language.line_comment if language else "")
    if language is None or not language.layout:
        return left.endswith("{")
    line = _STRING.sub("", left[logical_start(left) :])
    opened = sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
    return line.endswith(":") and (opened < 0 or (opened == 0 and _HEADER.match(line) is not None))


@lru_cache(maxsize=8)
def code_before(before: str, mark: str) -> str:
    """A text without the white space and the line comments at its end; `mark` begins a comment."""
    left = before.rstrip()
    while mark and left:
        line = left[left.rfind("\n") + 1 :]
        trailing = re.search(rf"(?:^\s*|(?<=[:{{(\[,;])\s*){re.escape(mark)}[^\"'`]*$", line)
        if trailing is None and not line.lstrip().startswith(mark):
            return left
        left = left[: len(left) - len(line) + (trailing.start() if trailing else 0)].rstrip()
    return left


def logical_start(text: str, end: int | None = None) -> int:
    """The index at which the last line of a text, or of its part before `end`, begins; lines joined by a backslash are one."""
    start = text.rfind("\n", 0, end) + 1
    while text.endswith("\\\n", 0, start):
        start = text.rfind("\n", 0, start - 1) + 1
    return start
