"""LiveBench's coding questions (White et al. 2025, its tasks `LCB_generation` and `coding_completion`), read by path: nothing of them is in this project.

A question is a line of `question.jsonl`, as LiveBench's `download_questions.py` writes it. Tests are those of its grader (`lcb_runner/evaluation/testing_util.py`): all
public and private cases must hold. A case calls a function with JSON values, and the result (a tuple counts as a list) must be equal; or it runs the program on an input,
and what it writes must be the wanted lines, white space at their ends aside, numbers by value. Questions of the newer tasks `code_generation` and `code_completion` need the packages of
BigCodeBench and are left out.
"""

from __future__ import annotations

import base64
import io
import pickle
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.errors import DataError
from corpora.standalone.problem_set import ReadProblems

_FILE = "question.jsonl"
_NEWER = "its tests need the packages of BigCodeBench"
HEAD = (
    "".join(
        f"from {name} import *\n"
        for name in (
            [
                "string",
                "re",
                "datetime",
                "collections",
                "heapq",
                "bisect",
                "copy",
                "math",
                "random",
                "statistics",
                "itertools",
                "functools",
                "operator",
                "io",
                "sys",
                "json",
                "typing",
            ]
        )
    )
    + "import string, re, datetime, collections, heapq, bisect, copy, math, random, statistics, itertools, functools, operator, io, sys, json\nfrom builtins import *\nsys.setrecursionlimit(50000)\n"
)
"""What LiveBench's grader imports before a solution, with its limit of recursion."""
_CALLS = """
def _checked(cases):
    import json as reader
    owner = Solution() if "Solution" in globals() else None
    for given, wanted in cases:
        values = [reader.loads(line) for line in given.split("\\n")]
        found = getattr(owner, NAME)(*values) if owner is not None else globals()[NAME](*values)
        found = list(found) if isinstance(found, tuple) else found
        assert found == reader.loads(wanted), f"{given[:200]!r}: {str(found)[:200]} and not {wanted[:200]}"
"""
_SCRIPTS = """
def _checked(cases):
    import contextlib as _contexts, decimal as _decimal, io as _streams, sys as _system
    def _same(one, other):
        if one == other:
            return True
        try:
            return [_decimal.Decimal(word) for word in one.split()] == [_decimal.Decimal(word) for word in other.split()]
        except _decimal.InvalidOperation:
            return False
    code = compile(solution, "solution", "exec")
    for given, wanted in cases:
        written, kept = _streams.StringIO(), _system.stdin
        _system.stdin = _streams.TextIOWrapper(_streams.BytesIO(given.encode()), "utf-8")
        try:
            with _contexts.redirect_stdout(written):
                exec(code, {**HEADS, "__name__": "__main__"})
        except SystemExit:
            pass
        finally:
            _system.stdin = kept
        lines, expected = ([line.strip() for line in text.strip().split("\\n")] for text in (written.getvalue(), wanted))
        alike = len(lines) == len(expected) and all(map(_same, lines, expected))
        assert alike, f"{given[:200]!r}: {written.getvalue()[:200]!r} and not {wanted[:200]!r}"
"""


class _Origin(msgspec.Struct, frozen=True):
    metadata: str = "{}"
    starter_code: str | None = ""


class _Case(msgspec.Struct, frozen=True):
    input: str
    output: str
    testtype: Literal["stdin", "functional"]


class _Question(msgspec.Struct, frozen=True):
    """A line; members beyond these say nothing here."""

    question_id: str
    turns: tuple[str, ...]
    task: str = ""
    public_test_cases: str | None = None
    private_test_cases: str | None = None
    original_json: _Origin = _Origin()
    partial_solution: str | None = ""
    solution: str | None = ""


def questions_of(data: Path) -> Path | None:
    """LiveBench's file in a folder, or the file itself if its first line is a question; None where there is none."""
    if data.is_dir():
        return data / _FILE if (data / _FILE).is_file() else None
    try:
        with data.open("rb") as lines:
            first = lines.readline()
        return data if isinstance(msgspec.json.decode(first).get("turns"), list) else None
    except (OSError, msgspec.DecodeError, AttributeError):
        return None


def livebench_problems(path: Path) -> ReadProblems:
    """The questions of a file.

    Raises:
        DataError: the file cannot be read, or a line is no question.

    """
    found: dict[str, StandaloneProblem] = {}
    left_out: dict[str, str] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            question = _question(path, number, line)
            name = f"livebench/{question.question_id}"
            if name in found or name in left_out:
                raise DataError(path, number, f"the question {question.question_id} stands there twice")
            if question.public_test_cases is None:
                left_out[name] = _NEWER
            else:
                found[name] = _problem(path, number, name, question)
    return ReadProblems(list(found.values()), left_out)


def _question(path: Path, number: int, line: bytes) -> _Question:
    try:
        return msgspec.json.decode(line, type=_Question)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(path, number, f"is no coding question of LiveBench: {error}") from error


def _problem(path: Path, number: int, name: str, question: _Question) -> StandaloneProblem:
    try:
        cases = [*_cases(question.public_test_cases or "[]"), *_cases(question.private_test_cases or "[]")]
        told: Mapping[str, Any] = msgspec.json.decode(question.original_json.metadata or "{}")
        function = str(told.get("func_name") or "")
    except (ValueError, AttributeError, zlib.error, pickle.UnpicklingError, EOFError) as error:
        raise DataError(path, number, f"its test cases cannot be read: {error}") from error
    is_script = not function
    tests = _script_tests(cases) if is_script else _call_tests(function, cases)
    return StandaloneProblem(
        name=name,
        language="python",
        request=question.turns[0] if question.turns else "",
        reference=question.solution or "",
        head=f"HEADS = {{}}\nexec({HEAD!r}, HEADS)\n" if is_script else HEAD,
        tests=tests if cases else "",
        is_script=is_script,
    )


def _call_tests(function: str, cases: Sequence[_Case]) -> str:
    return f"NAME = {function!r}\n{_CALLS}\n_checked({_pairs(cases)!r})"


def _script_tests(cases: Sequence[_Case]) -> str:
    return f"{_SCRIPTS}\n_checked({_pairs(cases)!r})"


def _pairs(cases: Sequence[_Case]) -> list[tuple[str, str]]:
    return [(case.input, case.output) for case in cases]


def _cases(text: str) -> list[_Case]:
    """Test cases: JSON, or JSON that was pickled as a text, packed and written in base 64, as LiveCodeBench publishes its private ones."""
    try:
        return msgspec.json.decode(text, type=list[_Case])
    except msgspec.DecodeError:
        packed = zlib.decompress(base64.b64decode(text, validate=True))
    return msgspec.json.decode(_PlainUnpickler(io.BytesIO(packed)).load(), type=list[_Case])


class _PlainUnpickler(pickle.Unpickler):
    """Reads texts and numbers alone: a pickle that names anything to call is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """Refuse."""
        raise pickle.UnpicklingError(f"it names {module_name}.{global_name}, and test cases are texts alone")
