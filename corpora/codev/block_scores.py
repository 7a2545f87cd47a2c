"""The figures of Codev-Bench: by what a model sees of the file and by type of block, pass@1, both edit similarities, lines, latency and errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from corpora.codev.answer_errors import ANSWER_ERRORS, answer_errors
from corpora.codev.closeness import published_lines, published_similarity, token_similarity
from corpora.codev.extra_rules import EXTRA_RULES, ExtraRule
from corpora.evaluation_options import EvaluateOptions
from corpora.outcomes import TaskOutcome, passing
from corpora.tasks import Task
from replay.numbers.clusters import cluster_of
from replay.numbers.intervals import clustered_mean, clustered_share
from replay.numbers.metrics import UNJUDGED, latency_ms
from replay.options import ClusterBy
from replay.records import Record

ALL = "all"


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer to a task; a request that failed is none."""

    task: Task
    record: Record

    @property
    def text(self) -> str:
        return self.record.suggestion.text if self.record.suggestion else ""

    def passes_with(self, rules: Sequence[ExtraRule]) -> bool:
        """Whether it passed, and keeps the rules."""
        verdict = self.record.verdict
        is_passed = verdict is not None and verdict.name == "passed"
        return is_passed and all(EXTRA_RULES[rule](self.text, self.task.block_head) for rule in rules)

    @property
    def failure(self) -> str:
        """The class of its verdict; empty where it passed, or was not judged."""
        verdict = self.record.verdict
        return verdict.name if verdict is not None and verdict.name not in {"passed", *UNJUDGED} else ""


def summary_of_blocks(
    tasks: Sequence[Task], records: Sequence[Record], outcomes: Sequence[TaskOutcome], options: EvaluateOptions
) -> dict[str, Any]:
    """What the summary of an evaluation of blocks has beside the figures of every corpus."""
    return {"blocks": block_figures(tasks, records, outcomes, options.cluster_by, options.extra_rules)}


def block_figures(
    tasks: Sequence[Task],
    records: Sequence[Record],
    outcomes: Sequence[TaskOutcome],
    by: ClusterBy,
    rules: Sequence[ExtraRule] = (),
) -> list[dict[str, Any]]:
    """A row for each sub-case of the scenario (`scenario`) and type of block (`type`), and for all types and sub-cases.

    `pass_at_1` is over testable tasks. With extra `rules` of the published script, `by_rules` is the same share where a pass must keep all of them too. `similarity` is over all answers: `published` as the published script has it, `paper` as the paper says
    (`corpora.codev.closeness`). `lines` are means over the answers: `published` as the script counts them, `answers` without blank ones, `truths` likewise of the truths.
    `latency_ms` has the mean, which the script prints (in s), and quantiles. `errors` counts the answers that failed, by error, with the share of them that have it; one answer may have several.
    """
    of_moment = {
        task.moment(sample).id: task for task in tasks for sample in {record.moment.sample for record in records}
    }
    answers = [
        _Answer(of_moment[record.moment.id], record)
        for record in records
        if record.moment.id in of_moment and record.ending.name != "failed"
    ]
    return [
        {"scenario": group.scenario, "type": group.type}
        | _row(
            [one for one in answers if group.holds(one.task)], [one for one in outcomes if group.holds(one.task)], by
        )
        | _by_rules(rules, [one for one in answers if group.holds(one.task)], by)
        for group in _groups(tasks)
    ]


@dataclass(frozen=True, slots=True)
class _Group:
    """Some tasks: those of a sub-case, or of all; of a type of block, or of all."""

    scenario: str
    type: str

    def holds(self, task: Task) -> bool:
        return self.scenario in {task.scenario, ALL} and self.type in {task.category, ALL}


def _groups(tasks: Sequence[Task]) -> Iterator[_Group]:
    """The sub-cases and types that there are; where there are several sub-cases, all of them last."""
    kinds = list(dict.fromkeys(task.scenario for task in tasks))
    for kind in (*kinds, *([ALL] if len(kinds) > 1 else [])):
        types = dict.fromkeys(task.category for task in tasks if kind in {task.scenario, ALL})
        yield from (_Group(kind, type_) for type_ in (*types, ALL))


def _row(answers: Sequence[_Answer], outcomes: Sequence[TaskOutcome], by: ClusterBy) -> dict[str, Any]:
    counting = [outcome for outcome in outcomes if outcome.is_testable]
    return {
        "tasks": len(outcomes),
        "testable": len(counting),
        "passed": sum(outcome.counts[1] > 0 for outcome in counting),
        "pass_at_1": passing(counting, 1, by),
        "similarity": {
            "published": clustered_share(_each(answers, by, published_similarity)),
            "paper": clustered_share(_each(answers, by, token_similarity)),
        },
        "lines": {
            "published": clustered_mean(_each(answers, by, lambda answer, _: published_lines(answer))),
            "answers": clustered_mean(_each(answers, by, lambda answer, _: _written(answer))),
            "truths": clustered_mean(_each(answers, by, lambda _, truth: _written(truth))),
        },
        "latency_ms": _latency(answers, by),
        "errors": _errors(answers, by),
    }


def _by_rules(rules: Sequence[ExtraRule], answers: Sequence[_Answer], by: ClusterBy) -> dict[str, Any]:
    """The share of testable tasks that pass and keep the rules, the mean over the answers of each; nothing without rules."""
    if not rules:
        return {}
    of_task: dict[str, list[_Answer]] = defaultdict(list)
    for one in answers:
        if one.record.verdict is not None and one.record.verdict.name not in UNJUDGED:
            of_task[one.task.name].append(one)
    kept = ((some[0], fmean(one.passes_with(rules) for one in some)) for some in of_task.values())
    return {"by_rules": clustered_share((cluster_of(one.record.moment, by), share) for one, share in kept)}


def _each(answers: Sequence[_Answer], by: ClusterBy, value: Callable[[str, str], float]) -> Iterator[tuple[str, float]]:
    """The cluster of each answer, with what is said of it and its truth."""
    return ((cluster_of(one.record.moment, by), value(one.text, one.task.truth)) for one in answers)


def _written(text: str) -> int:
    """The lines that are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


def _latency(answers: Sequence[_Answer], by: ClusterBy) -> dict[str, Any]:
    known = [
        (cluster_of(one.record.moment, by), one.record.suggestion.latency) for one in answers if one.record.suggestion
    ]
    return {"mean": clustered_mean(known), **latency_ms((one.record for one in answers), by)}


def _errors(answers: Sequence[_Answer], by: ClusterBy) -> dict[str, Any]:
    """How many answers failed, and of those, how many have each error and the share that is."""
    failed = [(one, answer_errors(one.task, one.text, one.failure)) for one in answers if one.failure]
    found = {error: [error in own for _, own in failed] for error in ANSWER_ERRORS}
    clusters = [cluster_of(one.record.moment, by) for one, _ in failed]
    return {
        "failed": len(failed),
        "by": {
            error: {"answers": sum(has), "share": clustered_share(zip(clusters, map(float, has), strict=True))}
            for error, has in found.items()
            if any(has)
        },
    }
