"""Tasks whose filled document is, with more behind it, a program of one file that is its own test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from replay.judge.states import ProjectState
from runners.programs import Program, Programs, ReachedChecks
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class Head:
    """A line that is put before a program in which `word` does not occur, but `needs` does (empty: always)."""

    word: str
    line: str
    needs: str = ""


def no_options(text: str) -> tuple[str, ...]:
    """Return no words: the program is built as programs of its language are."""
    del text
    return ()


@dataclass(frozen=True, slots=True)
class ProgramTests:
    """Run the document with `heads` before and `rest` behind it: it passes if it is built and comes to its end with status 0."""

    language: str
    rest: str = ""
    requires: tuple[str, ...] = ()
    heads: tuple[Head, ...] = ()
    timeout_s: float = 30.0
    options: Callable[[str], tuple[str, ...]] = no_options
    """The words for the compiler and the linker of a program, by its text."""

    def program(self, state: ProjectState) -> str:
        """The document, before it what it lacks, and on lines of its own the assertions that the model did not see."""
        whole = f"{state.text}\n\n{self.rest}\n" if self.rest else state.text
        return "".join(f"{line}\n" for line in self._missing(whole)) + whole

    def key(self, state: ProjectState) -> str:
        """The program with its packages and its limit."""
        return repr(self._program(state)) + repr(self.timeout_s)

    async def run(self, state: ProjectState, programs: Programs, reached: ReachedChecks | None = None) -> Result:
        """Build and run the program. With `reached`, a pass counts only if the statements of the tests run."""
        program = self._program(state)
        result = await programs.run(program, timeout_s=self.timeout_s)
        if reached is None or result.verdict_class != "passed":
            return result
        return await reached.confirmed(result, program, programs)

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> ReachedChecks:
        """What the tests of a finished document execute; `hole` is the part that a model is to write, as indices into the document."""
        program = self._program(finished)
        before = program.text.index(finished.text)
        return ReachedChecks(program, (hole[0] + before, hole[1] + before), self.timeout_s)

    def _program(self, state: ProjectState) -> Program:
        text = self.program(state)
        before = text[: text.index(state.text)].count("\n")
        first, last = state.written
        written = (first + before, last + before) if last else state.written
        return Program(self.language, text, requires=self.requires, options=self.options(text), written=written)

    def _missing(self, text: str) -> Iterator[str]:
        return (head.line for head in self.heads if head.word not in text and head.needs in text)
