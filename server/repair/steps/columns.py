"""Align a suggestion with the cursor in languages whose grammar ignores indentation.

Two faults are mended, and only where they are certain: the suggestion repeats the indentation before the cursor; or
every later line stands exactly where it would if the cursor were at the beginning of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from server.repair.draft import Draft, indent_of, step_of, width
from syntax.tokens import PAIRS, Token, tokens

_CONTINUES = ".?:&|+-*/%<=)]},"
_HEADER = re.compile(
    r"\s*(?:[}]\s*)?(?:if|else|for|foreach|while|do|switch|case|default|def|elsif|unless|when|in|until|begin|rescue|ensure|module|class)\b"
    r"(?!.*[;}]$)|.*(?:[({\[:=,]|=>|\bdo(?:\s*\|[^|]*\|)?|\b(?:begin|if|case)(?:\s+[\w.]+)?)$"
)
"""A line behind which the next one may well be deeper."""


def lined_up(draft: Draft) -> str:
    """The suggestion without a doubled first indentation, and with its later lines under the cursor."""
    cursor = width(draft.line_before)
    if draft.line_before.strip() or not cursor or not draft.text.strip():
        return draft.text
    text = _undoubled(draft, cursor)
    if text != draft.text or (draft.language is not None and draft.language.closer):
        return text
    return _shifted(draft, text, cursor)


def _undoubled(draft: Draft, cursor: int) -> str:
    lead, bare = indent_of(draft.text), draft.text.lstrip(" \t")
    if width(lead) != cursor or bare[:1] in _CONTINUES:
        return draft.text
    return bare if cursor + width(lead) > _wanted(draft, cursor) else draft.text


def _wanted(draft: Draft, cursor: int) -> int:
    """The column at which a line goes on after the last line of code above the cursor."""
    left = draft.code_before
    line = left[left.rfind("\n") + 1 :]
    column = width(indent_of(line))
    if not _HEADER.match(line):
        return column
    others = draft.before + draft.text.partition("\n")[2] + draft.after
    return column + (step_of(others) or max(0, cursor - column))


def _shifted(draft: Draft, text: str, cursor: int) -> str:
    """With all later lines moved under the cursor, if each stands at its depth counted from the left edge."""
    first, *rest = text.split("\n")
    if indent_of(first) or not any(line.strip() for line in rest):
        return text
    depths = list(_depths(draft, rest))
    if any(depth == 0 and indent_of(line) for line, depth in depths):
        return text  # so counted from the left edge, that one does not stand at its depth
    usual = step_of(draft.before) or cursor
    unit = min((width(indent_of(line)) for line, depth in depths if depth == 1), default=usual)
    if unit != usual and all(depth for _, depth in depths):
        return text  # nothing that is closed shows the left edge: once shifted, it would look as if it could be again
    if not depths or unit > 8 or _stand(depths, cursor, usual) or not _stand(depths, 0, unit):
        return text
    return "\n".join([first, *(f"{draft.line_before}{line}" if line.strip() else line for line in rest)])


def _stand(depths: Sequence[tuple[str, int]], edge: int, unit: int) -> bool:
    """Whether each line stands at its depth, counted from a column."""
    return all(width(indent_of(line)) == edge + unit * depth for line, depth in depths)


def _depths(draft: Draft, rest: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each later line with the brackets of the suggestion that are open around it; nothing where a line is no line of code."""
    at = len(draft.before)
    found = [token for token in tokens(draft.tree(), at, draft.end) if token.start >= at]
    if any("\n" in token.text for token in found):
        return
    depths = _depths_at(found, [*_spans(draft, rest)])
    lines = [(line, depth) for line, depth in zip(rest, depths, strict=True) if line.strip()]
    if all(depth >= 0 for _, depth in lines):
        yield from lines


def _spans(draft: Draft, rest: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each later line begins and ends in the splice."""
    at = draft.end
    ends = []
    for line in reversed(rest):
        ends.append((at - len(line), at))
        at -= len(line) + 1
    yield from reversed(ends)


def _depths_at(found: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """How many brackets are open before each line, less those that it begins by closing; lines and tokens are in order."""
    depth = at = 0
    for start, end in spans:
        while at < len(found) and found[at].start < start:
            depth += _step(found[at])
            at += 1
        while at < len(found) and found[at].start < end and _step(found[at]) < 0:
            depth -= 1
            at += 1
        yield depth


def _step(token: Token) -> int:
    return 0 if token.opaque else (token.text in PAIRS) - (token.text in PAIRS.values())
