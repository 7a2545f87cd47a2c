"""Where tasks are tested: a sandbox, what runs programs in it, and which toolchains are there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from corpora.options import Options
from corpora.trials import Kept, Trials
from replay.tasks import Task
from runners.errors import SandboxFailed, SetupFailed, ToolchainMissing
from runners.programs import Program, Programs, cold
from runners.protocol import Sandbox

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
"""A program for each language that says what runs it, and so shows that its toolchain works."""
_START_S = 120.0
QUICK = frozenset({"oracle", "recorded", "fixed", "ngram"})
"""Providers that need no core of their own."""


@dataclass(slots=True)
class Bench:
    """Tests of tasks in a sandbox. `told` hears of what takes time."""

    sandbox: Sandbox
    programs: Programs
    trials: Trials
    told: Callable[[str], None]
    machines: dict[str, str] = field(default_factory=dict)

    async def ready(
        self, language: str, tasks: Sequence[Task], without_packages: Callable[[Sequence[Task]], list[Task]]
    ) -> list[Task]:
        """Make the toolchain of a language ready; its tasks, without packages if those cannot be installed.

        Raises:
            RunnerError: the toolchain is missing, or does not work in this sandbox; or the machine failed.

        """
        tasks = list(tasks)
        requires = tasks[0].tests.requires
        try:
            self.machines[language] = await self._version(language, requires)
        except SetupFailed as error:
            if not requires:
                raise
            self.told(f"{language}: without {', '.join(requires)}, which cannot be installed: {_last_line(error)}")
            self.machines[language] = await self._version(language, ())
            return without_packages(tasks)
        return tasks

    async def _version(self, language: str, requires: tuple[str, ...]) -> str:
        self.told(f"{language}: the toolchain gets ready")
        program = Program(language, VERSIONS.get(language, ""), requires=requires)
        result = await self.trials.machine.result(lambda: self.programs.run(program, timeout_s=_START_S), _START_S)
        if result.klass == "infrastructure":
            raise SandboxFailed(f"{language}: {result.message}")
        if result.klass != "passed":
            raise ToolchainMissing(
                f"programs in {language} do not run in the sandbox {self.sandbox.name}: {result.message}"
            )
        return f"{self.sandbox.name} {result.log}"


def _last_line(error: Exception) -> str:
    return str(error).strip().rsplit("\n", 1)[-1]


async def bench_of(
    options: Options, sandbox: Sandbox, cache: Path, told: Callable[[str], None], *, trusts: bool
) -> Bench:
    """A bench as the options want it; whether it `trusts` results of earlier runs is said by `Trials`."""
    slots = _slots(options)
    programs = await _programs(options, sandbox, cache, told, slots)
    machines: dict[str, str] = {}
    trials = Trials(programs, Kept(cache), asyncio.Semaphore(slots), machines, trusts)
    return Bench(sandbox, programs, trials, told, machines)


async def _programs(
    options: Options, sandbox: Sandbox, cache: Path, told: Callable[[str], None], slots: int
) -> Programs:
    if options.workers == "cold":
        return await cold(sandbox, cache, told)
    from runners.warm import warm

    return await warm(sandbox, cache, told, workers=slots)


def _slots(options: Options) -> int:
    """How many tests run at once: one core stays free for a model that needs one."""
    cores = os.cpu_count() or 1
    provider = options.settings.get("provider", {}).get("name", "gguf")
    return cores if options.published or provider in QUICK else max(1, cores - 1)
