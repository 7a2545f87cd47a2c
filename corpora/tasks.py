"""Tasks: moments that carry their own ground truth and tests, as the instances of a benchmark do."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from replay.judge.states import ProjectState
from replay.play.stage import WINDOW
from replay.records import Moment, Suggestion
from runners.programs import Programs, ReachedChecks
from runners.verdicts import Result
from syntax.gaps import patch
from syntax.languages import language_of
from syntax.text import cut, length, position_at
from syntax.wanted import Stop

EVENT = 1
"""The event before which a task's moment lies: a task is a tape whose event 0 opens a document, and whose event 1 fills the gap."""


class ProgramSpec(Protocol):
    """How a document is tested, wherever that happens."""

    @property
    def timeout_s(self) -> float:
        """How long building and running it may take."""
        ...

    @property
    def requires(self) -> tuple[str, ...]:
        """Packages that it is tested with."""
        ...

    def program(self, state: ProjectState) -> str:
        """What is run for a filled document, for a person to read."""
        ...

    def code(self, state: ProjectState) -> str:
        """The code that the document is part of: of a program all of it, of a repository the file."""
        ...

    def key(self, state: ProjectState) -> str:
        """All that the result depends on, but for the machine: the same key, the same result."""
        ...

    async def prepare(self, state: ProjectState, programs: Programs) -> None:
        """Make ready what testing a document needs, which may take minutes."""
        ...

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        """Test a filled document, within another time than `timeout_s` if one is given.

        With `reached`, a pass counts only if the statements of the tests run.
        """
        ...

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> ReachedChecks | None:
        """What the tests of a finished document execute; `hole` is the part that a model is to write, as indices into the document.

        None where they are no statements of the program.
        """
        ...


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A piece of another place that is open in the editor while a task is asked about. `path` names it there, and is unique among the documents of the task."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """A document with a gap between `before` and `after`, what stood in it, and the tests of a filled document.

    `name` is unique in its corpus, `path` names the document for the editor, `language` is the LSP identifier.
    """

    corpus: str
    name: str
    category: str
    language: str
    path: str
    before: str
    after: str
    truth: str
    tests: ProgramSpec
    stop: Stop = "any"
    below: str = ""
    """What stands in the tested file below the document: the model does not see it."""
    lacks: str = ""
    """Why the task cannot be tested with this data on any machine, such as a file that is not in it; empty where it can."""
    least: str | None = None
    """What stands in the gap when it is emptied; None: the least that grammar demands there."""
    is_literal: bool = True
    """Whether an answer is tested as it stands in the document. If not, the ground truth as an answer is another case than the finished document."""
    function: str = ""
    """The outermost function around the gap, by its path and line, where tasks of one file are told apart: answers inside of one are not independent."""
    part: str = ""
    """The part of a file that the gap is, by its path and end, likewise."""
    hidden: str = ""
    """What stands in the tested file between the gap and `after`: the model does not see it."""
    wants_nothing: bool = False
    """Whether the ground truth is that nothing is missing: then an answer without text is the finished document, and there is no gap to notice."""
    repository: str = ""
    """The repository that it lies in, where a corpus has several."""
    block_head: str = ""
    """The line of the finished document on which the block begins that is asked about; empty: nobody says."""
    scenario: str = ""
    """What a model sees of the file, where a benchmark tells that apart."""
    evidence: tuple[EvidenceFile, ...] = ()
    """Pieces of other places that the model is shown, the most important first."""

    @property
    def rest(self) -> str:
        """All that stands behind the gap in the tested file."""
        return self.hidden + self.after + self.below

    @property
    def place(self) -> str:
        """What tasks must share to be tested by one machine: the language, and the repository if there are several. Example: `python app`."""
        return f"{self.language} {self.repository}".rstrip()

    @property
    def finished(self) -> ProjectState:
        """The document with the ground truth in its gap."""
        return ProjectState(self.path, self.before + self.truth + self.hidden + self.after)

    @property
    def emptied(self) -> ProjectState:
        """The document with nothing in its gap but the least that grammar demands there (see `syntax.gaps`)."""
        return ProjectState(self.path, self.before + self._least() + self.hidden + self.after)

    def _least(self) -> str:
        language = language_of(self.language)
        if self.least is not None or language is None:
            return self.least or ""
        return patch(language, self.finished.text + self.below, *self.hole)

    @property
    def filler(self) -> str:
        """The statement that does nothing (`pass`, `;`) and stands alone in the emptied gap, as grammar demands one; empty where nothing stands there."""
        language, least = language_of(self.language), self._least().strip()
        return least if language is not None and least == language.filler else ""

    @property
    def program(self) -> str:
        """Which program it is a gap of: tasks whose finished files have the same name and the same text are not independent."""
        text = self.before + self.truth + self.rest
        known = f"{self.language}\0{PurePosixPath(self.path).name}\0{text}"
        return hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def telling(self) -> str:
        """The text that tells the task from others: the finished document, or what was removed where many tasks are gaps in one file."""
        return self.truth if self.part else self.finished.text

    @property
    def hole(self) -> tuple[int, int]:
        """Where the ground truth stands in the finished document, as indices of characters."""
        return len(self.before), len(self.before) + len(self.truth)

    def filled(self, suggestion: Suggestion | None) -> ProjectState:
        """The document with a suggestion in its gap; with None, nothing.

        What a suggestion takes the place of right of the cursor stays where something is hidden there: it stands behind that, and not at the gap.
        """
        text = self.before + self.after
        if suggestion is None:
            return _filled(self.path, self.before, "", self.hidden + self.after)
        before, after = cut(text, 0, suggestion.start), cut(text, suggestion.end, length(text))
        return _filled(self.path, before, suggestion.text, self.hidden + self.after if self.hidden else after)

    def moment(self, sample: int = 0) -> Moment:
        """The moment at which its answer number `sample` (from 0) is asked for."""
        offset = length(self.before)
        line, character = position_at(self.before + self.after, offset)
        return Moment(
            tape=self.corpus,
            event=EVENT,
            path=self.path,
            language=self.language,
            offset=offset,
            line=line,
            character=character,
            t=0.0,
            stop=self.stop,
            kind=self.category,
            scenario=self.scenario,
            before=self.before[-WINDOW[0] :],
            after=self.after[: WINDOW[1]],
            truth=self.truth,
            hole=self.part,
            function=self.function,
            program=self.program,
            sample=sample,
        )


def _filled(path: str, before: str, text: str, after: str) -> ProjectState:
    first = before.count("\n") + 1
    return ProjectState(path, before + text + after, written=(first, first + text.count("\n")))
