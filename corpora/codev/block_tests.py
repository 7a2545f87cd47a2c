"""The tests of one block: those that enter its function, run in a copy of the repository in which one file holds an answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from corpora.mined.repository_tests import RepositoryBench
from replay.judge.states import ProjectState
from runners.programs import Programs, ReachedChecks
from runners.verdicts import Result, against_baseline
from runners.warm.warm_projects import WarmTests

_PATIENCE, _SHORTEST_S = 5.0, 10.0
"""The tests of a block may take so many times what all tests took in the finished repository, but at least so long (s)."""


@dataclass(slots=True)
class BlockBench:
    """A repository that is laid out once for all blocks in it, with interpreters that are held ready for its tests."""

    repository: RepositoryBench
    _warm: WarmTests | None = None
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def hold(self, notify: Callable[[str], None], workers: int) -> None:
        """Hold at most so many interpreters ready, once; the repository must be open."""
        async with self._opening:
            if self._warm is None:
                project, files = self.repository.finished.project, self.repository.checkout.files
                self._warm = await WarmTests.of(project, files, notify, workers)

    @property
    def timeout_s(self) -> float:
        """How long the tests of a block may take."""
        longest_s = self.repository.settings.timeout_s
        if not self.repository.is_open:
            return longest_s
        took_s = self.repository.finished.baseline.wall_ms / 1000
        return min(longest_s, max(_SHORTEST_S, _PATIENCE * took_s))

    async def run(self, changed: dict[str, str], only: frozenset[str], timeout_s: float) -> Result:
        """Run these tests with these files changed, until one fails. A pass counts only if each of them passed."""
        assert self._warm is not None
        result = await self._warm.run(changed, only, timeout_s=timeout_s, first=True)
        wanted = replace(self.repository.finished.baseline, tests=only, varying=frozenset())
        return against_baseline(result, wanted, list(changed))

    async def close(self) -> None:
        """End the interpreters; the repository stays."""
        if self._warm is not None:
            await self._warm.close()
        self._warm = None


@dataclass(frozen=True, slots=True)
class BlockTests:
    """Some tests of a repository for one of its files."""

    bench: BlockBench
    path: str
    only: frozenset[str]
    """All of them must pass."""

    @property
    def timeout_s(self) -> float:
        """How long they may take."""
        return self.bench.timeout_s

    @property
    def requires(self) -> tuple[str, ...]:
        """Packages that the repository is tested with."""
        return self.bench.repository.settings.requires

    def program(self, state: ProjectState) -> str:
        """The command, for a person, and which tests of it count: the file is the document."""
        settings = self.bench.repository.settings
        return "\n".join((f"cd {settings.cwd} && {settings.command}", *(f"# {name}" for name in sorted(self.only))))

    def code(self, state: ProjectState) -> str:
        """The file."""
        return state.text

    def key(self, state: ProjectState) -> str:
        """The repository, the tests, and the file that differs from it, if one does."""
        tests = hashlib.sha256("\n".join(sorted(self.only)).encode("utf-8", "surrogatepass")).hexdigest()
        changed = "".join(f"\0{path}\0{text}" for path, text in self._changed(state).items())
        return f"{self.bench.repository.identity}\0{tests}{changed}"

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
        """Run the tests in a copy."""
        return await self.bench.run(self._changed(state), self.only, within_s or self.timeout_s)

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> None:
        """Nothing: the tests are no statements of the document."""

    def _changed(self, state: ProjectState) -> dict[str, str]:
        is_unchanged = self.bench.repository.checkout.files.get(self.path) == state.text
        return {} if is_unchanged else {self.path: state.text}
