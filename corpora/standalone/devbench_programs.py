"""DevBench's programs as standalone problems: the program with its gap is the request, the whole program the solution, the hidden assertions the tests.

Only programs with hidden assertions are problems. In the others the tests stand in the part that a model writes anew, and an answer that leaves them out would pass: these are
all of Java's.
"""

from __future__ import annotations

from pathlib import Path

from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.finders.shapes import SHAPES
from corpora.devbench import DevBench
from corpora.devbench.corpus import packages
from corpora.imports import needs_packages
from corpora.program_tests import AtCursor, ProgramTests
from corpora.standalone.problem_set import ReadProblems
from corpora.tasks import Task

_MARK = "[[the missing part]]"
_UNTESTED = "its assertions are in the program itself, so an answer without them would pass"
_INSIDE = "its assertions go on in the last block of the program, which an answer may end otherwise"


def is_devbench(data: Path) -> bool:
    """Whether a folder is a copy of DevBench, or holds one."""
    return (data / "benchmark").is_dir() or (data / "devbench/benchmark").is_dir()


def devbench_problems(data: Path) -> ReadProblems:
    """The programs of DevBench in the languages that instructions are for.

    Raises:
        DataError: a file of it is malformed.

    """
    corpus = DevBench(data)
    tasks = corpus.tasks([*SHAPES], corpus.categories, packages=True)
    read = {f"devbench/{task.name}": _problem(task) for task in tasks}
    return ReadProblems(
        [problem for problem in read.values() if not isinstance(problem, str)],
        {name: problem for name, problem in read.items() if isinstance(problem, str)},
    )


def _problem(task: Task) -> StandaloneProblem | str:
    """The problem of a task, or why it is none."""
    assembly = task.tests.assembly if isinstance(task.tests, ProgramTests) else None
    if not isinstance(assembly, AtCursor) or not assembly.rest.strip():
        return _UNTESTED
    if task.language == "python" and assembly.rest.lstrip("\n")[0].isspace():
        return _INSIDE
    reference = f"{task.before}{task.truth}{task.after}"
    made = assembly(reference)
    program = f"{task.before}{_MARK}{task.after}"
    return StandaloneProblem(
        name=f"devbench/{task.name}",
        language=task.language,
        request=f"One part of this program is missing, at the mark {_MARK}. Write the whole program with it, and keep the names that it has: tests that you do not see "
        f"use them.\n\n```{task.language}\n{program.rstrip()}\n```",
        reference=reference,
        head=made.text[: made.in_text],
        tests=assembly.rest,
        requires=packages().get(task.language, ()) if needs_packages(task.language, made.text) else (),
    )
