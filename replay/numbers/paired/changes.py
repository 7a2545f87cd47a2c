"""The moments at which two runs differ, with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.numbers.paired.measures import Pair, fixed_verdict
from replay.records import Record


def changed_moments(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return the moments at which one run passes and the other does not, in the order of the first run; those that only the first passes come first.

    Each has `change` (`lost`: only the first run passes, `gained`), `moment` (its id), `tape`, `place` (`path:line:column` from 1), `language`, `kind`, `before` (the line up to the cursor),
    `truth`, and `answers`: of each run its `text`, `verdict`, `ending`, `latency` in ms (None: there is no answer) and the `message` of its tests.
    """
    found = [_changed(*pair) for pair in pairs if _passes(pair[0]) != _passes(pair[1])]
    return sorted(found, key=lambda one: str(one["change"]), reverse=True)


def _passes(record: Record) -> bool:
    return fixed_verdict(record) == "passed"


def _changed(first: Record, second: Record) -> dict[str, Any]:
    moment = first.moment
    return {
        "change": "lost" if _passes(first) else "gained",
        "moment": moment.id,
        "tape": moment.tape,
        "place": f"{moment.path}:{moment.line + 1}:{moment.character + 1}",
        "language": moment.language,
        "kind": moment.kind,
        "before": moment.before.rpartition("\n")[2],
        "truth": moment.truth,
        "answers": [_answer(first), _answer(second)],
    }


def _answer(record: Record) -> dict[str, Any]:
    offered, verdict = record.suggestion, record.verdict
    return {
        "text": offered.text if offered else "",
        "verdict": fixed_verdict(record),
        "ending": str(record.ending),
        "latency": offered.latency if offered else None,
        "message": verdict.message if verdict else "",
    }
