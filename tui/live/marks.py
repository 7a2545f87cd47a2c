"""How endings and verdicts are marked where there is room for one letter: colour is never the only sign."""

from __future__ import annotations

from dataclasses import dataclass

from replay.records import Record

PASSED, FAILED, UNSURE, FAINT = "$text-success", "$text-error", "$text-warning", "$faint"


@dataclass(frozen=True, slots=True)
class Mark:
    """A letter with the style of its text; of several marks in one place, that of the highest `rank` is shown."""

    letter: str
    style: str
    rank: int


ENDING_MARKS: dict[str, Mark] = {
    "gated": Mark("g", FAINT, 0),
    "debounced": Mark("d", FAINT, 0),
    "superseded": Mark("u", FAINT, 1),
    "cancelled": Mark("c", FAINT, 1),
    "empty": Mark("e", UNSURE, 2),
    "filtered": Mark("f", UNSURE, 2),
    "late": Mark("l", UNSURE, 2),
    "shown": Mark("S", "$text-primary", 3),
    "typed-through": Mark("T", PASSED, 4),
    "part": Mark("P", PASSED, 4),
    "accepted": Mark("A", PASSED, 4),
    "rejected": Mark("R", "$text-primary", 3),
    "failed": Mark("!", FAILED, 5),
}
VERDICT_MARKS: dict[str, Mark] = {
    "untestable": Mark("-", FAINT, 1),
    "passed": Mark("P", PASSED, 3),
    "failed": Mark("F", FAILED, 4),
    "assertion": Mark("A", FAILED, 4),
    "exception": Mark("X", FAILED, 4),
    "syntax": Mark("S", FAILED, 4),
    "indentation": Mark("I", FAILED, 4),
    "compile": Mark("C", FAILED, 4),
    "undefined-name": Mark("U", FAILED, 4),
    "timeout": Mark("T", FAILED, 4),
    "memory": Mark("M", FAILED, 4),
    "output": Mark("O", FAILED, 4),
    "crashed": Mark("K", FAILED, 4),
    "flaky": Mark("Y", UNSURE, 4),
    "repeated": Mark("R", FAILED, 4),
    "infrastructure": Mark("!", UNSURE, 5),
}
AWAITED = Mark("?", "$heading", 2)
"""A moment that waits for its verdict."""
NOTHING = Mark(" ", "", -1)


def ending_mark(record: Record) -> Mark:
    """The mark of a moment's ending."""
    return ENDING_MARKS[record.ending.name]


def verdict_mark(record: Record, *, awaited: bool) -> Mark:
    """The mark of a moment's verdict, or that it waits for one; nothing where there is none to wait for."""
    if record.verdict is not None:
        return VERDICT_MARKS.get(record.verdict.name, VERDICT_MARKS["failed"])
    return AWAITED if awaited else NOTHING
