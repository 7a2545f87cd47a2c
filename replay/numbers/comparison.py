"""Runs on the same moments: which passes more, where, and how sure that is.

Runs are compared pair by pair, moment by moment. With several samples all answers to one question are one moment, and it has the share of them that
passes (`replay.numbers.paired.paired_moments`). Of each answer counts the verdict by a hole that does not depend on the suggestion
(`Verdict.fixed`, where it differs from the verdict itself), for else a long and a short answer would be judged on different parts of the project.
A side of a comparison is a run, or several that are taken together, such as those of one model under several policies: then each run of a side is paired
with the run at its place on the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

from replay.numbers.clusters import cluster_of, common_clusters
from replay.numbers.costs import known_cost
from replay.numbers.differences import holm, paired_difference
from replay.numbers.figures import BY_NAME, FIGURES, read_figure
from replay.numbers.intervals import CONFIDENCE, clustered_share
from replay.numbers.metrics import length_class
from replay.numbers.paired.changes import changed_moments
from replay.numbers.paired.fairness import unfair, unfinished, unlike_machines
from replay.numbers.paired.followed_instructions import adherence_measures, instruction_measures, shared_instructions
from replay.numbers.paired.fronts import fronts
from replay.numbers.paired.measures import LEVEL, measured_differences, run_measures
from replay.numbers.paired.paired_moments import (
    SharedMoment,
    count_moments,
    passed_share,
    shared_by_all,
    shared_moments,
    tested_moments,
)
from replay.numbers.paired.sentences import difference_says, needed_for
from replay.options import ClusterBy
from replay.records import Record
from server.settings import REPAIRS

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What sides are called."""
FEWEST = 10
"""Clusters below which two runs share too few moments to be compared."""
GROUPS: dict[str, Callable[[SharedMoment], str]] = {
    "policy": lambda pair: pair.policy,
    "repairs": lambda pair: pair.repairs,
    "tape": lambda pair: pair.moment.tape,
    "language": lambda pair: pair.moment.language,
    "length": lambda pair: length_class(pair.first[0]),
    "block": lambda pair: pair.moment.kind,
    "scenario": lambda pair: pair.moment.scenario,
}
"""What the breakdowns go by; empty: of no group, as a moment of a policy without blocks. In a corpus the block is the category of the task, and is called so."""


DOCUMENT: Mapping[str, str] = {
    "cluster_by": "clusters of the intervals",
    "asked": "the least difference that matters, as a share",
    "unfair": "for each thing that makes a comparison unfair: `runs`, `says`",
    "runs": "for each: `label`, `name`, `state`, `provider`, `model`, `policy`, `corpus`, `repairs`, `moments`, its figures (empty: not measured), `pass_of_shared`, `latency_p50`, `latency_p95`, `tokens`, `cost` (null: unknown)",
    "comparisons": "one for each side but the first",
    "fronts": "`latency_p50`, `cost`: the runs worth choosing",
}
"""The members of the document of a comparison (`compare_sides`). The command adds `gates`."""
COMPARISON: Mapping[str, str] = {
    "runs": "the names of both sides",
    "cluster_by": DOCUMENT["cluster_by"],
    "asked": DOCUMENT["asked"],
    "moments": "of each side",
    "shared": "moments that both could be tested at",
    "passed": "of these, those that each side passes",
    "difference": "`n`, `clusters`, `gained`, `broken`, `net` (`value`, `low`, `high`: B less A), `p`, `p_adjusted`, `of`, `together` (the interval for all comparisons), `variance`, `design_effect`, `says`, `needed`, `sentence`",
    "metrics": "`metric`, `unit`, `is_gain`, `first`, `second`, `n`, `clusters`, `net`, `p`, `p_adjusted`, `says` (`better`, `worse`, `not told apart`)",
    "instructions": "the same for each instruction that both runs check",
    "breakdowns": "for each group `by`, `group`, and what `difference` has",
    "changed": "for each moment that only one passes: `change` (`lost`, `gained`), `moment`, `tape`, `policy`, `repairs`, `place`, `language`, `kind`, `before`, `truth`, `answers`",
    "unfair": "what makes it unfair",
    "notes": "that, and where few moments are shared",
}
"""The members of each of its `comparisons`."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run as it is kept: its name, its options with its sources, its records, and its summary if it came to its end.

    `by` is what its own figures are clustered by; `state` says how far it is: `finished`, `being written` or `stopped`.
    """

    name: str
    config: Mapping[str, Any]
    records: Sequence[Record]
    summary: Mapping[str, Any] = field(default_factory=dict)
    by: ClusterBy = "hole"
    state: str = "finished"


ComparedSide: TypeAlias = Sequence[ComparedRun]
"""The runs that are taken together: one, or several."""


def compare_runs(runs: Sequence[ComparedRun], by: ClusterBy | None, asked: float) -> dict[str, Any]:
    """Compare each of two or more runs with the first, as `compare_sides` does."""
    return compare_sides([(run,) for run in runs], by, asked)


def compare_sides(sides: Sequence[ComparedSide], by: ClusterBy | None, asked: float) -> dict[str, Any]:
    """Compare each of two or more sides, of as many runs each, with the first: the document of `ghosttape compare --json` (docs/compare.md has its fields).

    Without `by` the clusters are those that the runs themselves have (`replay.numbers.clusters.common_clusters`). `asked` is the least difference that matters, as a share. `unfair` says first what makes the runs hard to compare. `runs` has of each run its `label` (`A`, of several on a side `A1`), what it is, and its figures (`figures_of`);
    `comparisons` the document of `compare` for each side but the first, with p-values adjusted by Holm for their number where there are several;
    `fronts` which runs are worth choosing (`replay.numbers.paired.fronts`).
    """
    first, *others = sides
    by = by or common_clusters(run.by for side in sides for run in side)
    found = [_compare(first, other, by, asked, of=len(others)) for other in others]
    _adjust(found, by, asked)
    shares = iter(_shares_of_all([run for side in sides for run in side], by))
    told = [
        {
            "label": f"{LETTERS[at % 26]}{number if len(side) > 1 else ''}",
            **figures_of(run),
            "pass_of_shared": next(shares),
        }
        for at, side in enumerate(sides)
        for number, run in enumerate(side, 1)
    ]
    return {
        "cluster_by": by,
        "asked": asked,
        "unfair": [{"runs": one["runs"], "says": note} for one in found for note in one["unfair"]],
        "runs": told,
        "comparisons": found,
        "fronts": fronts(told),
    }


def _shares_of_all(runs: Sequence[ComparedRun], by: ClusterBy) -> Iterator[dict[str, Any]]:
    """What each run passes of the moments that all runs could be tested at: a figure; empty where there is no such moment."""
    for answers in shared_by_all([run.records for run in runs]):
        members = ((cluster_of(own[0].moment, by), float(passed_share(own))) for own in answers.values())
        yield {**clustered_share(members)} if answers else {}


def figures_of(run: ComparedRun) -> dict[str, Any]:
    """Return what a run is (`name`, `state`, `provider`, `model`, `policy`, `corpus`, `repairs`) and its figures, as its summary has them.

    `moments`; `pass_at_1`, `passed_in_time`, `acceptance`, `keystrokes_saved`, `adherence` (to all instructions together): figures with value (keystrokes: share), low and high, empty where there are none;
    `latency_p50` and `latency_p95` in ms, `tokens` and `cost`: None where they are not known.
    """
    config, settings = run.config, run.config.get("settings") or {}
    provider = settings.get("provider") or {}
    return {
        "name": run.name,
        "state": run.state,
        "provider": "published" if config.get("published") else provider.get("name", ""),
        "model": config.get("published") or provider.get("model", ""),
        "policy": config.get("policy", ""),
        "corpus": config.get("corpus", ""),
        "repairs": settings.get("repairs"),
        "moments": count_moments(run.records),
        **{kind.name: kind.document(run.summary) for kind in FIGURES if kind.is_listed},
        "adherence": BY_NAME["adherence"].document(run.summary),
        **{name: read_figure(run.summary, name).value for name in ("latency_p50", "latency_p95")},
        **known_cost(run.summary),
    }


def compare(first: ComparedRun, second: ComparedRun, by: ClusterBy, asked: float) -> dict[str, Any]:
    """Compare two runs: one of the `comparisons` of `compare_sides`."""
    return _compare((first,), (second,), by, asked)


def _compare(first: ComparedSide, second: ComparedSide, by: ClusterBy, asked: float, of: int = 1) -> dict[str, Any]:
    """The shares of two sides on the moments that both could be tested at, and their difference, second less first.

    `asked` is the least difference that matters, as a share. `difference` has the figures of `paired_difference`, in `says` what they
    mean (`words`), in `needed` about how many moments would tell the difference that is asked about, and all that in a `sentence`; in `together` the interval that
    holds with those of all `of` comparisons in 95 of 100 cases (Bonferroni: each has the `confidence` 1 - 0.05 / `of`).
    `metrics` has the differences of other measures (`measured_differences`), `instructions` those of adherence to each instruction that both runs were checked against; `breakdowns` has the difference in each group by `GROUPS`, with
    p-values adjusted by Holm over all groups of all breakdowns; `changed` the moments that one run passes and the other does not.
    `unfair` says what makes the runs hard to compare, `notes` that and where they share too few moments.
    """
    runs, opposite = (*first, *second), list(zip(first, second, strict=True))
    shared = [pair for part, both in enumerate(opposite) for pair in _shared(*both, part)]
    pairs = tested_moments(shared)
    with_latency, ids = _have_latency(*runs), _instructions(opposite)
    told = [*unfinished((run.name, run.state) for run in runs), *_unfair(opposite, with_latency=with_latency)]
    difference = _told(_difference(pairs, by) | {"together": _together(pairs, by, of)}, by, asked)
    moments = [sum(count_moments(run.records) for run in side) for side in (first, second)]
    return {
        "runs": [", ".join(run.name for run in side) for side in (first, second)],
        "cluster_by": by,
        "asked": asked,
        "moments": moments,
        "shared": len(shared),
        "passed": [_passed(pair.first for pair in pairs), _passed(pair.second for pair in pairs)],
        "difference": difference,
        "metrics": measured_differences(
            shared, by, (*run_measures(with_latency=with_latency), *adherence_measures(ids))
        ),
        "instructions": measured_differences(shared, by, instruction_measures(ids)),
        "breakdowns": _breakdowns(pairs, by, asked, is_corpus=all("corpus" in run.config for run in runs)),
        "changed": changed_moments(pairs),
        "unfair": told,
        "notes": [*told, *_too_few(len(shared), min(moments), difference)],
    }


def _shared(first: ComparedRun, second: ComparedRun, part: int) -> list[SharedMoment]:
    """The moments that two opposite runs share, with what the first was made with."""
    policy, repairs = first.config.get("policy") or "", (first.config.get("settings") or {}).get("repairs")
    own = "" if repairs is None else "all" if tuple(repairs) == REPAIRS else "+".join(repairs) or "none"
    return [
        replace(pair, part=part, policy=policy, repairs=own) for pair in shared_moments(first.records, second.records)
    ]


def _instructions(opposite: Sequence[tuple[ComparedRun, ComparedRun]]) -> Sequence[str]:
    """The instructions that all runs check."""
    first, *others = (shared_instructions(one.config, other.config) for one, other in opposite)
    return [id_ for id_ in first if all(id_ in own for own in others)]


def _unfair(opposite: Sequence[tuple[ComparedRun, ComparedRun]], *, with_latency: bool) -> list[str]:
    """What makes opposite runs hard to compare, each thing once."""
    notes = (
        [*unfair(one.config, other.config), *(unlike_machines(one.summary, other.summary) if with_latency else [])]
        for one, other in opposite
    )
    return list(dict.fromkeys(chain.from_iterable(notes)))


def _have_latency(*runs: ComparedRun) -> bool:
    """Whether the latencies of runs are their models': none is read from a file without times."""
    return all("note" not in BY_NAME["latency_p50"].document(run.summary) for run in runs)


def _told(
    difference: dict[str, Any], by: ClusterBy, asked: float, p: float | None = None, of: int = 1
) -> dict[str, Any]:
    """A difference with what it says, by its own p-value or one that is adjusted for so many differences."""
    says = words(difference["net"], difference["p"] if p is None else p, asked)
    own = {"p_adjusted": difference["p"] if p is None else p, "of": of, "says": says}
    told = difference | own | {"needed": needed_for(difference, asked)}
    return told | {"sentence": difference_says(told, by, asked)}


def _together(pairs: Sequence[SharedMoment], by: ClusterBy, of: int) -> dict[str, float | None]:
    confidence = 1 - (1 - CONFIDENCE) / of
    net = _difference(pairs, by, confidence)["net"]
    return {"confidence": confidence, "low": net["low"], "high": net["high"]}


def _adjust(found: Sequence[dict[str, Any]], by: ClusterBy, asked: float) -> None:
    """Adjust the differences of several runs from the first for their number."""
    adjusted = holm([one["difference"]["p"] for one in found])
    for one, p in zip(found, adjusted, strict=True):
        one["difference"] = _told(one["difference"], by, asked, p, len(found))


def _passed(moments: Iterable[Sequence[Record]]) -> float:
    """The sum of the shares that pass: without samples, how many moments pass."""
    found = sum(map(passed_share, moments), Fraction())
    return int(found) if found.denominator == 1 else float(found)


def _difference(pairs: Iterable[SharedMoment], by: ClusterBy, confidence: float = CONFIDENCE) -> dict[str, Any]:
    """The share of the second run less that of the first."""
    shares = ((cluster_of(pair.moment, by), passed_share(pair.second), passed_share(pair.first)) for pair in pairs)
    return paired_difference(shares, confidence)


def _breakdowns(pairs: Sequence[SharedMoment], by: ClusterBy, asked: float, *, is_corpus: bool) -> list[dict[str, Any]]:
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


def _grouped(
    pairs: Sequence[SharedMoment], group_of: Callable[[SharedMoment], str]
) -> list[tuple[str, list[SharedMoment]]]:
    """The pairs of each group, by name; nothing where there is one group only."""
    groups: dict[str, list[SharedMoment]] = {}
    for pair in pairs:
        if group := group_of(pair):
            groups.setdefault(group, []).append(pair)
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


def _too_few(shared: int, fewer: int, difference: Mapping[str, Any]) -> list[str]:
    notes = []
    if 2 * shared < fewer:
        notes.append(f"the runs share only {shared:,} of {fewer:,} moments")
    if difference["clusters"] < FEWEST:
        n, clusters = difference["n"], difference["clusters"]
        notes.append(f"both could be tested at only {n:,} of the same moments, in {clusters:,} clusters")
    return notes
