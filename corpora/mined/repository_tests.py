"""The tests of tasks inside a repository: the repository's own, run in a copy of it in which one file holds an answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from corpora.mined.checkout import Checkout, digest_of
from replay.errors import LeftOutError
from replay.judge.baselines import FinishedProject, finished_project, passing_tests
from replay.judge.shared_results import ResultsInScope, SharedResults
from replay.judge.states import ProjectState
from replay.tapes.tape import Tests
from runners.programs import Programs, ReachedChecks
from runners.protocol import Sandbox
from runners.verdicts import Result, RetryPolicy, against_baseline, tail

_LOG = 1500
"""Characters of the log of a repository whose tests fail that an error shows."""


@dataclass(slots=True)
class RepositoryBench:
    """A repository that is laid out once for all tasks in it, with how its tests do there."""

    checkout: Checkout
    settings: Tests
    _opened: FinishedProject | None = None
    _machine: str = ""
    _identity: str = ""
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def identity(self) -> str:
        """A hash of all files, and of how they are set up and tested."""
        if not self._identity:
            settings = Tests(**{name: getattr(self.settings, name) for name in Tests.__struct_fields__})
            hashed = hashlib.sha256(msgspec.json.encode(settings))
            for path, text in sorted(self.checkout.files.items()):
                hashed.update(f"{path}\0{digest_of(text)}\n".encode("utf-8", "surrogatepass"))
            hashed.update(self.checkout.others.digest.encode())
            self._identity = hashed.hexdigest()
        return self._identity

    async def open(
        self,
        sandbox: Sandbox,
        cache: Path,
        retries: RetryPolicy,
        notify: Callable[[str], None],
        shared: SharedResults | None = None,
    ) -> str:
        """Lay the repository out and run its tests twice, once; return what runs them here, for the key of a result.

        With `shared`, tests that passed in another run of an experiment do not run again.

        Raises:
            LeftOutError: its own tests do not pass, or only sometimes: says why, with the end of the log.
            RunnerError: the toolchain or the sandbox is missing, or the set-up failed.

        """
        async with self._opening:
            if self._opened is None:
                files, others = self.checkout.files, self.checkout.others
                self._opened = await finished_project(
                    files,
                    self.settings,
                    sandbox,
                    cache,
                    notify,
                    retries=retries,
                    others=others,
                    shared=ResultsInScope(shared, f"{sandbox.name} {self.identity}") if shared else None,
                )
                self._refuse_failing(self._opened)
                self._machine = f"{sandbox.name} {passing_tests(self._opened)}"
        return self._machine

    def _refuse_failing(self, found: FinishedProject) -> None:
        if (fault := found.fault) is None and found.baseline.passed != 0:
            return
        failing, log = (f"{fault.reason or fault.name}: {fault.message}", fault.log) if fault else ("no test ran", "")
        shown = f"\n{tail(log, _LOG)}" if log.strip() else ""
        raise LeftOutError(
            f"the repository's own tests do not pass without any change ({failing}), so that they can say nothing of an answer: "
            f"`{self.settings.command}` in the folder {self.settings.cwd!r}; name another command with --test-command, what it needs with --setup, or "
            f"--toolchain{shown}",
            lacking=False,
        )

    @property
    def is_open(self) -> bool:
        """Whether it is laid out."""
        return self._opened is not None

    @property
    def finished(self) -> FinishedProject:
        """The repository as it is laid out; it must be open."""
        assert self._opened is not None
        return self._opened

    @property
    def is_forgeable(self) -> bool:
        """Whether nothing but the status and the summary of the test runner tells which tests passed."""
        return self._opened is not None and self._opened.baseline.tests is None

    @property
    def damage(self) -> str:
        """What is wrong with a JUnit file of the finished repository; empty if none is damaged."""
        return self._opened.baseline.damage if self._opened is not None else ""

    def close(self) -> None:
        """Remove what was laid out."""
        if self._opened is not None:
            self._opened.project.close()
        self._opened = None


@dataclass(frozen=True, slots=True)
class RepositoryTests:
    """The tests of a repository for one of its files; `below` is what stands in it below the document."""

    bench: RepositoryBench
    path: str
    below: str = ""

    @property
    def timeout_s(self) -> float:
        """How long all tests may take."""
        return self.bench.settings.timeout_s

    @property
    def requires(self) -> tuple[str, ...]:
        """Packages that the repository is tested with."""
        return self.bench.settings.requires

    def program(self, state: ProjectState) -> str:
        """The command, for a person: the file is the document."""
        return f"cd {self.bench.settings.cwd} && {self.bench.settings.command}"

    def code(self, state: ProjectState) -> str:
        """The file."""
        return state.text + self.below

    def key(self, state: ProjectState) -> str:
        """The repository, and the file that differs from it, if one does."""
        changed = "" if self._is_unchanged(state) else f"\0{self.path}\0{self.code(state)}"
        return self.bench.identity + changed

    async def prepare(self, state: ProjectState, programs: Programs) -> None:
        """Nothing: the repository was laid out before the first task."""

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        """Run all tests in a copy. A pass counts only if the tests passed that pass without a change."""
        found = self.bench.finished
        if self._is_unchanged(state):
            return found.baseline
        plan = replace(found.project.plan, timeout_s=within_s or self.timeout_s)
        result = await replace(found.project, plan=plan).run({self.path: self.code(state)})
        return against_baseline(result, found.baseline, [self.path])

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> None:
        """Nothing: the tests are no statements of the document."""

    def _is_unchanged(self, state: ProjectState) -> bool:
        return self.bench.checkout.files.get(self.path) == self.code(state)
