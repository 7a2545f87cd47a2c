"""Which form a file or a folder of problems has, and its problems."""

from __future__ import annotations

from pathlib import Path

from corpora.codealign.benchmark.problems import problems_in
from corpora.standalone import devbench_programs, livebench
from corpora.standalone.problem_set import ReadProblems


def read_problems(data: Path) -> ReadProblems:
    """Read the problems of a file or a folder.

    A folder with `benchmark` in it is DevBench's; a file whose lines have `turns`, or a folder with LiveBench's `question.jsonl`, is LiveBench's; anything else is
    HumanEval's, or problems of one's own (`corpora.codealign.benchmark.problems`).

    Raises:
        DataError: there is no such file, or a line of it is malformed.

    """
    if devbench_programs.is_devbench(data):
        return devbench_programs.devbench_problems(data)
    if (questions := livebench.questions_of(data)) is not None:
        return livebench.livebench_problems(questions)
    return ReadProblems(problems_in(data))
