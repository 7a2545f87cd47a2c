"""The figures of a run: read from the summary that the run kept, or counted from its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from replay.records import Record

Summary: TypeAlias = Mapping[str, Any]
DASH = "\N{EN DASH}"


def count(records: Sequence[Record]) -> dict[str, Any]:
    """Count a run's records into a summary: moments, endings, verdicts, untestable, metrics.pass_at_1."""
    verdicts = Counter[str](record.verdict.name for record in records if record.verdict)
    reasons = Counter(r.verdict.reason for r in records if r.verdict and r.verdict.name == "untestable")
    return {
        "moments": len(records),
        "endings": dict(Counter(record.ending.name for record in records)),
        "verdicts": dict(verdicts),
        "untestable": dict(reasons),
        "metrics": {"pass_at_1": _share(verdicts)},
    }


def _share(verdicts: Mapping[str, int]) -> dict[str, float] | None:
    tested = sum(number for name, number in verdicts.items() if name not in {"untestable", "infrastructure"})
    if not tested:
        return None
    from scipy.stats import binomtest  # half a second that only an unfinished run needs

    passed = verdicts.get("passed", 0)
    low, high = binomtest(passed, tested).proportion_ci(method="wilson")
    return {"value": passed / tested, "low": float(low), "high": float(high), "n": tested}


def metric(summary: Summary, name: str) -> Mapping[str, Any]:
    """Return a metric's values, or none at all where the run has not measured it."""
    metrics = summary.get("metrics")
    found = metrics.get(name) if isinstance(metrics, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def counts(summary: Summary, name: str) -> dict[str, int]:
    """Return the counts under `name`, the most frequent first; empty where there are none."""
    found = summary.get(name)
    pairs: Iterable[tuple[str, int]] = found.items() if isinstance(found, Mapping) else ()
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def percent(share: float) -> str:
    """Return a share (0 to 1) as whole percents, without the sign."""
    return f"{100 * share:.0f}"


def passed_words(summary: Summary) -> str:
    """Return how many tests passed, as `12 of 31, 39 % (95 % interval 24-56 %)` with a long dash."""
    share = metric(summary, "pass_at_1")
    value, number = share.get("value"), share.get("n")
    if value is None or not number:
        return ""
    words = f"{round(value * number):,} of {number:,}, {percent(value)} %"
    low, high = share.get("low"), share.get("high")
    return words if low is None or high is None else f"{words} (95 % interval {percent(low)}{DASH}{percent(high)} %)"
