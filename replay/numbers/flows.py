"""The way of the moments of a run, stage by stage: from the places where an editor could ask to what the tests said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from replay.numbers.curves import outcome
from replay.records import Record

STAGES = ("moments", "question", "answer", "ending", "tests")
"""The stages, in their order. A moment that is over in one of them has no later ones."""
_NOT_ASKED = frozenset({"gated", "debounced"})
_NOT_ANSWERED = frozenset({"failed", "superseded", "cancelled"})


@dataclass(frozen=True, slots=True)
class FlowLink:
    """How many moments go from a name of one stage (an index into `STAGES`) to a name of the next one."""

    stage: int
    source: str
    target: str
    count: int


def flow(records: Iterable[Record]) -> list[FlowLink]:
    """All links between neighbouring stages, by stage, the largest first.

    Every record counts once in each stage that it reaches, so that what comes into a name is what goes on from it and what ends there.
    Example: one accepted suggestion that passes is moments → asked → answered → accepted → passed.
    """
    counts = Counter((stage, *link) for record in records for stage, link in enumerate(pairwise(_way(record))))
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1:]))
    return [FlowLink(stage, source, target, count) for (stage, source, target), count in ordered]


def _way(record: Record) -> Sequence[str]:
    name = record.ending.name
    if name in _NOT_ASKED:
        return ("moments", name)
    if name in _NOT_ANSWERED:
        return ("moments", "asked", name)
    return ("moments", "asked", "answered", name, outcome(record))
