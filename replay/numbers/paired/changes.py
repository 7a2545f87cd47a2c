"""The moments at which two runs differ, with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.numbers.paired.paired_moments import SharedMoment, fixed_verdict, passed_share, passes
from replay.records import Record


def changed_moments(pairs: Sequence[SharedMoment]) -> list[dict[str, Any]]:
    """Return the moments at which one run passes and the other does not, in the order of the first run; those that only the first passes come first.

    With several samples: at which more answers of one run pass than of the other, as a share.
    Each has `change` (`lost`: the first run passes, `gained`), `moment` (its id), `tape`, `policy` and `repairs` (of the first run), `place` (`path:line:column` from 1), `language`, `kind`, `before` (the line up to the cursor),
    `truth`, and `answers`: of each run how many of its answers pass (`passed` of `of`), and of the first answer that shows the change its `text`, `verdict`, `ending`, `latency` in ms
    (None: there is no answer) and the `message` of its tests.
    """
    shares = [(pair, passed_share(pair.first), passed_share(pair.second)) for pair in pairs]
    found = [_changed(pair, is_lost=first > second) for pair, first, second in shares if first != second]
    return sorted(found, key=lambda one: str(one["change"]), reverse=True)


def _changed(pair: SharedMoment, *, is_lost: bool) -> dict[str, Any]:
    moment = pair.moment
    return {
        "change": "lost" if is_lost else "gained",
        "moment": moment.id,
        "tape": moment.tape,
        "policy": pair.policy,
        "repairs": pair.repairs,
        "place": f"{moment.path}:{moment.line + 1}:{moment.character + 1}",
        "language": moment.language,
        "kind": moment.kind,
        "before": moment.before.rpartition("\n")[2],
        "truth": moment.truth,
        "answers": [_answer(pair.first, wanted=is_lost), _answer(pair.second, wanted=not is_lost)],
    }


def _answer(records: Sequence[Record], *, wanted: bool) -> dict[str, Any]:
    """What is said of a run's answers at a moment: the first one that passes (`wanted`), or the first one that does not."""
    record = next(one for one in records if passes(one) == wanted)
    offered, verdict = record.suggestion, record.verdict
    return {
        "passed": sum(map(passes, records)),
        "of": len(records),
        "text": offered.text if offered else "",
        "verdict": fixed_verdict(record),
        "ending": str(record.ending),
        "latency": offered.latency if offered else None,
        "message": verdict.message if verdict else "",
    }
