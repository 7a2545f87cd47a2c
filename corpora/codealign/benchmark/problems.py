"""Standalone problems with tests: what a model is asked to write, and the program that tests it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from corpora.codealign.finders.shapes import SHAPES
from corpora.errors import DataError
from runners.programs import Program

_IMPORTS = re.compile(r"^[ \t]*import\s[^;]*;", re.MULTILINE)
_GZIP = b"\x1f\x8b"
_FILES = ("data/HumanEval.jsonl.gz", "data/HumanEval.jsonl", "HumanEval.jsonl.gz", "HumanEval.jsonl")
"""Where HumanEval's file is in a copy of its repository, or in a folder with the file alone."""


class StandaloneProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One problem, and a line of a file of problems. The program that tests a solution is `head`, the solution and `tests`, each on lines of its own."""

    name: str
    language: str
    """Identifier of the language: python, java or javascript."""
    request: str
    """What a model is asked, in its own words."""
    reference: str = ""
    """A solution that passes; "" where the problem has none: then the model has to write the first one."""
    head: str = ""
    """What solutions may rely on: imports and functions that the problem gives."""
    tests: str = ""
    """"": nothing tests a solution, and only whether it follows is asked."""
    is_script: bool = False
    """Whether a solution reads standard input and writes standard output (Python): the tests have its text, as `solution`, and run it themselves.

    It runs inside a line of the tests, so that which line leaves the program tells nothing: leaving it early passes nowhere.
    """

    requires: tuple[str, ...] = ()
    """Packages that solutions may import."""

    @property
    def is_tested(self) -> bool:
        """Whether there are tests."""
        return bool(self.tests.strip())

    def program(self, solution: str) -> Program:
        """The program that tests a solution: it passes if it comes to its end with status 0."""
        shown = f"solution = {solution!r}" if self.is_script else solution
        imports = _IMPORTS.findall(shown) if self.language == "java" and self.head else []
        shown = _IMPORTS.sub("", shown) if imports else shown
        before = "".join(f"{line.strip()}\n" for line in imports) + self.head  # Java has no class before an import
        text = f"{before}\n\n{shown}\n\n{self.tests}\n"
        first = before.count("\n") + 3
        written = (1, text.count("\n")) if self.is_script else (first, first + shown.count("\n"))
        return Program(self.language, text, requires=self.requires, written=written)


class _Row(msgspec.Struct, frozen=True):
    """A line of HumanEval; members beyond these say nothing here."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


def problems_in(data: Path) -> Sequence[StandaloneProblem]:
    """The problems of a file of JSON lines (packed or not): those of HumanEval (Chen et al. 2021; MIT), or `StandaloneProblem`s.

    A folder is a copy of HumanEval's repository, or holds its file.

    Raises:
        DataError: there is no such file, a line of it is malformed, or two problems have one name.

    """
    path = next((data / name for name in _FILES if (data / name).is_file()), data)
    try:
        content = path.read_bytes()
        lines = (gzip.decompress(content) if content.startswith(_GZIP) else content).splitlines()
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise DataError(path, 0, f"the problems cannot be read: {error}") from error
    found: dict[str, StandaloneProblem] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            problem = _read(path, number, line)
            if found.setdefault(problem.name, problem) is not problem:
                raise DataError(path, number, f"the name {problem.name!r} stands there twice")
    return list(found.values())


def _read(path: Path, number: int, line: bytes) -> StandaloneProblem:
    """The problem of a line: HumanEval's have a `task_id`."""
    if b'"task_id"' in line:
        return _problem(path, number, line)
    try:
        problem = msgspec.json.decode(line, type=StandaloneProblem)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(path, number, f"is no problem: {error}") from error
    if problem.language not in SHAPES:
        raise DataError(path, number, f"its language is {problem.language!r}: choose one of {', '.join(SHAPES)}")
    return problem


def _problem(path: Path, number: int, line: bytes) -> StandaloneProblem:
    try:
        row = msgspec.json.decode(line, type=_Row)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(path, number, f"is no problem of HumanEval: {error}") from error
    head, definition, _ = row.prompt.partition(f"def {row.entry_point}(")
    if not definition:
        raise DataError(path, number, f"the prompt does not define {row.entry_point}")
    return StandaloneProblem(
        name=row.task_id,
        language="python",
        request=f"Complete this function in Python:\n\n```python\n{row.prompt.rstrip()}\n```",
        reference=row.prompt + row.canonical_solution,
        head=head,
        tests=f"{row.test}\n\ncheck({row.entry_point})",
    )
