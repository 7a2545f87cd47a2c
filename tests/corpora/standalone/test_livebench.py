"""LiveBench's form, with made-up questions. What their tests say of each solution is what LiveBench's own grader said of it when the two were run side by side."""

import base64
import json
import pickle
import re
import subprocess
import sys
import zlib

import pytest

from corpora.errors import DataError
from corpora.standalone import read_problems
from runners.programs import cold
from runners.sandboxes import pick


def packed(cases):
    """As LiveCodeBench publishes private cases: a JSON text that is pickled, compressed and written in base 64."""
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(cases)))).decode()


def question(id_, cases, private="[]", function="", **members):
    kind = "functional" if function else "stdin"
    public = [{"input": given, "output": wanted, "testtype": kind} for given, wanted in cases]
    told = {"metadata": json.dumps({"func_name": function} if function else {}), "platform": "leetcode"}
    common = {"question_id": id_, "turns": ["Solve it."], "task": "LCB_generation", "original_json": told}
    return common | {"public_test_cases": json.dumps(public), "private_test_cases": private} | members


HIDDEN = packed([{"input": "5\n-7", "output": "-2", "testtype": "functional"}])
QUESTIONS = [
    question("add", [("1\n2", "3")], HIDDEN, function="add"),
    question("sort", [("[3,1]", "[1,3]")], function="sort"),
    question("sum", [("2\n1 2\n", "3\n"), ("3\n1 2 3\n", "6.0\n")]),
]
METHOD = "class Solution:\n    def {}:\n        {}\n"
SOLUTIONS = [
    ("add", METHOD.format("add(self, a, b)", "return a + b"), True),
    ("add", METHOD.format("add(self, a, b)", "return float(a + b)"), True),
    ("add", METHOD.format("add(self, a, b)", "return abs(a) + abs(b)"), False),
    ("add", METHOD.format("plus(self, a, b)", "return a + b"), False),
    ("sort", METHOD.format("sort(self, a: List[int])", "return tuple(sorted(a))"), True),
    ("sort", METHOD.format("sort(self, a)", "heapify(a); return [heappop(a) for _ in range(len(a))]"), True),
    ("sort", METHOD.format("sort(self, a)", "return a"), False),
    ("sum", "n = int(input())\nprint(sum(map(int, input().split())))\n", True),
    ("sum", "if __name__ == '__main__':\n    print(sum(map(int, sys.stdin.read().split()[1:])))\n", True),
    ("sum", "for line in sys.stdin:\n    last = line\nprint(sum(map(int, last.split())))\nexit()\n", True),
    ("sum", "n = int(input())\nprint('  3  ')\n", False),
    ("sum", "n = int(input())\nx = sum(map(int, input().split()))\nprint(x, x)\n", False),
    ("sum", "", False),
]


@pytest.fixture
def written(tmp_path):
    def write(*questions):
        (tmp_path / "question.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
        return tmp_path

    return write


def test_programs_pass_the_tests_that_they_pass_at_livebench(written):
    problems = {problem.name: problem for problem in read_problems(written(*QUESTIONS)).problems}
    ended = []
    for name, solution, _ in SOLUTIONS:
        text = problems[f"livebench/{name}"].program(solution).text
        ended.append(subprocess.run([sys.executable, "-c", text], capture_output=True, check=False).returncode == 0)
    assert ended == [passes for _, _, passes in SOLUTIONS]


async def test_a_script_that_leaves_the_program_early_does_not_pass(written, cache):
    problem = read_problems(written(QUESTIONS[2])).problems[0]
    programs = await cold(pick(), cache, lambda _: None)
    right = "input()\nprint(sum(map(int, input().split())))\nexit()\n"
    hidden = "import os\ngetattr(os, '_ex' + 'it')(0)\n"
    try:
        found = [await programs.run(problem.program(own), timeout_s=60) for own in (right, hidden)]
    finally:
        await programs.close()
    assert [each.verdict_class == "passed" for each in found] == [True, False], found


def test_questions_of_newer_tasks_are_left_out_and_said_to_be(written):
    newer = {"question_id": "big", "turns": ["a"], "task": "code_generation", "tests": "b", "entry_point": "c"}
    read = read_problems(written(QUESTIONS[0], newer))
    assert ([one.name for one in read.problems], list(read.left_out)) == (["livebench/add"], ["livebench/big"])
    assert "BigCodeBench" in read.left_out["livebench/big"]


def test_a_file_of_questions_is_known_by_its_lines_too(written):
    path = written(*QUESTIONS) / "question.jsonl"
    assert len(read_problems(path.rename(path.with_name("mine.jsonl"))).problems) == 3


class Called:
    def __reduce__(self):
        return print, ("a pickle was obeyed",)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ({"question_id": 7, "turns": ["a"]}, "is no coding question"),
        (question("a", []) | {"public_test_cases": "[{}]"}, "test cases cannot be read"),
        (question("a", [], private="not packed"), "test cases cannot be read"),
        (question("a", [], private=base64.b64encode(zlib.compress(pickle.dumps(Called()))).decode()), "builtins.print"),
    ],
)
def test_what_is_no_question_is_refused_with_its_line_and_no_pickle_is_obeyed(written, capsys, one, said):
    with pytest.raises(DataError, match=re.escape(said)) as raised:
        read_problems(written(QUESTIONS[0], one))
    assert "question.jsonl:2" in str(raised.value)
    assert "obeyed" not in capsys.readouterr().out


def test_a_question_that_stands_there_twice_is_refused(written):
    with pytest.raises(DataError, match="twice"):
        read_problems(written(QUESTIONS[0], QUESTIONS[0]))
