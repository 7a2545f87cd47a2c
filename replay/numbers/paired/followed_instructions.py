"""What two runs are compared by where suggestions were checked against instructions of developers (`replay.numbers.adherence`).

An answer has a number only where an instruction concerns it. So moments are compared at which the suggestions of both runs are concerned: a run that avoids the
places where instructions apply is not the better one for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from replay.numbers.adherence import said_together
from replay.numbers.paired.measures import Measure
from replay.numbers.paired.paired_moments import could_be_tested, passes
from replay.records import Record

_CONCERNED = frozenset({"followed", "broken"})


def shared_instructions(first: Mapping[str, Any], second: Mapping[str, Any]) -> Sequence[str]:
    """The ids of the instructions that both runs, by their options, were checked against; in the order of the first."""
    theirs = set(second.get("instructions") or ())
    return [id_ for id_ in first.get("instructions") or () if id_ in theirs]


def adherence_measures(ids: Sequence[str]) -> Sequence[Measure]:
    """Adherence to all of some instructions together, and the share that follows and passes; none without instructions."""
    if not ids:
        return ()
    chosen = frozenset(ids)
    return (
        _measure("adherence", partial(_follows, chosen)),
        _measure("follows_and_passes", partial(_follows_and_passes, chosen)),
    )


def instruction_measures(ids: Sequence[str]) -> Sequence[Measure]:
    """Adherence to each instruction, under its id."""
    return [_measure(id_, partial(_follows, frozenset({id_}))) for id_ in ids]


def _measure(name: str, value: Callable[[Record], float | None]) -> Measure:
    return Measure(name, "share", True, lambda records: [value(record) for record in records], is_yes_or_no=True)


def _follows(ids: frozenset[str], record: Record) -> float | None:
    said = said_together(record, ids)
    return float(said == "followed") if said in _CONCERNED else None


def _follows_and_passes(ids: frozenset[str], record: Record) -> float | None:
    """By the verdict by which runs are compared; None where no test says anything."""
    follows = _follows(ids, record)
    return None if follows is None or not could_be_tested(record) else float(bool(follows) and passes(record))
