"""Tasks whose filled document is, with more behind it, a program of one file that is its own test."""

from __future__ import annotations

from dataclasses import dataclass

from replay.tasks import Filled
from runners.programs import Program, Programs
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class ProgramTests:
    """Run the document with `rest` behind it: it passes if it is built and comes to its end with status 0."""

    language: str
    rest: str = ""
    requires: tuple[str, ...] = ()
    timeout_s: float = 30.0

    def program(self, filled: Filled) -> str:
        """The document, and on lines of its own the assertions that the model did not see."""
        return f"{filled.text}\n\n{self.rest}\n" if self.rest else filled.text

    def key(self, filled: Filled) -> str:
        """The program with its packages and its limit."""
        return repr(self._program(filled)) + repr(self.timeout_s)

    async def run(self, filled: Filled, programs: Programs) -> Result:
        """Build and run the program."""
        return await programs.run(self._program(filled), timeout_s=self.timeout_s)

    def _program(self, filled: Filled) -> Program:
        return Program(self.language, self.program(filled), requires=self.requires, written=filled.written)
