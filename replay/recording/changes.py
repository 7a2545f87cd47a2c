"""Changes as an editor makes them, one after the other, turned into those of a tape: all against the text before the event."""

from __future__ import annotations

from collections.abc import Sequence

from replay.tape import Reason
from syntax.text import Change, cut, length, minimal, splice

PAIRS = frozenset({"()", "[]", "{}", "<>", '""', "''", "``"})
"""What one key writes where the editor closes brackets and quotes by itself."""


def of_event(before: str, after: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The least changes, all against `before`, that come to the same as changes made one after the other.

    Nothing of the text that the editor put back as it was is in them; where nothing changed there are none.
    """
    told = tuple(minimal(before, change) for change in together(changes))
    told = tuple(change for change in told if change[0] != change[1] or change[2])
    if splice(before, told) != after:  # cannot be, and a tape must never be wrong
        told = (minimal(before, (0, length(before), after)),)
    return told


def together(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes made one after the other, as changes that are all against the text before the first.

    Those that touch each other become one; the rest stays apart, in the order of the text.
    """
    pieces: list[Change] = []
    for change in changes:
        pieces = _after(pieces, change)
    return tuple(pieces)


def _after(pieces: Sequence[Change], change: Change) -> list[Change]:
    start, end, new = change
    left: list[Change] = []
    right: list[Change] = []
    shift = {"left": 0, "end": 0}  # how much further a place is now than it was, before and behind what is touched
    merged_start: int | None = None
    head, tail, merged_end, now = "", "", -1, 0
    for piece in pieces:
        here, size = piece[0] + now, length(piece[2])
        now += size - (piece[1] - piece[0])
        if here + size < start:
            left.append(piece)
            shift = {"left": now, "end": now}
        elif here > end:
            right.append(piece)
        else:
            if merged_start is None:
                merged_start = piece[0] if here <= start else start - shift["left"]
                head = cut(piece[2], 0, start - here) if here < start else ""
            shift["end"] = now
            covers = here + size >= end
            merged_end = piece[1] if covers else -1
            tail = cut(piece[2], end - here, size) if covers else ""
    begin = start - shift["left"] if merged_start is None else merged_start
    finish = end - shift["end"] if merged_end < 0 else merged_end
    return [*left, (begin, finish, _joined(head + new + tail)), *right]


def _joined(text: str) -> str:
    """A text in which halves of a pair that met are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def guess(before: str, changes: Sequence[Change]) -> Reason | None:
    """What made the changes, if each of them is what one key does: `type`, `delete`, else nothing.

    LSP does not say. A key at several cursors counts; a deleted selection, a paste, an undone word do not.
    """
    if changes and all(start == end and is_key(text) for start, end, text in changes):
        return "type"
    if changes and all(not text and _is_one(cut(before, start, end)) for start, end, text in changes):
        return "delete"
    return None


def is_key(text: str) -> bool:
    """Whether one key can have written this: a character, a pair of brackets, a line end with the indentation after it."""
    return _is_one(text) or text in PAIRS or (text[:1] in {"\r", "\n"} and not text.strip() and _lines(text) == 1)


def _is_one(text: str) -> bool:
    return len(text) == 1 or text == "\r\n"


def _lines(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
