"""What stands right of the cursor on its line, and is said again.

At the end of an answer it is taken away. Where the answer goes on behind it with further lines, these belong behind it too: then
the answer takes the place of the rest of the line. Closers alone are the business of `brackets` and of `chain.covered`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from server.repair.draft import Draft
from syntax.wanted import is_only_closers

_WORD = re.compile(r"\w+")
_WITHIN_WORD = re.compile(r"\w\w")
_TRIED = 3


def without_rest(draft: Draft, text: str) -> str:
    """The text up to where it ends by saying the rest of the cursor's line; of a single line that is wanted, its first line.

    What is left has to parse better. No worse is enough where all of the rest is said and has two words or more, not numbers alone, and nothing is
    broken: `a, b` before `, b`, and rows of a table, may well be meant. What stands on a line of its own goes only if the answer did not parse: lines may well be alike.
    """
    rest = _rest(draft)
    for head in _heads(draft, text) if rest else ():
        for size in _overlaps(head, rest):
            kept = head[:-size]
            whole = size == len(rest) and _says_much(rest) and _ends_with(draft.before[-1:] + head, rest)
            if _is_said_again(draft, text, head, kept, surely=whole):
                return kept
    return text


def taken(draft: Draft) -> int:
    """How many characters right of the cursor the answer takes the place of: the rest of its line, or nothing.

    The rest is taken where the answer's first line ends with it, more lines follow, and the splice has fewer errors so; and no more
    than with the beginning of that line alone.
    """
    first, _, more = draft.text.lstrip("\n").partition("\n")
    rest = "" if draft.language is None or not more.strip() or _wants_line(draft) else _rest(draft)
    if not rest or not _ends_with(first.rstrip(), rest):
        return 0
    errors = replace(draft, after=draft.after[len(rest) :]).errors()
    alone = first.rstrip()[: -len(rest)]
    return len(rest) if errors < draft.errors() and (not errors or errors <= draft.errors(alone)) else 0


def _rest(draft: Draft) -> str:
    """What stands right of the cursor on its line; nothing where that is closers only."""
    rest = draft.line_after.rstrip()
    return "" if is_only_closers(rest) else rest


def _wants_line(draft: Draft) -> bool:
    return draft.stop != "any" and draft.wanted == "line"


def _heads(draft: Draft, text: str) -> Iterator[str]:
    """The beginnings of a text that may end with the rest of the line: its first line where no more is wanted, and all of it."""
    start = len(text) - len(text.lstrip("\n"))
    end = text.find("\n", start)
    if end > 0 and _wants_line(draft):
        yield text[:end].rstrip()
    yield text.rstrip()


def _overlaps(head: str, rest: str) -> Iterator[int]:
    """How many characters at the end of a text begin the rest of the line and hold more than closers; the most first."""
    found = (size for size in range(min(len(head), len(rest)), 0, -1) if _ends_with(head, rest[:size]))
    for _, size in zip(range(_TRIED), found, strict=False):
        if not is_only_closers(rest[:size]):
            yield size


def _ends_with(head: str, said: str) -> bool:
    """Whether a text ends with another one that does not begin within a word of it."""
    at = len(head) - len(said)
    return head.endswith(said) and not (at and _WITHIN_WORD.match(head, at - 1))


def _says_much(rest: str) -> bool:
    words = _WORD.findall(rest)
    return len(words) > 1 and not all(word[0].isdigit() for word in words)


def _begins_line(draft: Draft, kept: str) -> bool:
    """Whether what comes behind a beginning of the suggestion stands on a line of its own."""
    return not (draft.line_before + kept).rpartition("\n")[2].strip()


def _is_said_again(draft: Draft, text: str, head: str, kept: str, *, surely: bool) -> bool:
    errors, raw = draft.errors(kept), draft.errors(text)
    if errors >= raw and (errors > raw or _begins_line(draft, kept)):
        return False
    said = draft.errors(head)
    return errors < said or (surely and not said)
