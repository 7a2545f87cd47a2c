"""The figures of a run: shares, keystrokes saved and latencies, each with its 95 % interval by clusters (`replay.numbers.intervals`).

Every share is a mean over moments. Several answers to one question (`--samples`) are one moment: it has the share of its answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import quantiles
from typing import Any

from msgspec import structs

from replay.numbers.clusters import by_cluster, cluster_of
from replay.numbers.intervals import FigureDocument, clustered_share, quantile_interval, ratio_spread, sum_interval
from replay.numbers.passing import passing
from replay.options import ClusterBy
from replay.records import ANSWERED, GIVEN_UP, SHOWN, Effort, Record

POINTS = (50, 75, 90, 95, 99)
LENGTHS = (("1-5", 5), ("6-20", 20), ("21-80", 80), ("over 80", None))
"""Classes of lengths of ground truths, in characters, with the longest of each."""
OF_THE_RECORD = "not measured: answers were read from a record; with --latency fixed:MS they take as long as you say"
_NO_ENDS = {"low": None, "high": None}
UNJUDGED = frozenset({"untestable", "infrastructure"})
"""Verdicts that say nothing about an answer."""


def clustered(records: Iterable[Record], by: ClusterBy, holds: Callable[[Record], bool]) -> FigureDocument:
    """The mean over moments of the share of their answers for which something holds, with its interval by clusters.

    Example: of the three answers to one question it holds for two, of the one to another for none: 1/3.
    """
    moments = (([*map(holds, own)], own[0].moment) for own in by_question(records))
    return clustered_share((cluster_of(moment, by), sum(held) / len(held)) for held, moment in moments)


def by_question(records: Iterable[Record]) -> Iterable[list[Record]]:
    """The records of each moment: one, or with several samples as many."""
    records = list(records)
    if not any(record.moment.sample for record in records):  # which is told sooner than the moments are
        return [[record] for record in records]
    found: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        found.setdefault(record.moment.question, []).append(record)
    return found.values()


def passed_counts(records: Iterable[Record], by: ClusterBy = "hole") -> list[tuple[str, int, int]]:
    """The cluster, the number of answers that count and of those that pass, by moment; moments of which none counts are left out."""
    return [
        (cluster_of(own[0].moment, by), len(own), sum(map(_passes, own)))
        for own in by_question(judged_records(records))
    ]


def pass_at_each_k(records: Iterable[Record], samples: int, by: ClusterBy = "hole") -> dict[str, FigureDocument]:
    """pass@k for each k up to the number of samples, over the moments of some records."""
    counts = passed_counts(records, by)
    return {str(k): passing(counts, k) for k in range(1, samples + 1)}


def pass_at_1(records: Sequence[Record], by: ClusterBy = "hole") -> FigureDocument:
    """The share of testable moments whose suggestion passes the project's tests (pass@1, Chen et al. 2021, k = 1).

    With several samples it is the mean over moments of the share of their answers that pass. A moment counts if the provider answered, with or without text, and if the tests notice the hole. Untestable moments,
    failures of the infrastructure and cancelled requests do not count. `testable` is the share that counts (`share_testable`):
    a share of few moments that could be tested says little, so the one is never without the other.
    """
    return passing(passed_counts(records, by), 1) | {"testable": share_testable(records, by)}


def share_testable(records: Iterable[Record], by: ClusterBy = "hole") -> FigureDocument:
    """The share of moments with a verdict that is testable: where one on any of its answers counts. Failures of the infrastructure count nowhere."""
    tested = by_question(record for record in records if record.verdict and record.verdict.name != "infrastructure")
    return clustered_share((cluster_of(own[0].moment, by), float(bool(judged_records(own)))) for own in tested)


def pass_by_hole(records: Iterable[Record], by: ClusterBy = "hole") -> FigureDocument:
    """The mean over holes of the share that passes in each, so that a long statement counts no more than a short one.

    `n` is the number of holes. Holes are clustered as chosen; where the hole itself is chosen each is alone.
    Example: 9 of 9 moments of one hole and 0 of 1 of another are 0.9 by moment and 0.5 by hole.
    """
    moments = by_question(judged_records(records))
    holes = by_cluster((cluster_of(own[0].moment, "hole"), own) for own in moments)
    shares = ([sum(map(_passes, own)) / len(own) for own in hole] for hole in holes.values())
    clusters = (cluster_of(hole[0][0].moment, by) for hole in holes.values())
    return clustered_share((cluster, sum(own) / len(own)) for cluster, own in zip(clusters, shares, strict=True))


def pass_by_length(records: Iterable[Record], by: ClusterBy = "hole") -> dict[str, FigureDocument]:
    """pass@1 by the length of the ground truth in characters, white space at its ends aside: `LENGTHS`."""
    judged = judged_records(records)
    classes = by_cluster((length_class(record), record) for record in judged)
    return {name: passing(passed_counts(classes.get(name, []), by), 1) for name, _ in LENGTHS}


def length_class(record: Record) -> str:
    """The class of a moment's ground truth: the name of one of `LENGTHS`. Example: `return x` is in `6-20`."""
    size = truth_length(record)
    return next(name for name, longest in LENGTHS if longest is None or size <= longest)


def truth_length(record: Record) -> int:
    """The characters of a moment's ground truth, white space at its ends aside; of a next edit, what it puts in."""
    next_edit = record.moment.next_edit
    return len((record.moment.truth if next_edit is None else "".join(one.text for one in next_edit.changes)).strip())


def judged_records(records: Iterable[Record]) -> list[Record]:
    """The records whose verdict says something about the answer."""
    return [record for record in records if record.verdict and record.verdict.name not in UNJUDGED]


def _passes(record: Record) -> bool:
    return record.verdict is not None and record.verdict.name == "passed"


def passed_in_time(records: Iterable[Record], by: ClusterBy = "hole") -> FigureDocument:
    """The share of all testable moments that were asked about whose suggestion passes and came in time to be shown.

    An answer that came too late counts as not passed, and so does one that the editor gave up (superseded, cancelled): what it would have
    shown is known from `Record.missed`. `pass_at_1` counts answered moments alone, so it says how good the answers are that were quick enough
    to be answers. Beside the share: `n`, of how many moments it is one; `too_late`, how many of these would have passed but were late or given
    up; `unanswered`, how many requests have no answer at all (they failed, or were given up and nobody asked again) and so no part in it.
    """
    asked = [record for record in records if record.ending.name not in {"gated", "debounced"}]
    unanswered = sum(record.suggestion is None and not (record.missed and record.missed.suggestion) for record in asked)
    judged = judged_records(map(as_if_quick, asked))
    too_late = sum(_passes(record) and not _in_time(record) for record in judged)
    found = clustered(judged, by, lambda record: _passes(record) and _in_time(record))
    return found | {"too_late": too_late, "unanswered": unanswered}


def as_if_quick(record: Record) -> Record:
    """A record with the verdict on what would have been shown, where the request was given up."""
    return structs.replace(record, verdict=record.verdict or (record.missed and record.missed.verdict))


def _in_time(record: Record) -> bool:
    return record.ending.name not in GIVEN_UP | {"late"}


def acceptance(records: Iterable[Record], by: ClusterBy = "hole") -> FigureDocument:
    """The share of shown suggestions that the user accepted, whole or in part."""
    shown = (record for record in records if record.ending.name in SHOWN and record.moment.next_edit is None)
    return clustered(shown, by, lambda record: record.ending.name in {"accepted", "part"})


def silence(records: Iterable[Record], by: ClusterBy = "hole") -> Mapping[str, Any]:
    """The share of the moments after which the person made no edit at which no edit was shown, of those that were answered; empty without any."""
    answered = [record for record in records if record.ending.name in ANSWERED and is_silence(record)]
    return {} if not answered else clustered(answered, by, lambda record: record.ending.name not in SHOWN)


def is_silence(record: Record) -> bool:
    """Whether nothing is the right answer to a question for the next edit."""
    next_edit = record.moment.next_edit
    return next_edit is not None and next_edit.kind == "silence"


def shares(records: Sequence[Record], by: ClusterBy = "hole") -> dict[str, dict[str, FigureDocument]]:
    """The share of each ending in all moments (`endings`), and of each reason in the moments with a verdict (`untestable`).

    Several answers to one question may end in several ways: then each way has its share of the moment.
    """
    tested = [record for record in records if record.verdict and record.verdict.name != "infrastructure"]
    reasons = (verdict.reason for record in tested if (verdict := record.verdict) and verdict.name == "untestable")
    return {
        "endings": {name: clustered(records, by, partial(_ends, name)) for name in counted(map(_ending, records))},
        "untestable": {reason: clustered(tested, by, partial(_lacks, reason)) for reason in counted(reasons)},
    }


def _ending(record: Record) -> str:
    return record.ending.name


def _ends(name: str, record: Record) -> bool:
    return record.ending.name == name


def _lacks(reason: str, record: Record) -> bool:
    return record.verdict is not None and record.verdict.name == "untestable" and record.verdict.reason == reason


def latency_ms(records: Iterable[Record], by: ClusterBy = "hole") -> dict[str, Any]:
    """Quantiles (linear interpolation, Hyndman & Fan type 7) of the latency of every answer, in ms, as laid on the clock.

    A cancelled request has no answer. If the policy cancels, only answers that came before the next key count; so do, with the time until they came, those that
    the editor of a tape had in time and never showed, where they are asked again as they were (`recorded`, `--latency tape`).

    Each quantile has its interval (`p95_low`, `p95_high`; None: no answer was slow enough to tell).
    """
    members = [
        (cluster_of(record.moment, by), record.suggestion.latency)
        for record in records
        if record.suggestion and record.ending.name != "failed"
    ]
    if not members:
        return {"n": 0}
    values = [latency for _, latency in members]
    points = {f"p{point}": _percentile(values, point) for point in POINTS}
    found = {point: quantile_interval(members, point / 100) for point in POINTS}
    ends = {
        f"p{point}_{end}": value for point in POINTS for end, value in zip(("low", "high"), found[point], strict=True)
    }
    return {**points, **ends, "n": len(values), "clusters": len({cluster for cluster, _ in members})}


def _percentile(values: Sequence[float], point: int) -> float:
    """The value that so many of a hundred do not exceed, with linear interpolation (Hyndman & Fan type 7), as numpy's `percentile`."""
    return quantiles(values, n=100, method="inclusive")[point - 1] if len(values) > 1 else values[0]


def unmeasured(latency: Mapping[str, Any]) -> dict[str, Any]:
    """The quantiles of a run whose answers were read from a file: nulls and a note, because reading a file says nothing of the model."""
    names = [f"p{point}{end}" for point in POINTS for end in ("", "_low", "_high")]
    return {**latency, **dict.fromkeys(names), "note": OF_THE_RECORD}


def keystrokes_saved(records: Sequence[Record], typed: int, by: ClusterBy = "hole") -> dict[str, Any]:
    """The keystrokes saved: edits that accepted suggestions made unnecessary, minus the keys for accepting, of `typed` edits.

    In judge mode the moments are independent, so several suggestions can save the same edits. Each edit counts once: as in
    an editor, a moment inside text that an earlier suggestion wrote is left out.

    `low` and `high` are of the `share` in `typed`. Each cluster of moments is one draw of keys saved; the number of keys on the tape is given.
    """
    if records and all(record.moment.next_edit is not None for record in records):
        return {"value": None, "of": typed, "share": None, **_NO_ENDS, "clusters": 0}
    saved: Counter[str] = Counter({cluster_of(record.moment, by): 0 for record in sorted(records, key=_as_met)})
    for record, keys in savings(records):
        saved[cluster_of(record.moment, by)] += keys
    parts = list(saved.values())
    share = sum(parts) / typed if typed else None
    low, high = sum_interval(parts)
    ends = {"low": low / typed, "high": min(1.0, high / typed)} if share and low and high else _NO_ENDS
    return {"value": sum(parts), "of": typed, "share": share, **ends, "clusters": len(parts)}


def keys_saved(records: Iterable[Record]) -> dict[str, int]:
    """The keystrokes saved by each moment that saves some, by the moment's id; a moment inside text that an earlier suggestion wrote saves none."""
    return {record.moment.id: keys for record, keys in savings(records)}


def savings(records: Iterable[Record]) -> Iterator[tuple[Record, int]]:
    """Each record that saves keystrokes with how many, in the order in which a person meets the suggestions: each edit counts once."""
    needless = set[tuple[str, int]]()
    for record in sorted(records, key=_as_met):
        edits = {(record.moment.tape, event) for event in record.covered}
        if edits and not edits & needless:
            needless |= edits
            yield record, len(edits) - record.keys


def _as_met(record: Record) -> tuple[str, int, int, str]:
    """The order in which a person sees the suggestions: by place on the tape; at one place the longest first."""
    return record.moment.tape, record.moment.event, -len(record.covered), record.moment.id


def driven(efforts: Sequence[Effort]) -> dict[str, Any]:
    """Keystrokes saved in drive mode: keys on the tapes minus keys needed, and the share of this in the keys on the tapes.

    Each tape is a cluster, whatever clusters are chosen, as one accepted text changes all that follows on its tape. A single tape has no interval.
    """
    typed = [effort for effort in efforts if effort.tape]
    saved, keys = [effort.saved for effort in typed], [effort.tape for effort in typed]
    share, spread = sum(saved) / sum(keys) if typed else None, ratio_spread(saved, keys)
    half = spread.t * spread.variance**0.5 if spread else 0.0
    ends = {"low": share - half, "high": min(1.0, share + half)} if half and share is not None else _NO_ENDS
    value = sum(effort.saved for effort in efforts)
    return {"value": value, "of": sum(keys), "share": share, **ends, "clusters": len(typed), "cluster_by": "tape"}


def counted(names: Iterable[str]) -> dict[str, int]:
    """Name → number of times that it occurs; the most frequent first, equal counts in alphabetical order."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
