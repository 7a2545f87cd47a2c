"""How far suggestions follow instructions of developers, beside whether they pass.

A suggestion is *concerned* by an instruction if it follows or breaks it (`Verdict.instructions`). Adherence is the mean over moments of
the share of concerned answers that follow, with its interval by clusters (`replay.numbers.metrics.clustered`). CodeAlignBench (section 3.2)
reports the share that follows, and runs no tests of what was changed; here what follows and fails the tests is counted apart. Answers of which
the tests say nothing (untestable, infrastructure) have a part in adherence, and none in the figures of both.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from replay.numbers.metrics import UNJUDGED, clustered, counted
from replay.options import ClusterBy
from replay.records import Record


def adherence_summary(records: Sequence[Record], ids: Iterable[str], by: ClusterBy) -> dict[str, Any]:
    """All figures of adherence: of each instruction, and of all of them together.

    Together a suggestion follows if it breaks none of the instructions, and follows one. Example: of two answers that are concerned, both
    follow, and one of them fails its tests: adherence 1, `follows_and_passes` 0.5, `follows_and_fails` 1.
    """
    checked = [record for record in records if record.verdict and record.verdict.instructions is not None]
    return {
        "suggestions": len(checked),
        "all": _figures(checked, [(record, said_together(record)) for record in checked], by),
        "by_id": {id_: _figures(checked, [(record, _said(record, id_)) for record in checked], by) for id_ in ids},
    }


def _said(record: Record, id_: str) -> str:
    """What a suggestion does to one instruction; "" where it is none of its language."""
    return (record.verdict.instructions or {}).get(id_, "") if record.verdict else ""


def said_together(record: Record, ids: Container[str] | None = None) -> str:
    """What a suggestion does to some instructions (None: all of the run) together; "" where it was checked against none of them.

    It breaks them if it breaks one, and follows if it follows one and breaks none.
    """
    found = (record.verdict.instructions or {}) if record.verdict else {}
    said = {name for id_, name in found.items() if ids is None or id_ in ids}
    return next((name for name in ("unparsable", "broken", "followed", "not concerned") if name in said), "")


def _figures(checked: Sequence[Record], results: Sequence[tuple[Record, str]], by: ClusterBy) -> dict[str, Any]:
    said = {id(record): name for record, name in results}
    concerned = [record for record in checked if said[id(record)] in {"followed", "broken"}]
    judged = [record for record in concerned if record.verdict and record.verdict.name not in UNJUDGED]

    def follows(record: Record) -> bool:
        return said[id(record)] == "followed"

    return {
        "results": counted(name for _, name in results if name),
        "adherence": clustered(concerned, by, follows),
        "follows_and_passes": clustered(judged, by, lambda record: follows(record) and _passes(record)),
        "follows_and_fails": sum(follows(record) and not _passes(record) for record in judged),
        "breaks_and_passes": sum(not follows(record) and _passes(record) for record in judged),
    }


def _passes(record: Record) -> bool:
    return record.verdict is not None and record.verdict.name == "passed"
