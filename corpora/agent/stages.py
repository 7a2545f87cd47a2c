"""The stages of the agent for one repository: environment, chains, samples. Each keeps what it found, has a log, and needs only those before it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import structs

from corpora.agent.block_sampling import PartTester, SampleChoice, SampleDrawer, TriedPart
from corpora.agent.chains import RecordedChains, fused
from corpora.agent.work import StageFolder
from corpora.codev.samples import CodevRepository, CodevSample
from corpora.errors import DataError
from corpora.history.advice import ModelAdvice
from corpora.history.environments import Said, limit_s
from corpora.mined.checkout import Checkout
from corpora.mining.source_repository import licence_of
from replay.importers.building.project_tests import tests_of_plan
from replay.judge.baselines import FinishedProject, finished_project
from replay.judge.tape_project import AllowedTests
from replay.tapes.tape import Tests
from runners.coverage.call_chains import record_calls
from runners.environments import WITHIN_S, Candidate, KeptTrials, NotTestable, WayTester, WorkingWay
from runners.project import Project
from runners.protocol import Job, Sandbox
from runners.toolchains import language_of
from runners.verdicts import RetryPolicy
from runners.warm.warm_projects import WarmTests

# The stage `environment`: the first way, of those that the files of a repository show, or else of those
# that a model proposes, in which its tests pass in the sandbox.

STAGE = "environment"


class FoundEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """How a repository is set up and tested, and how that was found out."""

    tests: Tests
    by: str
    """`rules`, or what proposed it."""
    said: tuple[str, ...] = ()
    """What is taken for granted, for a person."""


class EnvironmentLock(msgspec.Struct, frozen=True, kw_only=True):
    """What the stage ends with: commands, versions, and the tests that pass twice."""

    tests: Tests
    by: str
    versions: tuple[str, ...]
    """What is installed, as `NAME==VERSION`; of Python and node their own version comes first."""
    passing: tuple[str, ...]
    """The tests that passed in both runs, by the names of their runner; none where it does not name them."""
    passed: int | None
    """How many they are; None where nobody counts them."""


_NODE = "node -p \"'node==' + process.versions.node\"; npm ls --all --parseable --long 2>/dev/null | sed -n 's/.*:\\(.*\\)@\\([^@]*\\)$/\\1==\\2/p' | sort -u"
_VERSIONS = {
    "python": "python -c \"import sys, importlib.metadata as m; print('python==%d.%d.%d' % sys.version_info[:3]); "
    "print(*sorted({d.name.lower() + '==' + d.version for d in m.distributions()}), sep='\\n')\"",
    "node": _NODE,
    "typescript": _NODE,
}


async def versions_in(project: Project) -> tuple[str, ...]:
    """What is installed where a project's tests run, asked in the sandbox; nothing for languages other than Python, JavaScript and TypeScript."""
    command = _VERSIONS.get(language_of(project.plan.toolchain), "")
    if not command:
        return ()
    layer, base = project.layer, project.workspace.folder / "base"
    done = await project.sandbox.run(Job(base, command, project.plan.cwd, layer.env, layer.mounts))
    own = ("ghosttape_witness==", "ghosttape-witness==")
    return tuple(line for line in done.stdout.split() if "==" in line and not line.startswith(own))


@dataclass(frozen=True, slots=True)
class EnvironmentFinder:
    """Finds out how a repository is tested: by rules, and where these end as a model proposes."""

    checkout: Checkout
    sandbox: Sandbox
    cache: Path
    folder: StageFolder
    notify: Callable[[str], None]
    advice: ModelAdvice | None = None
    timeout_s: float | None = None
    """How long a run of the tests may take, where a person says it; else what each way says."""
    said: Said = field(default_factory=Said)
    """What a person allows, and what is installed besides."""

    async def found(self) -> FoundEnvironment:
        """The first way in which the tests pass; ways that failed before are not tried again.

        Raises:
            NotTestable: no way was found; says what to do.
            RunnerError: the machine failed.
            ProviderError: the model cannot be asked.

        """
        files = self.checkout.files
        try:
            return self._found(await self._working(self.said.candidates(files)), "rules")
        except NotTestable as error:
            advised = await self.advice.found(files, error, self._as_said) if self.advice is not None else None
            if self.advice is None or advised is None:
                raise
            return self._found(advised, self.advice.chat.name)

    async def _as_said(self, said: Said) -> WorkingWay:
        return await self._working(said.candidates(self.checkout.files))

    async def _working(self, ways: Iterable[Candidate]) -> WorkingWay:
        within_s = max(WITHIN_S, WITHIN_S / 2 + (self.timeout_s or 0))
        tester = WayTester(self.sandbox, self.cache, self._tell, within_s, others=self.checkout.others)
        kept = KeptTrials(self.folder.folder / "ways.json")
        return await tester.first_working(self.checkout.files, map(self._patient, ways), kept)

    def _patient(self, way: Candidate) -> Candidate:
        """A way with the time that a person gives it."""
        return way if self.timeout_s is None else replace(way, plan=replace(way.plan, timeout_s=self.timeout_s))

    def _found(self, works: WorkingWay, by: str) -> FoundEnvironment:
        tests = tests_of_plan(works.candidate.plan, self.timeout_s or limit_s(works.result.wall_ms))
        said = tuple(f"{one.said} ({one.source or 'no file says so'})" for one in works.candidate.assumptions)
        self._tell(f"its tests pass: {tests.command} ({works.result.passed} passed)")
        return FoundEnvironment(tests=tests, by=by, said=said)

    def _tell(self, line: str) -> None:
        self.folder.log(STAGE, line)
        self.notify(line)


StageName: TypeAlias = Literal["environment", "chains", "samples"]
STAGE_NAMES: tuple[StageName, ...] = ("environment", "chains", "samples")
PLACES = 2
"""So many runs of tests at once."""


@dataclass(frozen=True, slots=True)
class BuiltRepository:
    """What the stages found in a repository; members of stages that were not asked for are None or empty."""

    name: str
    checkout: Checkout
    environment: FoundEnvironment
    chains: RecordedChains | None
    samples: tuple[CodevSample, ...]
    stages: Mapping[str, int]
    folder: StageFolder
    chains_file: Path | None = None
    """Where the chains are kept."""

    @property
    def entry(self) -> CodevRepository:
        """The repository as the head of the corpus has it."""
        return CodevRepository(
            name=self.name,
            folder=str(self.checkout.folder),
            commit=self.checkout.commit,
            licence=licence_of(self.checkout.files),
            tests=plain_tests(self.environment.tests),
            passing=len(self.chains.tests) if self.chains is not None else 0,
            files=self.checkout.digests({sample.path for sample in self.samples}),
        )


def plain_tests(tests: Tests) -> Tests:
    """How a repository is tested, without what the user allows here.

    Equal ones give equal bytes and equal texts: msgspec leaves out only what *is* the default, and what was read from a file merely equals it; and 30 s become 30.0 s.
    """
    members = {each.name: getattr(tests, each.name) for each in structs.fields(Tests)} | {
        "timeout_s": float(tests.timeout_s)
    }
    return Tests(
        **{each.name: members[each.name] for each in structs.fields(Tests) if members[each.name] != each.default}
    )


@dataclass(slots=True)
class RepositoryBuilder:
    """Carries out the stages for one repository."""

    name: str
    checkout: Checkout
    sandbox: Sandbox
    cache: Path
    notify: Callable[[str], None]
    tried_now: Callable[[TriedPart], None] = lambda _: None
    said: Tests | None = None
    """How the repository is tested, where a person says it: then no way is looked for."""
    allowed: Mapping[str, Any] = field(default_factory=dict)
    """What the set-up may have: `network`, `variables`."""
    advice: ModelAdvice | None = None
    """Who is asked where rules do not find out how the repository is tested."""
    finding: Said = field(default_factory=Said)
    """What a person allows while that is found out, and what is installed besides."""
    timeout_s: float | None = None
    """How long a run of its tests may take, where a person says it."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    _finished: FinishedProject | None = None

    @property
    def folder(self) -> StageFolder:
        """Where the stages keep what they found."""
        return StageFolder.of(self.name, self.checkout)

    async def build(self, until: StageName, choice: SampleChoice) -> BuiltRepository:
        """Carry out the stages up to one.

        Raises:
            RunnerError: no way was found to test it, or the machine failed.
            DataError: its tests do not pass twice, or nobody can say what they call.

        """
        try:
            environment = await self._environment()
            if until == "environment" and self._folder_of(environment).kept("lock", EnvironmentLock) is None:
                await self._opened(environment)
            chains = await self._chains(environment) if until != "environment" else None
            samples, stages = list[CodevSample](), Counter[str]()
            if chains is not None and until == "samples":
                samples, stages = await self._samples(environment, chains, choice)
            kept_in = None if chains is None else self._folder_of(environment).file("chains")
            return BuiltRepository(
                self.name, self.checkout, environment, chains, tuple(samples), stages, self.folder, kept_in
            )
        finally:
            if self._finished is not None:
                self._finished.project.close()

    async def _environment(self) -> FoundEnvironment:
        found = await self._found()
        if self.timeout_s is None:
            return found
        return structs.replace(found, tests=structs.replace(found.tests, timeout_s=self.timeout_s))

    async def _found(self) -> FoundEnvironment:
        if self.said is not None:
            return FoundEnvironment(tests=self.said, by="you")
        if (known := self.folder.kept("environment", FoundEnvironment)) is not None:
            return known
        self.notify(f"{self.name}: how is it tested?")
        places = self.checkout, self.sandbox, self.cache, self.folder
        finder = EnvironmentFinder(*places, self.notify, self.advice, self.timeout_s, self.finding)
        found = await finder.found()
        self.folder.keep("environment", found)
        return found

    def _folder_of(self, environment: FoundEnvironment) -> StageFolder:
        """The folder of what depends on how the repository is tested."""
        return self.folder.beside(self.sandbox.name, structs.astuple(plain_tests(environment.tests)))

    async def _opened(self, environment: FoundEnvironment) -> FinishedProject:
        """The repository laid out, with what its tests do in two runs."""
        if self._finished is None:
            members = {name: getattr(environment.tests, name) for name in Tests.__struct_fields__}
            self._finished = await finished_project(
                self.checkout.files,
                AllowedTests(**members, **self.allowed),
                self.sandbox,
                self.cache,
                self.notify,
                retries=self.retries,
                others=self.checkout.others,
            )
        if fault := self._finished.fault:
            raise DataError(self.checkout.folder, 0, f"its tests do not pass twice ({fault.reason}): {fault.message}")
        await self._lock(environment, self._finished)
        return self._finished

    async def _lock(self, environment: FoundEnvironment, finished: FinishedProject) -> None:
        """Keep what the repository was tested with, once its tests have passed twice."""
        folder = self._folder_of(environment)
        if folder.kept("lock", EnvironmentLock) is None:
            passed = finished.baseline
            lock = EnvironmentLock(
                tests=plain_tests(environment.tests),
                by=environment.by,
                versions=await versions_in(finished.project),
                passing=tuple(sorted(passed.tests or ())),
                passed=passed.passed,
            )
            folder.keep("lock", lock)

    async def _chains(self, environment: FoundEnvironment) -> RecordedChains:
        folder = self._folder_of(environment)
        if (known := folder.kept("chains", RecordedChains)) is not None:
            return known
        finished = await self._opened(environment)
        self.notify(f"{self.name}: what do its tests call?")
        result, calls = await record_calls(finished.project, self.checkout.files, self.notify)
        folder.log("chains", f"{result.verdict_class}, {result.passed} passed while they were watched")
        if calls is None:
            raise DataError(
                self.checkout.folder,
                0,
                "nobody can say what its tests call: chains are known of pytest, and of the test runners of node (node --test, vitest, jest, mocha)",
            )
        passing = (finished.baseline.tests or frozenset()) & (result.tests or frozenset())
        found = fused(calls, passing, self.checkout.files)
        folder.log("chains", f"{len(found.functions)} functions are entered by {len(found.tests)} tests")
        folder.keep("chains", found)
        return found

    async def _samples(
        self, environment: FoundEnvironment, chains: RecordedChains, choice: SampleChoice
    ) -> tuple[list[CodevSample], Counter[str]]:
        finished = await self._opened(environment)
        self.notify(f"{self.name}: which blocks do its tests notice?")
        slots, files = asyncio.Semaphore(PLACES), self.checkout.files
        warm = await WarmTests.of(finished.project, files, self.notify, PLACES)
        try:
            tester = PartTester(finished, warm, self._folder_of(environment), self.retries, slots, self.tried_now)
            drawer = SampleDrawer(self.name, tester, choice)
            return await drawer.drawn(chains, files), drawer.stages
        finally:
            await warm.close()
