"""The run: first solutions, tasks, answers in both settings, whether they follow, and whether they still pass the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from corpora.codealign.benchmark.instruction_sampling import AlignmentTask, balanced_tasks
from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.benchmark.soundness import TIMEOUT_S, told_failure
from corpora.codealign.benchmark.task_prompts import (
    SETTINGS,
    InstructionSetting,
    first_messages,
    judge_rubric,
    program_in,
    task_messages,
)
from corpora.codealign.instruction import DeveloperInstruction
from runners.programs import Programs
from server.chat import Chat
from server.errors import ProviderError, ProviderMissing
from server.judging import TextJudge

Following: TypeAlias = Literal["followed", "not followed", "no program", "unparsable judgement", "not verified"]
"""`no program`: the answer holds none that parses. `unparsable judgement`: the judge gave no score. `not verified`: the provider failed."""
UNVERIFIED = frozenset({"unparsable judgement", "not verified"})
"""What says nothing about the answer."""


class AlignmentOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task in one setting; a line of `tasks.jsonl`."""

    problem: str
    language: str
    setting: InstructionSetting
    instruction: str
    type: str
    group: str
    by: Literal["rule", "judge"]
    ask: str
    initial: str
    request: str = ""
    """What the model was asked, without the instruction."""
    initial_by_model: bool = False
    """Whether the model wrote the first solution; else it is the problem's reference."""
    has_tests: bool = False
    """Whether the problem has tests."""
    initial_tests: str = ""
    """What the tests say of the first solution, as `tests`."""
    answer: str = ""
    program: str | None = None
    following: Following = "not verified"
    why_unverified: str = ""
    """Why nobody knows whether it follows: what failed at the model or at the judge."""
    tests: str = ""
    """The class of the tests' verdict: `passed`, a failure, `infrastructure`; "" where there was nothing to test."""
    message: str = ""
    """What the tests said."""

    @property
    def is_tested(self) -> bool:
        """Whether the tests say something about the program."""
        return self.tests not in {"", "infrastructure"}

    @property
    def breaks(self) -> bool:
        """Whether the program fails the tests that the first solution passes."""
        return self.is_tested and self.tests != "passed" and self.initial_tests == "passed"


@dataclass(frozen=True, slots=True)
class AlignmentRun:
    """Who answers, what runs the tests, and who judges what rules cannot verify (None: such instructions are not drawn)."""

    chat: Chat
    programs: Programs
    judge: Chat | None = None
    each: int = 1
    """The instructions of each type at a problem."""
    seed: int = 0
    settings: Sequence[InstructionSetting] = SETTINGS
    asks_first: bool = False
    """Whether the model writes the first solutions too; else the references are taken."""
    places: int = 1
    """How many tasks are under way at once."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The problems without a first solution of the model's, and why, by name; `outcomes` writes it."""
    unanswered: set[str] = field(default_factory=set)
    """Those of `left_out` at which the provider failed."""

    async def outcomes(
        self,
        problems: Sequence[StandaloneProblem],
        chosen: Sequence[DeveloperInstruction],
        notify: Callable[[AlignmentOutcome], None] = lambda _: None,
    ) -> list[AlignmentOutcome]:
        """Run all tasks of sound problems (`sound_problems`); `notify` gets each outcome as it comes. The result is in the order of problems, tasks and settings.

        Raises:
            ProviderMissing: what a provider needs is not there.
            RunnerError: no program can be run here.

        """
        usable = [one for one in chosen if one.by_rule or self.judge is not None]
        free = asyncio.Semaphore(self.places)

        async def one(task: AlignmentTask, setting: InstructionSetting) -> AlignmentOutcome:
            async with free:
                outcome = await self._outcome(task, setting)
            notify(outcome)
            return outcome

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [task for problem in problems for task in await self._tasks(problem, usable)]
                asked = [group.create_task(one(task, setting)) for task in tasks for setting in self.settings]
        except BaseExceptionGroup as errors:
            raise told_failure(errors) from None
        return [done.result() for done in asked]

    async def _tasks(
        self, problem: StandaloneProblem, chosen: Sequence[DeveloperInstruction]
    ) -> Sequence[AlignmentTask]:
        """The tasks of a problem; none where the model's first answer holds no program, or failed (`left_out`)."""
        initial = await self._first_solution(problem) if self.asks_first else problem.reference
        if not initial:
            return ()
        tests = "passed" if problem.is_tested else ""  # of a reference: `sound_problems` has seen it
        if self.asks_first and problem.is_tested:
            tests = (await self.programs.run(problem.program(initial), timeout_s=TIMEOUT_S)).verdict_class
        drawn = balanced_tasks(problem, initial, chosen, each=self.each, seed=self.seed)
        return tuple(replace(task, initial_tests=tests) for task in drawn)

    async def _first_solution(self, problem: StandaloneProblem) -> str | None:
        """The program of the model's first answer; None if there is none, and `left_out` says why."""
        try:
            answer = await self.chat.answer(first_messages(problem.request))
        except ProviderMissing:
            raise
        except ProviderError as error:
            self.unanswered.add(problem.name)
            self.left_out[problem.name] = f"the model gave no first solution: {error}"
            return None
        program = program_in(answer, problem.language)
        if program is None:
            self.left_out[problem.name] = "the model's first answer holds no program"
        return program

    async def _outcome(self, task: AlignmentTask, setting: InstructionSetting) -> AlignmentOutcome:
        given = AlignmentOutcome(
            problem=task.problem.name,
            language=task.problem.language,
            setting=setting,
            instruction=task.instruction.id,
            type=task.instruction.type,
            group=task.instruction.group,
            by="rule" if task.instruction.by_rule else "judge",
            ask=task.ask,
            initial=task.initial,
            request=task.problem.request,
            initial_by_model=self.asks_first,
            has_tests=task.problem.is_tested,
            initial_tests=task.initial_tests,
        )
        try:
            answer = await self.chat.answer(task_messages(task, setting))
        except ProviderMissing:
            raise
        except ProviderError as error:
            return msgspec.structs.replace(given, why_unverified=f"the model gave no answer: {error}")
        return await self._verified(msgspec.structs.replace(given, answer=answer), task)

    async def _verified(self, given: AlignmentOutcome, task: AlignmentTask) -> AlignmentOutcome:
        program = program_in(given.answer, given.language)
        if program is None:
            return msgspec.structs.replace(given, following="no program")
        following, why = await self._following(given, task, program)
        found = msgspec.structs.replace(given, program=program, following=following, why_unverified=why)
        if not task.problem.is_tested:
            return found
        result = await self.programs.run(task.problem.program(program), timeout_s=TIMEOUT_S)
        return msgspec.structs.replace(found, tests=result.verdict_class, message=result.message)

    async def _following(self, given: AlignmentOutcome, task: AlignmentTask, program: str) -> tuple[Following, str]:
        """Whether a program follows, and why that is not known; the first solution is known in the setting `follow-up` only, as in the paper."""
        before = task.initial if given.setting == "follow-up" else None
        if task.instruction.by_rule:
            follows = task.instruction.verify(program, given.language, before)
            return "followed" if follows else "not followed", ""
        assert self.judge is not None  # instructions that need one are not drawn without
        parts = {"Program": program} if before is None else {"Program before": before, "Program": program}
        try:
            judgement = await TextJudge(self.judge, judge_rubric(task.instruction), seed=self.seed).judge(parts)
        except ProviderMissing:
            raise
        except ProviderError as error:
            return "not verified", f"the judge gave no answer: {error}"
        if judgement.score is None:
            return "unparsable judgement", "the judge's answer is no score"
        return "followed" if judgement.score else "not followed", ""
