"""The stage `environment`: the first way, of those that the files of a repository show, or else of those that a model proposes, in which its tests pass in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from corpora.agent.work import StageFolder
from corpora.history.advice import ModelAdvice
from corpora.history.environments import Said, limit_s
from corpora.mined.checkout import Checkout
from replay.importers.building.project_tests import tests_of_plan
from replay.tapes.tape import Tests
from runners.environments import WITHIN_S, Candidate, KeptTrials, NotTestable, WayTester, WorkingWay
from runners.project import Project
from runners.protocol import Job, Sandbox
from runners.toolchains import language_of

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
