"""Runs on the same moments: which passes more, where, and how sure that is.

Runs are compared pair by pair, by the ids of their moments. In each pair counts the verdict by a hole that does not depend on the suggestion
(`Verdict.fixed`, where it differs from the verdict itself), for else a long and a short answer would be judged on different parts of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.numbers.clusters import cluster_of
from replay.numbers.costs import known_cost
from replay.numbers.differences import holm, paired_difference
from replay.numbers.metrics import UNJUDGED, length_class
from replay.numbers.paired.changes import changed_moments
from replay.numbers.paired.fairness import unfair, unlike_machines
from replay.numbers.paired.fronts import fronts
from replay.numbers.paired.measures import LEVEL, Pair, fixed_verdict, measured_differences
from replay.numbers.paired.sentences import difference_says, needed_for
from replay.options import ClusterBy
from replay.records import Record

FEWEST = 10
"""Clusters below which two runs share too few moments to be compared."""
GROUPS: dict[str, Callable[[Record], str]] = {
    "tape": lambda record: record.moment.tape,
    "language": lambda record: record.moment.language,
    "length": length_class,
    "block": lambda record: record.moment.kind,
    "scenario": lambda record: record.moment.scenario,
}
"""What the breakdowns go by. In a corpus the block is the category of the task, and is called so."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run as it is kept: its name, its options with its sources, its records, and its summary if it came to its end."""

    name: str
    config: Mapping[str, Any]
    records: Sequence[Record]
    summary: Mapping[str, Any] = field(default_factory=dict)


def compare_runs(runs: Sequence[ComparedRun], by: ClusterBy, asked: float) -> dict[str, Any]:
    """Compare each of two or more runs with the first: the document of `ghosttape compare --json` (docs/compare.md has its fields).

    `asked` is the least difference that matters, as a share. `unfair` says first what makes the runs hard to compare. `runs` has what each run is, and its figures (`figures_of`);
    `comparisons` the document of `compare` for each run but the first, with p-values adjusted by Holm for their number where there are several;
    `fronts` which runs are worth choosing (`replay.numbers.paired.fronts`).
    """
    first, *others = runs
    found = [compare(first, other, by, asked) for other in others]
    _adjust(found, by, asked)
    told = [figures_of(run) for run in runs]
    return {
        "cluster_by": by,
        "asked": asked,
        "unfair": [
            {"runs": one["runs"], "says": note}
            for one, other in zip(found, others, strict=True)
            for note in one["unfair"]
        ],
        "runs": told,
        "comparisons": found,
        "fronts": fronts(told),
    }


def figures_of(run: ComparedRun) -> dict[str, Any]:
    """Return what a run is (`name`, `provider`, `model`, `policy`, `corpus`, `repairs`) and its figures, as its summary has them.

    `moments`; `pass_at_1`, `passed_in_time`, `acceptance`, `keystrokes_saved`: figures with value (keystrokes: share), low and high, empty where there are none;
    `latency_p50` and `latency_p95` in ms, `tokens` and `cost`: None where they are not known.
    """
    config, metrics = run.config, run.summary.get("metrics") or {}
    settings = config.get("settings") or {}
    provider, latency = settings.get("provider") or {}, metrics.get("latency_ms") or {}
    names = ("pass_at_1", "passed_in_time", "acceptance", "keystrokes_saved")
    return {
        "name": run.name,
        "provider": "published" if config.get("published") else provider.get("name", ""),
        "model": config.get("published") or provider.get("model", ""),
        "policy": config.get("policy", ""),
        "corpus": config.get("corpus", ""),
        "repairs": settings.get("repairs"),
        "moments": len(run.records),
        **{name: metrics.get(name) or {} for name in names},
        "latency_p50": latency.get("p50"),
        "latency_p95": latency.get("p95"),
        **known_cost(run.summary),
    }


def compare(first: ComparedRun, second: ComparedRun, by: ClusterBy, asked: float) -> dict[str, Any]:
    """The shares of two runs on the moments that both could be tested at, and their difference, second less first.

    `asked` is the least difference that matters, as a share. `difference` has the figures of `paired_difference`, in `says` what they
    mean (`words`), in `needed` about how many moments would tell the difference that is asked about, and all that in a `sentence`.
    `metrics` has the differences of other measures (`measured_differences`); `breakdowns` has the difference in each group by `GROUPS`, with
    p-values adjusted by Holm over all groups of all breakdowns; `changed` the moments that one run passes and the other does not.
    `unfair` says what makes the runs hard to compare, `notes` that and where they share too few moments.
    """
    shared = shared_records(first.records, second.records)
    pairs = paired_records(first.records, second.records)
    with_latency = _have_latency(first, second)
    told = [
        *unfair(first.config, second.config),
        *(unlike_machines(first.summary, second.summary) if with_latency else []),
    ]
    difference = _told(_difference(pairs, by), by, asked)
    return {
        "runs": [first.name, second.name],
        "cluster_by": by,
        "asked": asked,
        "moments": [len(first.records), len(second.records)],
        "shared": len(shared),
        "passed": [_passed(record for record, _ in pairs), _passed(record for _, record in pairs)],
        "difference": difference,
        "metrics": measured_differences(shared, by, with_latency=with_latency),
        "breakdowns": _breakdowns(pairs, by, asked, is_corpus="corpus" in first.config),
        "changed": changed_moments(pairs),
        "unfair": told,
        "notes": [*told, *_too_few(first, second, difference)],
    }


def _have_latency(*runs: ComparedRun) -> bool:
    """Whether the latencies of runs are their models': none is read from a file without times."""
    return all("note" not in ((run.summary.get("metrics") or {}).get("latency_ms") or {}) for run in runs)


def _told(
    difference: dict[str, Any], by: ClusterBy, asked: float, p: float | None = None, of: int = 1
) -> dict[str, Any]:
    """A difference with what it says, by its own p-value or one that is adjusted for so many differences."""
    says = words(difference["net"], difference["p"] if p is None else p, asked)
    own = {"p_adjusted": difference["p"] if p is None else p, "of": of, "says": says}
    told = difference | own | {"needed": needed_for(difference, asked)}
    return told | {"sentence": difference_says(told, by, asked)}


def _adjust(found: Sequence[dict[str, Any]], by: ClusterBy, asked: float) -> None:
    """Adjust the differences of several runs from the first for their number."""
    adjusted = holm([one["difference"]["p"] for one in found])
    for one, p in zip(found, adjusted, strict=True):
        one["difference"] = _told(one["difference"], by, asked, p, len(found))


def paired_records(first: Iterable[Record], second: Iterable[Record]) -> list[Pair]:
    """The records of two runs at the same moment, where both could be tested."""
    return [pair for pair in shared_records(first, second) if all(map(could_be_tested, pair))]


def shared_records(first: Iterable[Record], second: Iterable[Record]) -> list[Pair]:
    """The records of two runs at the same moment, in the order of the first."""
    known = {record.moment.id: record for record in second}
    return [(record, known[record.moment.id]) for record in first if record.moment.id in known]


def could_be_tested(record: Record) -> bool:
    """Whether there is a verdict by which runs are compared."""
    return fixed_verdict(record) not in {"", *UNJUDGED}


def _passed(records: Iterable[Record]) -> int:
    return sum(fixed_verdict(record) == "passed" for record in records)


def _difference(pairs: Iterable[Pair], by: ClusterBy) -> dict[str, Any]:
    """The share of the second run less that of the first."""
    return paired_difference(
        (cluster_of(first.moment, by), fixed_verdict(second) == "passed", fixed_verdict(first) == "passed")
        for first, second in pairs
    )


def _breakdowns(pairs: Sequence[Pair], by: ClusterBy, asked: float, *, is_corpus: bool) -> list[dict[str, Any]]:
    """The difference in each group of each breakdown with several groups."""
    found = [
        {"by": "category" if name == "block" and is_corpus else name, "group": group, **_difference(own, by)}
        for name, group_of in GROUPS.items()
        for group, own in _grouped(pairs, group_of)
    ]
    adjusted = holm([one["p"] for one in found])
    return [
        one | {"p_adjusted": p, "says": words(one["net"], p, asked), "needed": needed_for(one, asked)}
        for one, p in zip(found, adjusted, strict=True)
    ]


def _grouped(pairs: Sequence[Pair], group_of: Callable[[Record], str]) -> list[tuple[str, list[Pair]]]:
    """The pairs of each group, by name; nothing where there is one group only."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(group_of(pair[0]), []).append(pair)
    return sorted(groups.items()) if len(groups) > 1 else []


def words(net: Mapping[str, float | None], p: float | None, asked: float) -> str:
    """What a difference means: `more`, `fewer`, `as many` or `too few to tell`.

    `more` and `fewer` (pass in the second run): the interval does not hold 0, and p is below `LEVEL`. `as many`: the whole interval is closer to 0 than the
    difference that is asked about. Else the interval is wider than what is being asked. Example: -0.08 to 0.02, asked 0.05: too few to tell.
    """
    low, high = net["low"], net["high"]
    if low is None or high is None or p is None:
        return "too few to tell"
    if p < LEVEL and (low > 0 or high < 0):
        return "more" if low > 0 else "fewer"
    return "as many" if -asked < low and high < asked else "too few to tell"


def _too_few(first: ComparedRun, second: ComparedRun, difference: Mapping[str, Any]) -> list[str]:
    shared = len(shared_records(first.records, second.records))
    fewer = min(len(first.records), len(second.records))
    notes = []
    if 2 * shared < fewer:
        notes.append(f"the runs share only {shared:,} of {fewer:,} moments")
    if difference["clusters"] < FEWEST:
        n, clusters = difference["n"], difference["clusters"]
        notes.append(f"both could be tested at only {n:,} of the same moments, in {clusters:,} clusters")
    return notes
