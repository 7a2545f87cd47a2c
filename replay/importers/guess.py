"""What made a change that comes without a reason, where its form leaves no other choice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replay.tape import Reason
from syntax.text import Change

_KEY = re.compile(r"(.)\1*\Z|\r?\n[ \t]*\Z|\(\)|\[\]|\{\}|\"\"|''|``", re.DOTALL)


def guess(changes: Sequence[Change]) -> Reason | None:
    """`type` and `delete` where nothing else can have made the change; None where something else may have."""
    if changes and all(end > start and not new for start, end, new in changes):
        return "delete"
    return "type" if changes and all(_is_key(*change) for change in changes) else None


def _is_key(start: int, end: int, new: str) -> bool:
    """One key: a character, Enter with its indentation, a bracket with its closer, or a closer written over itself."""
    if end - start == 1:
        return new in set(")]}\"'`")
    return start == end and 0 < len(new) < 40 and bool(_KEY.fullmatch(new))
