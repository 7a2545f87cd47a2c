from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runners.programs import Program
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class FakePrograms:
    """Programs for tests: runs nothing, keeps what it was given, and answers with what a function makes of each."""

    answer: Callable[[Program], Result]
    ran: list[Program] = field(default_factory=list)

    async def prepare(self, program: Program) -> None:
        """Do nothing."""

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Keep the program and answer for it."""
        del timeout_s
        self.ran.append(program)
        return self.answer(program)

    async def close(self) -> None:
        """Do nothing."""
