"""Packages for the programs that need them: those without start at once, and those with some wait until they are installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from runners.errors import SetupFailed
from runners.programs import Command, Program, Programs
from runners.protocol import Completed
from runners.verdicts import Result


@dataclass(slots=True)
class PackagedPrograms:
    """Programs that run without their packages where these cannot be installed, which `notify` is told once."""

    programs: Programs
    notify: Callable[[str], None]
    missing: set[str] = field(default_factory=set)
    """The languages whose packages cannot be installed."""
    _prepared: dict[tuple[str, tuple[str, ...]], asyncio.Task[bool]] = field(default_factory=dict)

    async def prepare(self, program: Program) -> None:
        """Wait until the packages of a program are there, or it is known that they cannot be had."""
        await self._has_packages(program)

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Build and run the program."""
        if not await self._has_packages(program):
            program = replace(program, requires=())
        return await self.programs.run(program, timeout_s=timeout_s)

    async def execute(self, command: Command, *, timeout_s: float) -> Completed:
        """Run the command."""
        if not await self._has_packages(Program(command.language, "", requires=command.requires)):
            command = replace(command, requires=())
        return await self.programs.execute(command, timeout_s=timeout_s)

    async def _has_packages(self, program: Program) -> bool:
        if not program.requires:
            return True
        kind = (program.language, program.requires)
        if kind not in self._prepared:
            self._prepared[kind] = asyncio.ensure_future(self._install(program))
        return await asyncio.shield(self._prepared[kind])

    async def _install(self, program: Program) -> bool:
        self.notify(f"{program.language}: packages are made ready for the programs that import some")
        try:
            await self.programs.prepare(program)
        except SetupFailed as error:
            reason = str(error).strip().rsplit("\n", 1)[-1]
            self.notify(
                f"{program.language}: without {', '.join(program.requires)}, which cannot be installed: {reason}"
            )
            self.missing.add(program.language)
            return False
        return True

    async def close(self) -> None:
        """Stop what is under way."""
        for task in self._prepared.values():
            task.cancel()
        await asyncio.gather(*self._prepared.values(), return_exceptions=True)
        await self.programs.close()
