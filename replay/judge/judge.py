"""The judge: tests a suggestion in the finished project, and says what the tests are worth there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from msgspec import structs

from replay.judge.selected_tests import Selection
from replay.judge.states import Case, Cases, Judgeable, ProjectState
from replay.judge.tested_states import Trials
from replay.records import AdherenceName, Record, Verdict
from runners.verdicts import Result
from syntax.text import offset_of

# The seam "what a suggestion does to instructions of developers": replay knows no catalogue of them.


class Adherence(Protocol):
    """Compares a document with a suggestion in it to the same without it."""

    def __call__(self, language: str, before: str, after: str) -> dict[str, AdherenceName]:
        """What the suggestion does to each instruction, by id.

        `before` is the document with the least in the place of the suggestion that grammar demands, `after` the one with
        the suggestion, `language` its LSP identifier. Instructions that are none of this language are left out.
        """
        ...


UNDETECTED = "the tests pass without this part"
ELSEWHERE = "the tests pass, but nothing is changed where the next edit is"
REPEATED = "the suggestion says again what stood right of the cursor"


@dataclass(slots=True)
class Judge:
    """Gives verdicts. A suggestion counts only where the finished project passes its tests, and where an empty hole fails them."""

    cases: Cases
    trials: Trials
    selection: Selection | None = None
    """Which tests a graft needs; None: all of them."""
    alone: Callable[[Judgeable], Case] | None = None
    """Gives the state that is tested where a moment is untestable, for `Verdict.alone`; None: nothing is tested there."""
    adherence: Adherence | None = None
    """Says what suggestions do to instructions of developers; None where none was chosen."""

    async def verdict(self, asked: Judgeable) -> Verdict:
        """The verdict on what was offered at a moment; what offered nothing is tested as nothing."""
        found = await self._verdict(asked)
        if self.alone is None or found.name != "untestable":
            return found
        case = self.alone(asked)
        result = await self.trials.graft(case.tests, case.graft)
        return structs.replace(found, alone=result.verdict_class)

    async def _verdict(self, asked: Judgeable) -> Verdict:
        case = self.cases.case(asked)
        if isinstance(case, Verdict):
            return case
        found = await self._of_case(asked, case)
        is_edit = asked.moment.next_edit is not None  # several documents, of several languages
        if (
            self.adherence is None
            or case.emptied is None
            or is_edit
            or not (asked.suggestion and asked.suggestion.text)
        ):
            return found
        said = self.adherence(asked.moment.language, case.emptied.text, case.graft.text)
        return structs.replace(found, instructions=said)

    async def _of_case(self, asked: Judgeable, case: Case) -> Verdict:
        """What the tests say."""
        if fault := await self._fault(case):
            return fault
        found = _placed(await self._chosen(asked, case), case)
        if case.fixed is None:
            return found
        return structs.replace(found, fixed=(await self._chosen(asked, case.fixed)).name)

    async def _chosen(self, asked: Judgeable, case: Case) -> Verdict:
        """The verdict by the tests that a graft needs."""
        only = self.selection.tests(case) if self.selection else None
        if self.selection is None or only is None or not await self._stands(case, only):
            return await self._tested(case)
        return await self._by_some(self.selection, asked, case, only)

    async def _by_some(self, selection: Selection, asked: Judgeable, case: Case, only: frozenset[str]) -> Verdict:
        """The verdict by the tests that a graft needs; for a sample by all of them, and whether that is the same."""
        sampled = selection.samples(asked.moment, asked.suggestion.text if asked.suggestion else "")
        found = await self._tested(case, only)
        if not sampled:
            return found
        whole = await self._tested(case)
        selection.compare(found, whole)
        return whole

    async def _fault(self, case: Case) -> Verdict | None:
        """Why no suggestion can be judged here; None where one can."""
        if case.finished is None:
            return None
        finished = await self.trials.finished(case.tests, case.finished)
        if finished.verdict_class == "passed":
            return None
        return case.tests.explained(broken(finished), finished, case.finished)

    async def _tested(self, case: Case, only: frozenset[str] | None = None) -> Verdict:
        """The verdict by all tests, or by some; where these do not notice the hole, or went missing, it is by all."""
        if case.emptied is not None:
            nothing = await self._emptied(case, case.emptied, only)
            if nothing.verdict_class == "passed" and only is not None:
                return await self._tested(case)
            if nothing.verdict_class in {"passed", "infrastructure"}:
                return _undetected(nothing)
        if case.repeats:
            return Verdict(name="repeated", message=REPEATED)
        result = await self._graft(case, only)
        if result.verdict_class == "failed" and only is not None:  # tests went missing, or have other names now
            return await self._tested(case)
        found = case.tests.explained(verdict_of(result), result, case.graft)
        if case.is_elsewhere and found.name == "passed":
            return structs.replace(found, name="elsewhere", message=ELSEWHERE)
        return found

    async def _emptied(self, case: Case, emptied: ProjectState, only: frozenset[str] | None) -> Result:
        tests = case.tests
        if case.finished is not None:
            tests = tests.for_emptied(await self.trials.finished(tests, case.finished))
        return await self.trials.emptied(tests, emptied, only)

    async def _graft(self, case: Case, only: frozenset[str] | None) -> Result:
        if case.graft == case.finished:
            return await self.trials.finished(case.tests, case.graft)
        return await self.trials.graft(case.tests, case.graft, only)

    async def _stands(self, case: Case, only: frozenset[str]) -> bool:
        """Whether some of the tests pass in the finished project without the others."""
        if case.hole is None:
            return False
        unchanged = ProjectState(case.hole.path, case.hole.final)
        return (await self.trials.graft(case.tests, unchanged, only)).verdict_class == "passed"


def _placed(verdict: Verdict, case: Case) -> Verdict:
    """A verdict with the place that the suggestion took."""
    if case.hole is None:
        return verdict
    final, start, end = case.hole.final, case.hole.start, case.hole.end
    return structs.replace(verdict, hole=(offset_of(final, start), offset_of(final, end)), part=case.part)


def broken(finished: Result) -> Verdict:
    """Why nothing can be tested in a project whose own tests do not pass, going by the finished project."""
    if finished.verdict_class == "infrastructure":
        return verdict_of(finished)
    reason = "flaky" if finished.verdict_class == "flaky" else "broken-baseline"
    return structs.replace(verdict_of(finished), name="untestable", reason=reason)


def _undetected(nothing: Result) -> Verdict:
    if nothing.verdict_class == "infrastructure":
        return verdict_of(nothing)
    return Verdict(name="untestable", reason="undetected", message=UNDETECTED, wall_ms=nothing.wall_ms)


def verdict_of(result: Result) -> Verdict:
    """A test result as a verdict."""
    return Verdict(
        name=result.verdict_class,
        message=result.message,
        passed=result.passed,
        failed=result.failed,
        log=result.log,
        wall_ms=result.wall_ms,
    )


def infrastructure_failures(records: Iterable[Record]) -> list[dict[str, str]]:
    """The verdicts that the machine failed to give, as `warnings` of a summary has them: by tape and reason, with their number."""
    verdicts = ((record.moment.tape, record.verdict) for record in records)
    found = Counter(
        (tape, verdict.message) for tape, verdict in verdicts if verdict and verdict.name == "infrastructure"
    )
    return [
        {"tape": tape, "fault": "infrastructure", "reason": f"{message} (moments: {number})"}
        for (tape, message), number in found.most_common()
    ]
