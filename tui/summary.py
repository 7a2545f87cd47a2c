"""The figures of a run: read from the summary that the run kept, or counted from its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from replay.records import Record

Summary: TypeAlias = Mapping[str, Any]
DASH = "\N{EN DASH}"


def count(records: Sequence[Record]) -> dict[str, Any]:
    """Count the records of a run that has kept no summary (yet): moments, endings, verdicts, untestable, pass_at_1."""
    from replay.metrics import pass_at_1  # statistics take half a second that a finished run does not need

    verdicts = [record.verdict for record in records if record.verdict]
    return {
        "moments": len(records),
        "endings": dict(Counter(record.ending.name for record in records)),
        "verdicts": dict(Counter(verdict.name for verdict in verdicts if verdict.name != "untestable")),
        "untestable": dict(Counter(verdict.reason for verdict in verdicts if verdict.name == "untestable")),
        "metrics": {"pass_at_1": pass_at_1(records)},
    }


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


def share_words(value: float, of: int) -> tuple[str, str]:
    """Return a share (0 to 1) of a number as `12 of 31` and `39 %`."""
    return f"{round(value * of):,} of {of:,}", f"{percent(value)} %"


def interval_words(summary: Summary) -> str:
    """Return the 95 % interval of the tests passed as `24-56 %`, with a long dash."""
    share = metric(summary, "pass_at_1")
    low, high = share.get("low"), share.get("high")
    return "" if low is None or high is None else f"{percent(low)}{DASH}{percent(high)} %"


def passed(summary: Summary) -> tuple[str, str]:
    """Return how many tests passed as `12 of 31` and `39 %`; empty where that was not measured."""
    share = metric(summary, "pass_at_1")
    value, number = share.get("value"), share.get("n")
    return share_words(value, number) if value is not None and number else ("", "")


def keystrokes(summary: Summary) -> tuple[str, str]:
    """Return the keystrokes saved as `412 of 1,200` and `34 %`; empty where that was not measured."""
    saved = metric(summary, "keystrokes_saved")
    value, of = saved.get("value"), saved.get("of")
    if value is None or not of:
        return "", ""
    return share_words(value if isinstance(value, float) and abs(value) <= 1 else value / of, of)


def latency(summary: Summary, quantile: str) -> str:
    """Return a quantile of the latency, such as `p95`, as `1,204 ms`; empty where there is none, a dash for that of a record."""
    found = metric(summary, "latency_ms")
    value = found.get(quantile)
    if "note" in found:
        return DASH
    return "" if value is None else f"{value:,.0f} ms"


def passed_words(summary: Summary) -> str:
    """Return how many tests passed as `12 of 31, 39 % (95 % interval 24-56 %)`, with a long dash."""
    number, share = passed(summary)
    interval = interval_words(summary)
    return ", ".join(part for part in (number, share) if part) + (f" (95 % interval {interval})" if interval else "")
