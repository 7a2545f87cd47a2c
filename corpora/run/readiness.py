"""Whether the programs of a language run here: a small program of each says what runs it, and so shows that its toolchain works."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from corpora.codev.block_tests import BlockBench, BlockTests
from corpora.mined.repository_tests import RepositoryBench, RepositoryTests
from corpora.tasks import Task
from replay.judge.shared_results import SharedResults
from replay.judge.tape_cases import NO_WITNESS, TestWarning, damage_warnings
from runners.errors import SandboxFailed, ToolchainMissing
from runners.programs import Program, Programs
from runners.protocol import Sandbox
from runners.verdicts import RetryPolicy

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
    _blocks: list[BlockBench] = field(default_factory=list)

    async def prepare(self, task: Task) -> None:
        """Make ready what runs tasks like this one: the toolchain of its language, without packages, or its repository.

        Raises:
            RunnerError: the toolchain is missing, or does not work in this sandbox; or the machine failed.
            LeftOutError: the tests of the repository do not pass without any change.

        """
        tests = task.tests
        if isinstance(tests, RepositoryTests):
            self.machines[task.place] = await self._opened(tests.bench)
        elif isinstance(tests, BlockTests):
            self.machines[task.place] = await self._opened(tests.bench.repository)
            self._blocks.append(tests.bench)
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
        for blocks in self._blocks:
            await blocks.close()
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
