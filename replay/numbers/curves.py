"""Figures along an axis: over latency budgets, over classes of latency, over a session."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from replay.numbers.metrics import UNJUDGED, as_if_quick, clustered, judged_records, passed_counts, savings
from replay.numbers.passing import passing
from replay.options import ClusterBy
from replay.records import Record, Suggestion

BUDGETS = (50, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10000)
"""Latencies in ms that a person might wait."""
LATENCIES = (100, 200, 300, 500, 1000, 2000)
"""The longest latency, in ms, of each class; the last class has all above."""
PARTS = 10
"""Into how many parts a session is divided."""


def passed_within(records: Iterable[Record], by: ClusterBy = "hole") -> list[dict[str, Any]]:
    """For each of `BUDGETS` (`budget`, in ms) the share of testable moments that were asked about whose suggestion passes and takes at most so long.

    The moments are those of `replay.numbers.metrics.passed_in_time`: a request that the editor gave up counts with the answer that it
    would have had. What an editor shows is no part of it: a budget takes the place of the next key.
    Example: of four moments, passed after 80 ms, passed after 400 ms, failed, and passed after 90 ms, half pass within 100 ms and 3/4 within 500.
    """
    asked = [record for record in records if record.ending.name not in {"gated", "debounced"}]
    judged = judged_records(map(as_if_quick, asked))
    return [{"budget": budget, **clustered(judged, by, lambda one: _passes_within(one, budget))} for budget in BUDGETS]  # noqa: B023 - called at once


def _passes_within(record: Record, budget: float) -> bool:
    offered = _offered(record)
    return bool(record.verdict and record.verdict.name == "passed" and offered and offered.latency <= budget)


def _offered(record: Record) -> Suggestion | None:
    return record.suggestion or (record.missed.suggestion if record.missed else None)


def pass_by_latency(records: Iterable[Record], by: ClusterBy = "hole") -> list[dict[str, Any]]:
    """pass@1 by the latency of the answer: a row for each class of `LATENCIES` with testable moments.

    `above` and `up_to` are in ms; the last class has no `up_to` (None). Example: an answer after exactly 200 ms is in the class above 100 up to 200.
    """
    classes: dict[int, list[Record]] = defaultdict(list)
    for record in judged_records(records):
        if record.suggestion:
            classes[bisect_left(LATENCIES, record.suggestion.latency)].append(record)
    ends = (0, *LATENCIES, None)
    return [
        {"above": ends[place], "up_to": ends[place + 1], **passing(passed_counts(classes[place], by), 1)}
        for place in sorted(classes)
    ]


def verdicts_over_session(records: Sequence[Record], by: ClusterBy = "hole") -> list[dict[str, Any]]:
    """What the tests said in each of `PARTS` equal parts of a session, and of the testable moments the share that passes (`share`).

    A session goes from the first event of its tape up to the last one with a moment; the parts of all tapes are put together. `passed`, `failed`, `untestable` and `untested`
    (no verdict, or a failure of the infrastructure) are numbers of answers; `part` counts from 1.
    """
    ends = _last_events(records)
    parts: dict[int, list[Record]] = {part: [] for part in range(1, PARTS + 1)}
    for record in records:
        place = record.moment.event * PARTS // (ends[record.moment.tape] + 1)
        parts[place + 1].append(record)
    return [
        {"part": part, **_outcomes(own), "share": passing(passed_counts(own, by), 1)} for part, own in parts.items()
    ]


def _last_events(records: Iterable[Record]) -> dict[str, int]:
    ends: dict[str, int] = {}
    for record in records:
        ends[record.moment.tape] = max(record.moment.event, ends.get(record.moment.tape, 0))
    return ends


def _outcomes(records: Iterable[Record]) -> dict[str, int]:
    found = Counter(outcome(record) for record in records)
    return {name: found[name] for name in ("passed", "failed", "untestable", "untested")}


def outcome(record: Record) -> str:
    """What the tests said of an answer: `passed`, `failed`, `untestable`, or `untested` where they did not run."""
    name = record.verdict.name if record.verdict else "infrastructure"
    if name in UNJUDGED:
        return "untestable" if name == "untestable" else "untested"
    return "passed" if name == "passed" else "failed"


def saved_over_tape(records: Iterable[Record]) -> dict[str, list[tuple[int, int]]]:
    """Tape → the keystrokes saved up to an event: pairs of the event and the sum so far, each where the sum changes.

    The last sum of all tapes together is the value of `replay.numbers.metrics.keystrokes_saved`. In drive mode there is no such curve: what a
    divergence costs is counted by tape alone.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for record, saved in savings(records):
        curve = found.setdefault(record.moment.tape, [])
        if saved:
            curve.append((record.moment.event, saved + (curve[-1][1] if curve else 0)))
    return found


def changes_by_repair(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """Repair → the number of answers that it `changed`, and of those in which its change was `undone` because the text had more syntax errors."""
    changed: Counter[str] = Counter()
    undone: Counter[str] = Counter()
    for record in records:
        trail = record.suggestion.trail if record.suggestion else ()
        changed.update({step.step for step in trail if not step.undone})
        undone.update({step.step for step in trail if step.undone})
    return {name: {"changed": changed[name], "undone": undone[name]} for name in sorted({*changed, *undone})}
