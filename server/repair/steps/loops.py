"""Take out loops of repetition: lines, blocks and words that a suggestion says over and over until it is cut off.

A body of a loop that says the same statement again and again, lines that end the suggestion (five times the same, or eight
times the same but for their numbers in a text that was cut off), and tokens by Copilot's numbers: 10 times one, or 30 tokens that
repeat up to 10, 45 that repeat up to 20, 60 that repeat up to 30.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from server.repair.draft import Draft, indent_of, width

_LONG = 12
_FEWEST = 3
_LOOPED_LINES = 5
_NUMBERED_LINES = 8
_UNROLLED_LINES = 4
_MAX_BLOCK = 8
_WORD = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+")
_HEADER = re.compile(r".*[:{]\s*$")
_LOOP = re.compile(r"[ \t]*(?:\w+:[ \t]*)?(?:(?:async[ \t]+)?for|foreach|while|do|loop)(?=[\s({]|$)")
_FUNCTION = re.compile(r".*(?:=>|\b(?:def|function|func|fn|class)\b)")
_STATEMENT = re.compile(r"[ \t]*[\w(+*&$@-].*[\w)\]};'\"+-]\s*$")
_TOKENS = {
    1: 10,
    **dict.fromkeys(range(2, 11), 30),
    **dict.fromkeys(range(11, 21), 45),
    **dict.fromkeys(range(21, 31), 60),
}
"""How many tokens at the end must repeat, by how many are repeated."""


def without_loops(draft: Draft, text: str) -> str:
    """One copy of what is said over and over."""
    return _without_loop(draft, _without_unrolled(draft, text))


def says_twice_in_a_row(draft: Draft) -> bool:
    """Whether the document itself says a long line twice in a row."""
    lines = [bare for row in (draft.before + draft.after).split("\n") if (bare := row.strip())]
    return any(len(one) >= _LONG and one == other for one, other in pairwise(lines))


def _without_unrolled(draft: Draft, text: str) -> str:
    """One copy of a statement that the body of a loop says four times in a row; the loop is there to say it again."""
    if not _has_run(draft.line_before + text) or draft.is_in_open_text or says_twice_in_a_row(draft):
        return text
    lines, at = (draft.before + text).split("\n"), draft.before.count("\n")
    while at < len(lines):
        end = _run_end(lines, at)
        if end - at >= _UNROLLED_LINES and _STATEMENT.match(lines[at]) and _is_in_loop(lines[: at + 1]):
            del lines[at + 1 : end + _is_broken_off(lines, end)]
            end = at + 1
        at = end
    return "\n".join(lines)[len(draft.before) :]


def _has_run(text: str) -> bool:
    """Whether a text says a line so often in a row that it may be too often."""
    return any(len(list(run)) >= _UNROLLED_LINES for line, run in groupby(text.split("\n"), str.rstrip) if line)


def _run_end(lines: Sequence[str], at: int) -> int:
    others = (number for number in range(at, len(lines)) if lines[number].rstrip() != lines[at].rstrip())
    return next(others, len(lines))


def _is_broken_off(lines: Sequence[str], end: int) -> bool:
    """Whether the last line is the beginning of one more copy of the line above it."""
    return end == len(lines) - 1 and bool(lines[end].strip()) and lines[end - 1].startswith(lines[end])


def _is_in_loop(lines: Sequence[str]) -> bool:
    """Whether the last line stands in the body of a loop of its own function; by indentation, as trees of what is unfinished do not tell."""
    above = [line for line in lines[:-1] if line.strip() and line.strip() != "{"]
    if above and _LOOP.match(above[-1]) and _HEADER.match(above[-1]):
        return True
    column = width(indent_of(lines[-1]))
    for line in reversed(above):
        if width(indent_of(line)) >= column:
            continue
        if _LOOP.match(line):
            return True
        if not _HEADER.match(line) or _FUNCTION.match(line):
            return False
        column = width(indent_of(line))
    return False


def _without_loop(draft: Draft, text: str) -> str:
    """One copy of the lines, or of the words, that the suggestion ends by saying over and over."""
    lead = "" if draft.line_before.strip() else draft.line_before
    lines = (lead + text).split("\n")
    for size in range(1, min(_MAX_BLOCK, len(lines) // _FEWEST) + 1):
        copies = _copies(lines, size)
        if copies >= _LOOPED_LINES or (copies >= _FEWEST and size > 1 and sum(map(len, lines[-size:])) > 60):
            return "\n".join(lines[: len(lines) - size * (copies - 1)]).removeprefix(lead)
    counted = _without_numbered(draft, lines)
    return _without_stutter(draft, text) if counted is None else counted.removeprefix(lead)


def _without_numbered(draft: Draft, lines: Sequence[str]) -> str | None:
    """One copy of lines that differ in their numbers only, in a text that was cut off; None where there are none."""
    if len(lines) <= _NUMBERED_LINES or not draft.errors():
        return None
    masked = [_NUMBER.sub("0", line) for line in lines]
    if _is_broken_off(masked, len(masked) - 1):
        lines, masked = lines[:-1], masked[:-1]
    copies = _copies(masked, 1)
    long = len(lines[-1].strip()) >= _LONG and "0" in masked[-1]
    return "\n".join(lines[: len(lines) - copies + 1]) if copies >= _NUMBERED_LINES and long else None


def _copies(lines: Sequence[str], size: int) -> int:
    block = lines[len(lines) - size :]
    if not any(line.strip() for line in block):
        return 0
    copies = 1
    while lines[max(0, len(lines) - size * (copies + 1)) : len(lines) - size * copies] == block:
        copies += 1
    return copies


def _without_stutter(draft: Draft, text: str) -> str:
    """Up to the first copy of words that the last line ends with again and again; the line is cut off there anyway.

    Code that parses may say so; prose in a comment or a string that is still open may not.
    """
    found = list(_WORD.finditer(text[text.rfind("\n") + 1 :]))
    words = [match[0] for match in found]
    for size, least in _TOKENS.items():
        if size * _FEWEST > len(words):
            break
        copies = _copies(words, size)
        if copies * size >= least and copies >= (4 if size <= 10 else _FEWEST) and _is_unfinished(draft, words):
            kept = found[len(found) - size * (copies - 1) - 1]
            return text[: text.rfind("\n") + 1 + kept.end()]
    return text


def _is_unfinished(draft: Draft, words: Sequence[str]) -> bool:
    """Whether a line of these words breaks off: in code by an error, in a comment by ending with a word."""
    if draft.errors():
        return True
    mark = draft.language.line_comment if draft.language else ""
    line = (draft.before + draft.text).rpartition("\n")[2].strip()
    return (draft.is_in_open_text or bool(mark and line.startswith(mark))) and words[-1].isalpha()
