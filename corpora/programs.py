"""Tasks whose filled document is, with more behind it, a program of one file that is its own test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from replay.tasks import Filled
from runners.programs import Program, Programs
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class Head:
    """A line that is put before a program in which `word` does not occur, but `needs` does (empty: always)."""

    word: str
    line: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class ProgramTests:
    """Run the document with `heads` before and `rest` behind it: it passes if it is built and comes to its end with status 0."""

    language: str
    rest: str = ""
    requires: tuple[str, ...] = ()
    heads: tuple[Head, ...] = ()
    timeout_s: float = 30.0

    def program(self, filled: Filled) -> str:
        """The document, before it what it lacks, and on lines of its own the assertions that the model did not see."""
        whole = f"{filled.text}\n\n{self.rest}\n" if self.rest else filled.text
        return "".join(f"{line}\n" for line in self._missing(whole)) + whole

    def key(self, filled: Filled) -> str:
        """The program with its packages and its limit."""
        return repr(self._program(filled)) + repr(self.timeout_s)

    async def run(self, filled: Filled, programs: Programs) -> Result:
        """Build and run the program."""
        return await programs.run(self._program(filled), timeout_s=self.timeout_s)

    def _program(self, filled: Filled) -> Program:
        text = self.program(filled)
        before = text[: text.index(filled.text)].count("\n")
        first, last = filled.written
        written = (first + before, last + before) if last else filled.written
        return Program(self.language, text, requires=self.requires, written=written)

    def _missing(self, text: str) -> Iterator[str]:
        return (head.line for head in self.heads if head.word not in text and head.needs in text)
