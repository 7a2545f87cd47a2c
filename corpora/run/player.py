"""Asks the tasks of a corpus one by one: each document is opened, asked about, and closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora.tasks import Task
from replay.play.assistant import Steps
from replay.play.flights import suggestion_of
from replay.play.instructions import Answer, Ask, DidClose, DidOpen, MomentEnded, Spot
from replay.records import Ending


@dataclass(slots=True)
class TaskPlayer:
    """Asks for answer number `sample` (from 0) to each of some tasks."""

    tasks: Sequence[Task]
    sample: int = 0
    reached: int = 0
    now: float = 0.0
    effort: None = None
    unit: str = "task"
    duration: float = 0.0
    as_recorded: bool = False

    @property
    def size(self) -> int:
        """How many tasks there are; `reached` of them are asked."""
        return len(self.tasks)

    @property
    def planned(self) -> int:
        """Each task has one moment."""
        return self.size

    def play(self) -> Steps:
        """Ask all."""
        for number, task in enumerate(self.tasks):
            self.reached = number
            yield from self._one(task)
        self.reached = self.size

    def _one(self, task: Task) -> Steps:
        moment = task.moment(self.sample)
        spot = Spot(moment, task.before, task.after)
        ask = Ask(moment, task.before, task.after, spot, evidence=tuple(each.path for each in task.evidence))
        for each in task.evidence:
            yield DidOpen(each.path, task.language, each.text)
        yield DidOpen(task.path, task.language, task.before + task.after)
        answer = yield ask
        assert isinstance(answer, Answer)
        for path in (task.path, *ask.evidence):
            yield DidClose(path)
        suggestion = None if answer.failed else suggestion_of(answer, ask, answer.measured)
        yield MomentEnded(moment, task.before, task.after, _ending(answer), suggestion, spot=spot)


def _ending(answer: Answer) -> Ending:
    """How a moment ends in an editor that shows what it gets; nobody accepts or rejects it."""
    if answer.failed:
        return Ending("failed", answer.failed)
    if answer.filtered:
        return Ending("filtered", answer.filtered)
    return Ending("shown" if answer.text else "empty")
