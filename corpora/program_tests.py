"""Tasks whose filled document is, with more around it, a program of one file that is its own test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from corpora.imports import needs_packages
from replay.judge.states import ProjectState
from runners.programs import Program, Programs, ReachedChecks
from runners.verdicts import Result


@dataclass(frozen=True, slots=True)
class Assembled:
    """A program made of a document, and one character that is in both: what fills the gap stands as far from it in both.

    `in_document` and `in_text` are the indices of that character.
    """

    text: str
    in_document: int = 0
    in_text: int = 0

    def lines_before(self, document: str) -> int:
        """How many lines further down the gap stands in the program than in its document."""
        return self.text.count("\n", 0, self.in_text) - document.count("\n", 0, self.in_document)


class Assembly(Protocol):
    """How a document becomes a program."""

    def __call__(self, document: str) -> Assembled:
        """Return the program of a filled document."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """A line that is put before a program in which `word` does not occur, but `needs` does (empty: always)."""

    word: str
    line: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class AtCursor:
    """The document as it stands in the editor; before it what it lacks, and behind it, on lines of their own, the assertions in `rest`."""

    rest: str = ""
    heads: tuple[Head, ...] = ()

    def __call__(self, document: str) -> Assembled:
        """Return the program of a filled document."""
        whole = f"{document}\n\n{self.rest}\n" if self.rest else document
        before = "".join(f"{line}\n" for line in self._missing(whole))
        return Assembled(before + whole, 0, len(before))

    def _missing(self, text: str) -> Iterator[str]:
        return (head.line for head in self.heads if head.word not in text and head.needs in text)


def no_options(text: str) -> tuple[str, ...]:
    """Return no words: the program is built as programs of its language are."""
    del text
    return ()


@dataclass(frozen=True, slots=True)
class ProgramTests:
    """Run the program that the document becomes: it passes if it is built and comes to its end with status 0."""

    language: str
    assembly: Assembly = field(default_factory=AtCursor)
    requires: tuple[str, ...] = ()
    """The packages that a program gets if it may import any; all programs of a language that do share them."""
    timeout_s: float = 30.0
    options: Callable[[str], tuple[str, ...]] = no_options
    """The words for the compiler and the linker of a program, by its text."""

    def program(self, state: ProjectState) -> str:
        """The text of the program."""
        return self.assembly(state.text).text

    def code(self, state: ProjectState) -> str:
        """The same."""
        return self.program(state)

    def key(self, state: ProjectState) -> str:
        """The program with its packages and its limit."""
        return repr(self._program(state)) + repr(self.timeout_s)

    async def prepare(self, state: ProjectState, programs: Programs) -> None:
        """Make ready what the program needs."""
        await programs.prepare(self._program(state))

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        """Build and run the program. With `reached`, a pass counts only if the statements of the tests run."""
        program = self._program(state)
        result = await programs.run(program, timeout_s=within_s or self.timeout_s)
        if reached is None or result.verdict_class != "passed":
            return result
        return await reached.confirmed(result, program, programs)

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> ReachedChecks:
        """What the tests of a finished document execute; `hole` is the part that a model is to write, as indices into the document."""
        made = self.assembly(finished.text)
        by = made.in_text - made.in_document
        return ReachedChecks(self._program(finished), (hole[0] + by, hole[1] + by), self.timeout_s)

    def _program(self, state: ProjectState) -> Program:
        made = self.assembly(state.text)
        before = made.lines_before(state.text)
        first, last = state.written
        written = (first + before, last + before) if last else state.written
        options = self.options(made.text)
        requires = self.requires if needs_packages(self.language, made.text) else ()
        return Program(self.language, made.text, requires=requires, options=options, written=written)
