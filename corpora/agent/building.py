"""The stages of the agent for one repository: environment, chains, samples. Each keeps what it found, has a log, and needs only those before it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import structs

from corpora.agent.chains import RecordedChains, fused
from corpora.agent.environment import EnvironmentFinder, EnvironmentLock, FoundEnvironment, versions_in
from corpora.agent.noticing import PartTester, TriedPart
from corpora.agent.sampling import SampleChoice, SampleDrawer
from corpora.agent.work import StageFolder
from corpora.codev.samples import CodevRepository, CodevSample
from corpora.errors import DataError
from corpora.history.advice import ModelAdvice
from corpora.history.environments import Said
from corpora.mined.checkout import Checkout
from corpora.mining.source_repository import licence_of
from replay.judge.baselines import FinishedProject, finished_project
from replay.judge.projects import AllowedTests
from replay.tapes.tape import Tests
from runners.coverage.calls import record_calls
from runners.protocol import Sandbox
from runners.verdicts import RetryPolicy
from runners.warm.projects import WarmTests

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
