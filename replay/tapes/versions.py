"""Tapes of older formats: each line goes through a chain of pure functions until it is of the format of today.

To change the format: raise `FORMAT` and `Header.tape`, and register under the old number the function that makes a line of
the old format one of the next. docs/tapes.md says more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from replay.errors import TapeError

FORMAT = 1
"""The number that a header of today bears as `tape`."""
Line: TypeAlias = dict[str, Any]
"""A decoded line: the header (which has no `event`) or an event."""
Upgrade: TypeAlias = Callable[[Line], Line]
"""A line of one format as a line of the next. It need not set the header's `tape`, and may change what it is given."""
UPGRADES: Mapping[int, Upgrade] = {}
"""Number of an old format → the upgrade to the one after it. There is no older format yet."""


class _Numbered(msgspec.Struct):
    tape: int


def number_of(line: bytes) -> int:
    """The format that a header says it is of, whatever else is on it.

    Raises:
        msgspec.DecodeError: the line is no JSON object with a number `tape`.

    """
    return msgspec.json.decode(line, type=_Numbered).tape


def upgrade_from(
    source: str, number: int, upgrades: Mapping[int, Upgrade] = UPGRADES, current: int = FORMAT
) -> Upgrade | None:
    """What makes a line of format `number` one of format `current`; None if it is one.

    Raises:
        TapeError: the format is newer than `current`, or too old. `source` names the file in it.

    """
    if number > current:
        raise TapeError(
            source,
            1,
            f"is a tape of format {number}, but this ghosttape reads up to {current}: install a newer ghosttape",
        )
    steps = range(number, current)
    missing = next((step for step in reversed(steps) if step not in upgrades), None)
    if missing is not None:
        oldest = missing + 1
        raise TapeError(
            source,
            1,
            f"is a tape of format {number}, and this ghosttape reads none before {oldest}: use an older ghosttape",
        )
    return _chain([upgrades[step] for step in steps], current) if steps else None


def _chain(upgrades: list[Upgrade], current: int) -> Upgrade:
    def upgraded(line: Line) -> Line:
        is_header = "event" not in line
        for upgrade in upgrades:
            line = upgrade(line)
        return {**line, "tape": current} if is_header else line

    return upgraded
