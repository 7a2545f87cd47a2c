"""Tasks whose filled document is, with more behind it, a program of one file that is its own test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from replay.judge.states import ProjectState
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

    def program(self, state: ProjectState) -> str:
        """The document, before it what it lacks, and on lines of its own the assertions that the model did not see."""
        whole = f"{state.text}\n\n{self.rest}\n" if self.rest else state.text
        return "".join(f"{line}\n" for line in self._missing(whole)) + whole

    def key(self, state: ProjectState) -> str:
        """The program with its packages and its limit."""
        return repr(self._program(state)) + repr(self.timeout_s)

    async def run(self, state: ProjectState, programs: Programs) -> Result:
        """Build and run the program."""
        return await programs.run(self._program(state), timeout_s=self.timeout_s)

    def _program(self, state: ProjectState) -> Program:
        text = self.program(state)
        before = text[: text.index(state.text)].count("\n")
        first, last = state.written
        written = (first + before, last + before) if last else state.written
        return Program(self.language, text, requires=self.requires, written=written)

    def _missing(self, text: str) -> Iterator[str]:
        return (head.line for head in self.heads if head.word not in text and head.needs in text)
