"""What becomes of an answer in its task's tests."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from corpora.causes import Cause, cause_of
from corpora.trials import Trials
from replay.judge import verdict_of
from replay.records import Suggestion, Verdict
from replay.tasks import Filled, Task
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class Judge:
    """Gives verdicts. The oracle is judged on the tests alone and its failures are explained (`explains`).

    Any other answer counts only where the ground truth passes, and where nothing in the gap does not.
    """

    trials: Trials
    explains: bool = False

    async def verdict(self, task: Task, suggestion: Suggestion | None) -> Verdict:
        """The verdict on an answer; what offered nothing is tested as nothing."""
        if not self.explains and (fault := await self._fault(task)):
            return fault
        filled = task.filled(suggestion)
        is_truth = filled.text == task.finished.text
        result = await (self.trials.finished(task) if is_truth else self.trials.of(task, filled))
        verdict = _shown(verdict_of(result), task, filled)
        return _explained(verdict, result, verdict.program, repaired=not is_truth) if self.explains else verdict

    async def _fault(self, task: Task) -> Verdict | None:
        """Why no answer to a task can be judged; None where it can."""
        if not task.truth.strip():
            return Verdict(name="untestable", reason="empty")
        finished = await self.trials.finished(task)
        if finished.klass != "passed":
            return _broken(finished, task)
        nothing = await self.trials.emptied(task)
        if nothing.klass == "passed":
            return Verdict(name="untestable", reason="undetected", message="the tests pass without this part")
        return verdict_of(nothing) if nothing.klass == "infrastructure" else None


def _broken(finished: Result, task: Task) -> Verdict:
    if finished.klass == "infrastructure":
        return verdict_of(finished)
    program = task.tests.program(task.finished)
    reason = "flaky" if finished.klass == "flaky" else "broken-baseline"
    broken = structs.replace(verdict_of(finished), name="untestable", reason=reason, program=program)
    if reason == "flaky":
        return broken
    return _explained(broken, finished, program, repaired=False)


def _explained(verdict: Verdict, result: Result, program: str, *, repaired: bool) -> Verdict:
    cause = cause_of(result, program)
    if cause is not None and repaired and not cause.is_lack:
        cause = Cause("repairs", "changed the ground truth")
    return structs.replace(verdict, cause=str(cause)) if cause else verdict


def _shown(verdict: Verdict, task: Task, filled: Filled) -> Verdict:
    """The verdict with the program, unless it passed."""
    return verdict if verdict.name == "passed" else structs.replace(verdict, program=task.tests.program(filled))
