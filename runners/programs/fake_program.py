from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runners.programs import Command, Program
from runners.protocol import Completed
from runners.verdicts import Result


def _nothing(command: Command) -> Completed:
    """End with status 0 without a word."""
    del command
    return Completed(0, None, "", "", 1.0)


@dataclass(frozen=True, slots=True)
class FakePrograms:
    """Programs for tests: runs nothing, keeps what it was given, and answers with what a function makes of each: `answer` of a program, `ended` of a command."""

    answer: Callable[[Program], Result]
    ran: list[Program] = field(default_factory=list)
    ended: Callable[[Command], Completed] = _nothing
    executed: list[Command] = field(default_factory=list)

    async def prepare(self, program: Program) -> None:
        """Do nothing."""

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Keep the program and answer for it."""
        del timeout_s
        self.ran.append(program)
        return self.answer(program)

    async def execute(self, command: Command, *, timeout_s: float) -> Completed:
        """Keep the command and answer for it."""
        del timeout_s
        self.executed.append(command)
        return self.ended(command)

    async def close(self) -> None:
        """Do nothing."""
