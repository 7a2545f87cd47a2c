"""A corpus as a source of moments: its tasks, asked one by one and judged by their own tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

from msgspec import structs

from corpora.corpus import Corpus, ShowsEvidence, chosen, corpus_of
from corpora.errors import CorpusError
from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.mined.repository_tests import RepositoryBench, RepositoryTests
from corpora.required_packages import PackagedPrograms
from corpora.run.scores import NO_ERRORS, cells_excluded, summary
from corpora.run.task_cases import TaskCases
from corpora.tasks import Task
from replay.judge.judge import Judge
from replay.judge.kept_results import KeptResults
from replay.judge.shared_results import ResultsInScope, SharedResults
from replay.judge.tape_cases import NO_WITNESS, TestWarning, damage_warnings
from replay.judge.tested_states import Trials
from replay.play.assistant import Steps
from replay.play.flights import suggestion_of
from replay.play.player_instructions import Answer, Ask, DidClose, DidOpen, MomentEnded, Spot
from replay.records import Ending
from replay.run.findings import Findings
from replay.run.sources.seam import Subject, TestContext
from runners.errors import MachineFails, RunnerError, SandboxFailed, ToolchainMissing
from runners.programs import Program, Programs, cold
from runners.protocol import Sandbox
from runners.verdicts import RetryPolicy


@dataclass(slots=True)
class CorpusSource:
    """The tasks of a corpus that the options choose. Once it is open, `tasks` are those that can be asked here."""

    options: EvaluateOptions
    corpus: Corpus
    tasks: list[Task] = field(default_factory=list)
    excluded: list[tuple[Task, str]] = field(default_factory=list)
    """Those that cannot, and why."""
    is_timed: bool = False

    @classmethod
    def of(cls, options: EvaluateOptions) -> CorpusSource:
        """The source of the corpus that the options name, with its languages and categories in its own words."""
        corpus = corpus_of(
            options.corpus,
            Path(options.data),
            allowed={"network": options.network_setup, "variables": options.setup_env},
            **{name: getattr(options, name) for name in options.__struct_fields__},
        )
        languages, categories = chosen(corpus, options.languages, options.categories)
        return cls(structs.replace(options, languages=languages, categories=categories), corpus)

    @property
    def name(self) -> str:
        """The corpus' name."""
        return self.corpus.name

    @property
    def origin(self) -> str:
        """The folder of its data."""
        return self.options.data

    @property
    def digest(self) -> str:
        """A hash of the documents, ground truths and tests of all chosen tasks, and of the published answers that are judged."""
        hashed = hashlib.sha256()
        for task in self._chosen():
            tested = task.finished if task.is_literal else task.filled(None)  # what scores an answer counts too
            known = (task.name, task.before, task.after, task.truth, task.stop, task.tests.key(tested))
            hashed.update("\0".join(known).encode("utf-8", "surrogatepass"))
        if self.options.published:
            answers = self.corpus.published(self.options.published, self._chosen())
            hashed.update(repr(sorted(answers.items())).encode("utf-8", "surrogatepass"))
        return hashed.hexdigest()[:32]

    @property
    def size(self) -> int:
        """How many tasks are chosen, before the limit."""
        return len(self._chosen())

    def check(self) -> None:
        """Read the data, and the published answers if they are wanted."""
        tasks, options = self._chosen(), self.options
        if options.published:
            known = self.corpus.published(options.published, tasks)
            most = max(map(len, known.values()), default=0)
            if 0 < most < options.samples:
                raise CorpusError(
                    f"{options.published}: at most {most} answers to a task were published: --samples {most} or fewer"
                )

    def chosen_tasks(self) -> Sequence[Task]:
        """The tasks that the options choose, before the limit."""
        return self._chosen()

    def _chosen(self) -> Sequence[Task]:
        options = self.options
        return self.corpus.tasks(
            options.languages, options.categories, packages=options.packages, programs=options.program_form
        )

    async def open(self, context: TestContext, stack: AsyncExitStack) -> Subject:
        """Draw the tasks and make the toolchains of their languages ready; tasks in a language without one are left out.

        What is drawn depends on the corpus and the options alone, and so is the same on every machine.
        """
        options = self.options
        found = drawn(self._chosen(), options.limit, options.seed)
        self.tasks, judge, warnings = [task for task in found if self._is_named(task)], None, list[TestWarning]()
        if isinstance(self.corpus, ShowsEvidence):
            self.tasks = await self.corpus.with_evidence(self.tasks)
        if context.sandbox is not None:
            programs = PackagedPrograms(await self._programs(context), context.notify)
            stack.push_async_callback(programs.close)
            kept = None if options.is_oracle else KeptResults(context.cache)
            shared = ResultsInScope(context.shared, self._scope(context.sandbox)) if context.shared else None
            trials = Trials(context.slots, kept, shared, notify=context.tested)
            stack.push_async_callback(trials.close)
            ready = Readiness(
                context.sandbox,
                programs,
                trials.retries,
                context.notify,
                cache=context.cache,
                shared=context.shared,
                workers=context.places,
            )
            stack.push_async_callback(ready.close)
            await self._exclude(ready, context)
            warnings = ready.warnings
            is_oracle, missing = options.is_oracle, programs.missing
            cases = TaskCases.of(self.tasks, programs, ready.machines, explains=is_oracle, missing=missing, kept=kept)
            judge = Judge(
                cases, trials, alone=cases.alone if options.tests_all_tasks else None, adherence=context.adherence
            )
        asked, answer = self._answers()
        player = lambda sample: TaskPlayer(asked(sample), sample)  # noqa: E731
        return Subject(player, lambda ended: ended.moment, judge, answer, warnings=warnings)

    def _scope(self, sandbox: Sandbox) -> str:
        """What results depend on beside what each task's tests say themselves."""
        options = self.options
        how = (
            sandbox.name,
            options.workers,
            options.packages,
            options.program_form,
            options.scoring,
            options.is_oracle,
        )
        return repr((self.name, *how))

    def _is_named(self, task: Task) -> bool:
        """Whether a moment of the task is among those that are asked for by name."""
        named, samples = self.options.moments, range(self.options.samples)
        return not named or any(task.moment(sample).id in named for sample in samples)

    async def _programs(self, context: TestContext) -> Programs:
        assert context.sandbox is not None
        if self.options.workers == "cold":
            return await cold(context.sandbox, context.cache, context.notify)
        from runners.warm import warm

        return await warm(context.sandbox, context.cache, context.notify, workers=context.places)

    def _answers(self) -> tuple[Callable[[int], list[Task]], Callable[[Ask], str | None] | None]:
        """Which tasks are asked for a sample, and the answers that are known: all have the ground truth, some a published answer."""
        tasks, options = {task.path: task for task in self.tasks}, self.options
        if options.published:
            known = self.corpus.published(options.published, self.tasks)
            asked = lambda sample: [task for task in self.tasks if len(known.get(task.name, ())) > sample]  # noqa: E731
            return asked, lambda ask: known[tasks[ask.moment.path].name][ask.moment.sample]
        truth = lambda ask: tasks[ask.moment.path].truth  # noqa: E731
        return lambda _: self.tasks, truth if options.is_oracle else None

    async def _exclude(self, ready: Readiness, context: TestContext) -> None:
        """Keep the tasks whose programs run here, and say why the others do not."""
        self.excluded = [(task, task.lacks) for task in self.tasks if task.lacks]
        for place, reason in dict.fromkeys((task.place, reason) for task, reason in self.excluded):
            context.leave_out(f"{self.name} {place}", reason, True)
        tasks, self.tasks = [task for task in self.tasks if not task.lacks], []
        for place in dict.fromkeys(task.place for task in tasks):
            own = [task for task in tasks if task.place == place]
            try:
                await ready.prepare(own[0])
                self.tasks += own
            except MachineFails:
                raise
            except RunnerError as error:
                self.excluded += [(task, str(error)) for task in own]
                context.leave_out(f"{self.name} {place}", str(error), isinstance(error, ToolchainMissing))

    def summarise(self, options: EvaluateOptions, found: Findings) -> dict[str, Any]:
        """What the evaluation comes to, as one JSON document."""
        errors = self.corpus.errors(options.published, self.tasks) if options.published else NO_ERRORS
        return summary(options, self.tasks, found.records, errors) | {"apart": cells_excluded(self.excluded)}


# Asks the tasks of a corpus one by one: each document is opened, asked about, and closed.


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


# Whether the programs of a language run here: a small program of each says what runs it, and so shows that
# its toolchain works.

VERSIONS: Mapping[str, str] = MappingProxyType(
    {
        "python": "import sys\nprint(sys.version)",
        "javascript": "console.log(process.version)",
        "typescript": "console.log(process.version)",
        "java": "public class Main { public static void main(String[] a) { System.out.println(Runtime.version()); } }",
        "cpp": "#include <iostream>\nint main() { std::cout << __VERSION__; }",
        "csharp": "System.Console.WriteLine(System.Environment.Version);",
    }
)
"""A program for each language that prints the version of what runs it."""
_START_S = 120.0


class BenchOfKeptProcesses(Protocol):
    """A repository whose tests run in processes that are kept."""

    @property
    def repository(self) -> RepositoryBench:
        """Where it is laid out."""
        ...

    async def hold(self, notify: Callable[[str], None], workers: int) -> None:
        """Start so many processes."""
        ...

    async def close(self) -> None:
        """End them."""
        ...


@runtime_checkable
class TestsInKeptProcesses(Protocol):
    """Some tests of such a repository."""

    @property
    def bench(self) -> BenchOfKeptProcesses:
        """The repository."""
        ...


@dataclass(slots=True)
class Readiness:
    """Makes toolchains and repositories ready. `machines` says of each ready language what runs it."""

    sandbox: Sandbox
    programs: Programs
    retries: RetryPolicy
    notify: Callable[[str], None]
    machines: dict[str, str] = field(default_factory=dict)

    cache: Path = field(default_factory=Path)
    """Where toolchains are kept between runs."""
    shared: SharedResults | None = None
    """Results of tests that this run shares with others."""
    workers: int = 1
    """How many tests of a block run at once."""
    _benches: list[RepositoryBench] = field(default_factory=list)
    _kept: list[BenchOfKeptProcesses] = field(default_factory=list)

    async def prepare(self, task: Task) -> None:
        """Make ready what runs tasks like this one: the toolchain of its language, without packages, or its repository.

        Raises:
            RunnerError: the toolchain is missing, or does not work in this sandbox; or the machine failed.
            LeftOutError: the tests of the repository do not pass without any change.

        """
        tests = task.tests
        if isinstance(tests, RepositoryTests):
            self.machines[task.place] = await self._opened(tests.bench)
        elif isinstance(tests, TestsInKeptProcesses):
            self.machines[task.place] = await self._opened(tests.bench.repository)
            self._kept.append(tests.bench)
            await tests.bench.hold(self.notify, self.workers)
        else:
            self.machines[task.place] = await self._version(task.language)

    async def _opened(self, bench: RepositoryBench) -> str:
        self._benches.append(bench)
        return await bench.open(self.sandbox, self.cache, self.retries, self.notify, self.shared)

    @property
    def warnings(self) -> list[TestWarning]:
        """Why the tests of a repository cannot be trusted."""
        forgeable = any(bench.is_forgeable for bench in self._benches)
        damaged = damage_warnings(bench.damage for bench in self._benches)
        return [*([TestWarning("no witness", NO_WITNESS)] if forgeable else []), *damaged]

    async def close(self) -> None:
        """Remove the repositories that were laid out."""
        for kept in self._kept:
            await kept.close()
        for bench in self._benches:
            bench.close()

    async def _version(self, language: str) -> str:
        self.notify(f"{language}: the toolchain gets ready")
        program = Program(language, VERSIONS.get(language, ""))
        result = await self.retries.result(lambda: self.programs.run(program, timeout_s=_START_S), _START_S)
        if result.verdict_class == "infrastructure":
            raise SandboxFailed(f"{language}: {result.message}")
        if result.verdict_class != "passed":
            raise ToolchainMissing(
                f"programs in {language} do not run in the sandbox {self.sandbox.name}: {result.message}"
            )
        return f"{self.sandbox.name} {result.log}"
