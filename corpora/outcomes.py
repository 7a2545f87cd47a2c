"""What became of a task, and the shares of tasks that pass: over those whose tests mean something, and over all as they are published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from corpora.causes import LACKING, kind_of
from corpora.tasks import Task
from replay.numbers.clusters import cluster_of
from replay.numbers.intervals import FigureDocument, clustered_share
from replay.numbers.metrics import UNJUDGED
from replay.numbers.passing import passing as mean_pass_at_k
from replay.numbers.passing import published_pass_at_k
from replay.numbers.similarity import Likeness, likeness
from replay.options import ClusterBy
from replay.records import Moment, Verdict


@dataclass(frozen=True)
class TaskOutcome:
    """A task with the verdicts on its samples; a sample that was not judged has none."""

    task: Task
    samples: tuple[tuple[int, Verdict], ...]
    answers: tuple[str, ...] = ()
    """What was offered, by sample; empty where nothing was. Requests that failed have none."""
    error: str = ""
    """What was published instead of answers."""

    @cached_property
    def likeness(self) -> Likeness | None:
        """How alike the answers and the ground truth are. An error that was published counts as an answer, as in the published scores."""
        answers = self.answers or (self.error,) * bool(self.error)
        return likeness(answers, self.task.truth) if answers else None

    @cached_property
    def moment(self) -> Moment:
        """The moment of its first sample: the cluster of all is that of it."""
        return self.task.moment()

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts, in the order of the samples."""
        return [verdict for _, verdict in self.samples]

    @property
    def is_testable(self) -> bool:
        """Whether the task is testable: only then does a verdict on an answer count."""
        return any(verdict.name not in UNJUDGED for verdict in self.verdicts)

    @property
    def counts(self) -> tuple[int, int]:
        """The number of samples that count, and how many of those passed."""
        names = [verdict.name for verdict in self.verdicts if verdict.name not in UNJUDGED]
        return len(names), names.count("passed")

    @property
    def published_counts(self) -> tuple[int, int]:
        """The same as a benchmark counts that asks nothing of its tasks: also answers to untestable tasks, by their tests alone.

        What came in place of answers is one answer that does not pass (`completion_data.get(model_name)` in DevBench's script: it runs
        the text of the error). A request that failed is no answer, and what the machine kept from being tested does not count.
        """
        names = [verdict.alone if verdict.name == "untestable" else verdict.name for verdict in self.verdicts]
        known = [name for name in names if name not in {None, "infrastructure"}]
        return len(known) + (bool(self.error) and not names), known.count("passed")

    @property
    def lacks(self) -> bool:
        """Whether the task fails because something is missing on this machine: a network, a service, a library, a tool."""
        causes = [verdict.cause for verdict in self.verdicts if verdict.name != "passed"]
        return any(kind_of(cause).kind in LACKING for cause in causes)


def passing(outcomes: Iterable[TaskOutcome], k: int, by: ClusterBy = "program") -> FigureDocument:
    """The mean of pass@k over the testable tasks with at least k samples (`replay.numbers.passing`)."""
    counts = ((cluster_of_task(outcome, by), *outcome.counts) for outcome in outcomes if outcome.is_testable)
    return mean_pass_at_k(counts, k)


def published_passing(outcomes: Iterable[TaskOutcome], k: int, by: ClusterBy = "program") -> FigureDocument:
    """The mean of pass@k over all tasks that have an answer, as DevBench's script has it (`execute_benchmark.py`, `pass_at_k_cases`).

    An answer that passes counts, whether or not the tests notice an empty gap, and whether or not the ground truth passes. `n` is the
    number of tasks. Example: of two tasks one is testable and fails, the tests of the other pass with anything: 0.5, and 0 of testable ones.
    """
    counts = ((cluster_of_task(outcome, by), *outcome.published_counts) for outcome in outcomes)
    return clustered_share((cluster, published_pass_at_k(n, c, k)) for cluster, n, c in counts if n)


def share_testable(outcomes: Iterable[TaskOutcome], by: ClusterBy = "program") -> FigureDocument:
    """The share of testable tasks among those that were judged. Failures of the infrastructure count nowhere."""
    judged = [one for one in outcomes if any(verdict.name != "infrastructure" for verdict in one.verdicts)]
    return clustered_share((cluster_of_task(one, by), float(one.is_testable)) for one in judged)


def cluster_of_task(outcome: TaskOutcome, by: ClusterBy) -> str:
    """The cluster of a task with all its samples."""
    return cluster_of(outcome.moment, by)
