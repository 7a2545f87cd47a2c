"""Problems whose own tests say nothing are left out, with the reason."""

from corpora.codealign.benchmark import StandaloneProblem
from corpora.codealign.benchmark.soundness import sound_problems
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result

RIGHT = "def add(a, b): return a + b"


def problem(name, reference=RIGHT, tests="assert add(1, 2) == 3"):
    return StandaloneProblem(name, "python", "Add.", reference, "", tests)


def run(program):
    """What a program comes to, by running it here."""
    try:
        exec(program.text, {})
    except AssertionError:
        name = "assertion"
    except NameError:
        name = "exception"
    else:
        name = "infrastructure" if "machine" in program.text else "passed"
    return Result(name, "", 0, 0, "", 1.0)


async def test_only_problems_whose_tests_can_tell_are_kept():
    problems = [
        problem("good"),
        problem("broken", reference="def add(a, b): return a"),
        problem("blind", tests="x = 1"),
        problem("bare", reference=""),
        problem("untested", tests=""),
        problem("failing", tests="machine = add"),
    ]
    done = []
    found = await sound_problems(problems, FakePrograms(run), with_reference=True, notify=done.append)
    assert [one.name for one in found.kept] == ["good", "untested", "failing"]
    assert found.left_out == {
        "broken": "its reference fails its own tests: assertion",
        "blind": "its tests pass without a solution",
        "bare": "it has no reference: --ask-first has the model write the first solution",
    }
    assert done == [1, 2, 3, 4, 5, 6]
    found = await sound_problems(problems, FakePrograms(run), with_reference=False)
    assert [one.name for one in found.kept] == ["good", "bare", "untested", "failing"]


def test_the_lines_of_a_solution_are_known():
    program = StandaloneProblem("a", "python", "b", "", "import os\nimport re", "assert f").program("f = 1\ng = 2")
    first, last = program.written
    assert program.text.splitlines()[first - 1 : last] == ["f = 1", "g = 2"]
