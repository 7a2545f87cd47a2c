"""Take out code that is said again: what stands above the cursor, what stands below it, and loops.

Code repeats itself for good reasons too, so each rule asks for evidence: several lines, lines of some length, or a
declaration that would stand there twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import Levenshtein

from server.repair.draft import Draft, indent_of, width

_NEAR = 0.9
_NEAR_LENGTH = 16
_LONG = 12
_LOOPED_LINES = 5
_UNROLLED_LINES = 4
_MAX_BLOCK = 8
_WORD = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"\w+")
_DECLARES = re.compile(
    r"(?:async\s+)?(?:def|class|function|import|from|return|raise|throw|break|continue|const|let|var|public|private|protected|"
    r"export|interface|enum|struct|#include|using|package|@\w+)\b.*|[}\]) ]*(?:else|elif|except|finally|catch)\b.*"
)
_ASSIGNS = re.compile(r"[\w\])] *=(?![=>])")
_HEADER = re.compile(r".*[:{]\s*$")
_LOOP = re.compile(r"[ \t]*(?:\w+:[ \t]*)?(?:(?:async[ \t]+)?for|foreach|while|do|loop)(?=[\s({]|$)")
_FUNCTION = re.compile(r".*(?:=>|\b(?:def|function|func|fn|class)\b)")
_STATEMENT = re.compile(r"[ \t]*[\w(+*&$@-].*[\w)\]};'\"+-]\s*$")


def repair(draft: Draft) -> str:
    """The suggestion without what was said before."""
    text = _without_restart(draft, draft.text)
    text = _without_echo(draft, text)
    text = _without_what_follows(draft, text)
    text = _without_unrolled(draft, text)
    return _without_loop(draft, text)


# Above the cursor.


def _without_restart(draft: Draft, text: str) -> str:
    """Without the line of the cursor, and the lines above it, where the suggestion begins by saying them again."""
    above, told = draft.before.split("\n"), text.split()
    for size in range(min(len(above), 40), 0, -1):
        said = "\n".join(above[-size:])
        rest = _after(text, told, said.split())
        rest = None if rest is None else _joined(draft, rest)
        if rest is not None and _is_restart(draft, said, size, text, rest):
            return rest
    return text


def _after(text: str, told: Sequence[str], said: Sequence[str]) -> str | None:
    """What follows in `text`, whose words are `told`, behind the words `said`; None when it does not begin with them."""
    size = len(said)
    if not said or told[: size - 1] != said[:-1] or len(told) < size or not told[size - 1].startswith(said[-1]):
        return None
    match = re.match(r"\s*" + r"\s+".join(re.escape(word) for word in said), text)
    return None if match is None else text[match.end() :]


def _joined(draft: Draft, rest: str) -> str:
    """What follows a repetition, so that it fits on to the cursor's line."""
    if not draft.line_before.strip():
        return rest.removeprefix("\n").removeprefix(draft.line_before)
    return rest.lstrip(" ") if draft.line_before.endswith(" ") else rest


def _is_restart(draft: Draft, said: str, size: int, text: str, rest: str) -> bool:
    bare = said.strip()
    if size > 1 and said.split("\n", maxsplit=1)[0].strip():
        first = said.split("\n", maxsplit=1)[0]
        return len(bare) >= _LONG and (_HEADER.match(first) is not None or size > 4 or len(bare) > 80)
    return size == 1 and bool(rest.strip()) and draft.errors(rest) < draft.errors(text)


def _without_echo(draft: Draft, text: str) -> str:
    """Without a first line that declares again what the line above the cursor declared."""
    lines = text.split("\n")
    above = [line for line in draft.before.split("\n")[:-1] if line.strip()]
    if draft.line_before.strip() or not above:
        return text
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None or lines[first].strip() != above[-1].strip() or not _DECLARES.fullmatch(lines[first].strip()):
        return text
    rest = "\n".join(lines[first + 1 :])
    return rest if not rest.strip() else rest.removeprefix(draft.line_before)


# Below the cursor.


def _without_what_follows(draft: Draft, text: str) -> str:
    """Up to where the suggestion begins to say the code below: exact from one long line on, near from two."""
    below = _below(draft)
    lines = _placed(draft, text)
    if not below:
        return text
    for at in range(0 if text.split("\n", 1)[0].strip() else 1, len(lines)):
        said = _said(lines[at:], below)
        if said and _is_evident(draft, lines, at, said):
            return _up_to_line(text, at)
    return text


def _below(draft: Draft) -> list[str]:
    rest = draft.after.split("\n")[1:] if not draft.line_after.strip() else []
    return [line.rstrip() for line in rest if line.strip()][: _MAX_BLOCK * 2]


def _placed(draft: Draft, text: str) -> list[str]:
    """The suggestion's lines as they would stand in the document."""
    first, *rest = text.split("\n")
    return [draft.line_before + first, *rest]


def _said(lines: Sequence[str], below: Sequence[str]) -> int:
    """How many of the lines, blank ones left out, say the lines below from their first one on; 0 if they go another way."""
    told = [line.rstrip() for line in lines if line.strip()]
    if not lines or not lines[0].strip():
        return 0
    count = 0
    for mine, theirs in zip(told, below, strict=False):
        last = count == len(told) - 1
        if not (_is_near(mine, theirs) or (last and count and theirs.startswith(mine))):
            break
        count += 1
    return count


def _is_near(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if min(len(mine.strip()), len(theirs.strip())) < _NEAR_LENGTH:
        return False
    same_place = len(mine) - len(mine.lstrip()) == len(theirs) - len(theirs.lstrip())
    return same_place and _NAME.findall(mine) == _NAME.findall(theirs) and Levenshtein.ratio(mine, theirs) >= _NEAR


def _is_evident(draft: Draft, lines: Sequence[str], at: int, said: int) -> bool:
    """Whether so many lines said again are no chance: two of which one is the very same, or one long one at the end."""
    below = _below(draft)
    told = [line.rstrip() for line in lines[at:] if line.strip()]
    exact = [mine for mine, theirs in zip(told[:said], below, strict=False) if mine == theirs]
    if not any(len(line.strip()) >= _LONG for line in exact):
        return False
    ends = said == len(told) or said == len(below)
    if said >= 2:
        return ends or said >= 3
    if not at and not (_DECLARES.fullmatch(told[0].strip()) or _ASSIGNS.search(told[0])):
        return False  # a call may well be made twice
    repeats_above = bool(lines[:at]) and told[0] == next(
        (line.rstrip() for line in reversed(lines[:at]) if line.strip()), ""
    )
    return ends and not repeats_above and not _stands_twice(draft, below[0])


def _stands_twice(draft: Draft, line: str) -> bool:
    """Whether the document says the line several times over, or says any long line twice in a row: then it may again."""
    return (draft.before + draft.after).count(line.strip()) > 1 or _says_twice_in_a_row(draft)


def _says_twice_in_a_row(draft: Draft) -> bool:
    lines = [bare for row in (draft.before + draft.after).split("\n") if (bare := row.strip())]
    return any(len(one) >= _LONG and one == other for one, other in pairwise(lines))


def _up_to_line(text: str, at: int) -> str:
    return "\n".join(text.split("\n")[:at]).rstrip() if at else ""


# Loops.


def _without_unrolled(draft: Draft, text: str) -> str:
    """One copy of a statement that the body of a loop says four times in a row; the loop is there to say it again."""
    lines = (draft.before + text).split("\n")
    at = draft.before.count("\n")
    if draft.is_in_open_text or _says_twice_in_a_row(draft):
        return text
    while at < len(lines):
        end = _run_end(lines, at)
        if end - at >= _UNROLLED_LINES and _STATEMENT.match(lines[at]) and _is_in_loop(lines[: at + 1]):
            del lines[at + 1 : end + _is_broken_off(lines, end)]
            end = at + 1
        at = end
    return "\n".join(lines)[len(draft.before) :]


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
    for size in range(1, _MAX_BLOCK + 1):
        copies = _copies(lines, size)
        if copies >= _LOOPED_LINES or (copies >= 3 and size > 1 and sum(map(len, lines[-size:])) > 60):
            return "\n".join(lines[: len(lines) - size * (copies - 1)]).removeprefix(lead)
    return _without_stutter(draft, text)


def _copies(lines: Sequence[str], size: int) -> int:
    block = lines[len(lines) - size :]
    if not any(line.strip() for line in block):
        return 0
    copies = 1
    while lines[max(0, len(lines) - size * (copies + 1)) : len(lines) - size * copies] == block:
        copies += 1
    return copies


def _without_stutter(draft: Draft, text: str) -> str:
    """Up to the first copy of words that the last line ends with again and again; the line is cut off there anyway."""
    found = list(_WORD.finditer(text[text.rfind("\n") + 1 :]))
    words = [match[0] for match in found]
    for size in range(1, 11):
        copies = _copies(words, size)
        if copies * size >= (10 if size == 1 else 30) and copies >= 4 and draft.errors():
            kept = found[len(found) - size * (copies - 1) - 1]
            return text[: text.rfind("\n") + 1 + kept.end()]
    return text
