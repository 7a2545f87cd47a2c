"""Changes in an editor follow each other; the changes of one tape event are all against the text before the event."""

from __future__ import annotations

from collections.abc import Sequence

from replay.tapes.tape import Reason
from replay.tapes.typing_along import PAIRS
from syntax.text import Change, cut, length, minimal, splice


def changes_of_event(before: str, after: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The smallest changes, all against `before`, that have the same result as changes made one after the other.

    They leave out text that the editor replaced by the same text; if nothing changed there are none.
    """
    least = tuple(minimal(before, change) for change in merged_changes(changes))
    least = tuple(change for change in least if change[0] != change[1] or change[2])
    if splice(before, least) != after:  # should not happen; but a tape must never be wrong
        least = (minimal(before, (0, length(before), after)),)
    return least


def merged_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes made one after the other, as changes that are all against the text before the first.

    Changes that touch each other become one; the others stay separate, in the order of the text. For example, typing `ab` at 2
    and then replacing 4 to 6 by `c`, `(2, 2, "ab"), (4, 6, "c")`, is the one change `(2, 4, "abc")`.
    """
    pieces: list[Change] = []
    for change in changes:
        pieces = _after(pieces, change)
    return tuple(pieces)


def _after(pieces: Sequence[Change], change: Change) -> list[Change]:
    start, end, new = change
    left: list[Change] = []
    right: list[Change] = []
    shift = {"left": 0, "end": 0}  # how far earlier changes moved the text before and after the touched part
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
    """A text in which two halves of a surrogate pair that came together are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def reason_of_keys(before: str, changes: Sequence[Change]) -> Reason | None:
    """`type` or `delete` if one key can have made each of the changes, else None: LSP does not name the reason.

    A key at several cursors counts; a deleted selection, a paste and an undone word do not. This is stricter than
    `certain_reason` of the importers, whose formats record each key of a held-down key as one change.
    """
    if changes and all(start == end and is_key(text) for start, end, text in changes):
        return "type"
    if changes and all(not text and _is_one(cut(before, start, end)) for start, end, text in changes):
        return "delete"
    return None


def is_key(text: str) -> bool:
    """Whether one key can write this: a character, a pair of brackets, or a line end with indentation."""
    return _is_one(text) or text in PAIRS or (text[:1] in {"\r", "\n"} and not text.strip() and _lines(text) == 1)


def _is_one(text: str) -> bool:
    return len(text) == 1 or text == "\r\n"


def _lines(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
