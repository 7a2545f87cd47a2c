"""Standalone problems with tests: what a model is asked to write, and the program that tests it."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from corpora.errors import DataError

_GZIP = b"\x1f\x8b"
_FILES = ("data/HumanEval.jsonl.gz", "data/HumanEval.jsonl", "HumanEval.jsonl.gz", "HumanEval.jsonl")
"""Where HumanEval's file is in a copy of its repository, or in a folder with the file alone."""


@dataclass(frozen=True, slots=True)
class StandaloneProblem:
    """One problem. The program that tests a solution is `head`, the solution and `tests`, each on lines of its own."""

    name: str
    language: str
    """Identifier of the language."""
    request: str
    """What a model is asked, in its own words."""
    reference: str
    """A solution that passes; "" where the problem has none."""
    head: str = ""
    """What solutions may rely on: imports and functions that the problem gives."""
    tests: str = ""

    def program(self, solution: str) -> str:
        """The program that tests a solution: it passes if it comes to its end with status 0."""
        return f"{self.head}\n\n{solution}\n\n{self.tests}\n"


class _Row(msgspec.Struct, frozen=True):
    """A line of HumanEval; members beyond these say nothing here."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


def human_eval_problems(data: Path) -> Sequence[StandaloneProblem]:
    """HumanEval's problems (Chen et al. 2021; MIT), from its file or from a copy of its repository.

    Raises:
        DataError: there is no such file, or a line of it is malformed.

    """
    path = next((data / name for name in _FILES if (data / name).is_file()), data)
    try:
        content = path.read_bytes()
        lines = (gzip.decompress(content) if content.startswith(_GZIP) else content).splitlines()
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise DataError(path, 0, f"HumanEval cannot be read: {error}") from error
    return [_problem(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


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
