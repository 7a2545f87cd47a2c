"""The reason of a change that was recorded without one, where only one reason is possible."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replay.tapes.tape import Reason
from syntax.text import Change

_KEY = re.compile(r"(.)\1*\Z|\r?\n[ \t]*\Z|\(\)|\[\]|\{\}|\"\"|''|``", re.DOTALL)


def certain_reason(changes: Sequence[Change]) -> Reason | None:
    """`type` or `delete` if nothing else can have made the changes; None otherwise.

    A run of one character counts as typed (a held-down key), and every change that only removes counts as a deletion. The
    recorder, which sees single keys, has a stricter rule: `reason_of_keys` in `replay/recording/recorder.py`.
    """
    if changes and all(end > start and not new for start, end, new in changes):
        return "delete"
    return "type" if changes and all(_is_key(*change) for change in changes) else None


def _is_key(start: int, end: int, new: str) -> bool:
    """Whether one key wrote this: a character, Enter with indentation, a bracket with its closer, or a closer typed over."""
    if end - start == 1:
        return new in set(")]}\"'`")
    return start == end and 0 < len(new) < 40 and bool(_KEY.fullmatch(new))
