"""Two runs on the same moments: which passes more, where, and how sure that is.

Runs are compared pair by pair, by the ids of their moments. In each pair counts the verdict by a hole that does not depend on the suggestion
(`Verdict.fixed`, where it differs from the verdict itself), for else a long and a short answer would be judged on different parts of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from replay.numbers.clusters import cluster_of
from replay.numbers.differences import holm, paired_difference
from replay.numbers.metrics import UNJUDGED, length_class
from replay.options import ClusterBy
from replay.records import Record

LEVEL = 0.05
"""The probability of a difference by chance below which it counts."""
FEWEST = 10
"""Clusters below which two runs share too few moments to be compared."""
Pair: TypeAlias = tuple[Record, Record]
GROUPS: dict[str, Callable[[Record], str]] = {
    "tape": lambda record: record.moment.tape,
    "language": lambda record: record.moment.language,
    "length": length_class,
    "kind": lambda record: record.moment.kind,
}
"""What the breakdowns go by."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run as it is kept: its name, its options with its sources, and its records."""

    name: str
    config: Mapping[str, Any]
    records: Sequence[Record]


def compare(first: ComparedRun, second: ComparedRun, by: ClusterBy, asked: float) -> dict[str, Any]:
    """The shares of two runs on the moments that both could be tested at, and their difference, second less first.

    `asked` is the least difference that matters, as a share. `difference` has the figures of `paired_difference`, and in `says` what they
    mean (`words`); `breakdowns` has the same of each group by `GROUPS`, with p-values adjusted by Holm over all groups of all breakdowns.
    `notes` say why the runs may not be comparable.
    """
    pairs = paired_records(first.records, second.records)
    difference = _difference(pairs, by)
    return {
        "runs": [first.name, second.name],
        "cluster_by": by,
        "asked": asked,
        "moments": [len(first.records), len(second.records)],
        "shared": len(shared_records(first.records, second.records)),
        "passed": [_passed(record for record, _ in pairs), _passed(record for _, record in pairs)],
        "difference": difference | {"says": words(difference["net"], difference["p"], asked)},
        "breakdowns": _breakdowns(pairs, by, asked),
        "notes": [*_differing(first.config, second.config), *_too_few(first, second, difference)],
    }


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


def fixed_verdict(record: Record) -> str:
    """The verdict by a hole that is the same for every suggestion at the moment; empty if there is no verdict."""
    verdict = record.verdict
    return "" if verdict is None else verdict.fixed or verdict.name


def _passed(records: Iterable[Record]) -> int:
    return sum(fixed_verdict(record) == "passed" for record in records)


def _difference(pairs: Iterable[Pair], by: ClusterBy) -> dict[str, Any]:
    """The share of the second run less that of the first."""
    return paired_difference(
        (cluster_of(first.moment, by), fixed_verdict(second) == "passed", fixed_verdict(first) == "passed")
        for first, second in pairs
    )


def _breakdowns(pairs: Sequence[Pair], by: ClusterBy, asked: float) -> list[dict[str, Any]]:
    """The difference in each group of each breakdown with several groups."""
    found = [
        {"by": name, "group": group, **_difference([pair for pair in pairs if group_of(pair[0]) == group], by)}
        for name, group_of in GROUPS.items()
        if len(groups := sorted({group_of(first) for first, _ in pairs})) > 1
        for group in groups
    ]
    adjusted = holm([one["p"] for one in found])
    return [
        one | {"p_adjusted": p, "says": words(one["net"], p, asked)} for one, p in zip(found, adjusted, strict=True)
    ]


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


_CHOICES = dict.fromkeys(("policy", "user", "mode", "latency", "corpus", "programs")) | {"scoring": "answer"}
"""What makes two runs hard to compare where it differs, and what it is where a run does not say it."""


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """What makes two runs hard to compare: another policy, other tapes."""
    notes = [
        f"the runs differ in {name}: {first.get(name, unsaid)!r} and {second.get(name, unsaid)!r}"
        for name, unsaid in _CHOICES.items()
        if first.get(name, unsaid) != second.get(name, unsaid)
    ]
    ours, theirs = first.get("sources", {}), second.get("sources", {})
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            notes.append(f"only one of the runs has {name!r}")
        elif ours[name] != theirs[name] and not _is_another_choice(first, second):
            notes.append(f"{name!r} is not the same in both runs: it has changed in between")
    return notes


def _is_another_choice(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two runs chose other tasks, programs or published answers of a corpus: then what they read differs, and nothing has changed."""
    return any(first.get(name) != second.get(name) for name in ("published", "programs", "languages", "categories"))


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
