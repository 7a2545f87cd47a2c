"""Answers that pass because the assertions behind them are never reached: each fails, and a right answer next to them passes."""

import asyncio

import pytest

from runners.programs import Program, ReachedChecks
from runners.programs.checks import checks_of
from runners.programs.fake_program import FakePrograms
from runners.programs.probes import placed, with_probes
from runners.verdicts import Result
from tests.support.scale import sampled

# A wrong function, a loop that a model is to begin, and the assertions in it. The comments at its end can close what an answer opens.
AROUND = {
    "python": (
        "def total(a, b):\n    return a - b\n\ndef check():\n    value = total(1, 2)\n",
        '\n        assert value == WANTED\n        # a note: """\n\ncheck()\nprint("done")\n',
    ),
    "javascript": (
        "const assert = require('assert');\nconst total = (a, b) => a - b;\nfunction check() {\n  const value = total(1, 2);\n",
        "\n    assert.equal(value, WANTED);\n    // a note: `;\n    /* a note */\n  };\n}\ncheck();\nconsole.log('done');\n",
    ),
    "typescript": (
        (
            "import * as assert from 'assert';\nconst total = (a: number, b: number): number => a - b;\nfunction check(): void {\n"
            "  const value = total(1, 2);\n"
        ),
        "\n    assert.equal(value, WANTED);\n    // a note: `;\n    /* a note */\n  };\n}\ncheck();\nconsole.log('done');\n",
    ),
    "java": (
        "public class P {\n  static int total(int a, int b) { return a - b; }\n  static void check() {\n    int value = total(1, 2);\n",
        (
            '\n      assert value == WANTED;\n      // a note: """;\n      /* a note */\n    };\n  }\n'
            '  public static void main(String[] a) {\n    check();\n    System.out.println("done");\n  }\n}\n'
        ),
    ),
    "cpp": (
        "#include <cassert>\n#include <cstdio>\nint total(int a, int b) { return a - b; }\nvoid check() {\n  int value = total(1, 2);\n",
        '\n    assert(value == WANTED);\n    // a note: )";\n    /* a note */\n  };\n}\nint main() {\n  check();\n  puts("done");\n  return 0;\n}\n',
    ),
}
TRUTH = {
    "python": "    for _ in [1]:",
    "javascript": "  for (const _ of [1]) {",
    "typescript": "  for (const _ of [1]) {",
    "java": "    for (int i = 0; i < 1; i++) {",
    "cpp": "  for (int i = 0; i < 1; i++) {",
}
RIGHT = {
    "python": "    one = 1\n    if one:\n        print(one)",
    "javascript": "  const one = 1;\n\n  if (one) {",
    "typescript": "  const one = 1;\n\n  if (one) {",
    "java": "    int one = 1;\n\n    if (one > 0) {",
    "cpp": "  int one = 1;\n\n  if (one) {",
}
WAYS = {
    "python": {
        "returns early": "    return\n    for _ in [1]:",
        "opens a docstring": '    if value:\n        """',
        "never calls a function": "    def later():",
        "never takes a branch": "    if value > 100:",
        "never enters a loop": "    for _ in ():",
    },
    "javascript": {
        "returns early": "  if (value) return;\n  {",
        "opens a template literal": "  { const text = `",
        "opens a comment": "  { /*",
        "never calls a function": "  const later = () => {",
        "never takes a branch": "  if (value > 100) {",
    },
    "typescript": {
        "returns early": "  if (value) return;\n  {",
        "opens a template literal": "  { const text = `",
        "opens a comment": "  { /*",
        "never calls a function": "  const later = () => {",
        "never takes a branch": "  if (value > 100) {",
    },
    "java": {
        "returns early": "    if (value < 100) return;\n    {",
        "opens a text block": '    { String text = """',
        "opens a comment": "    { /*",
        "never calls a function": "    Runnable later = () -> {",
        "never takes a branch": "    if (value > 100) {",
    },
    "cpp": {
        "returns early": "  if (value < 100) return;\n  {",
        "opens a raw string": '  { const char *text = R"(',
        "opens a comment": "  { /*",
        "never calls a function": "  auto later = [&] {",
        "never takes a branch": "  if (value > 100) {",
    },
}


class Finished:
    """Finished programs of each language, of which it is found out once what they execute: `value == -1` is what they assert."""

    def __init__(self):
        self.known = {}

    def __call__(self, language):
        if language not in self.known:
            program, hole = graft(language, TRUTH[language], -1)
            self.known[language] = ReachedChecks(program, hole, 60.0)
        return self.known[language]


def graft(language, answer, wanted):
    before, after = AROUND[language]
    after = after.replace("WANTED", str(wanted))
    first = before.count("\n") + 1
    written = (first, first + answer.count("\n"))
    return Program(language, before + answer + after, written=written), (len(before), len(before) + len(answer))


@pytest.fixture(scope="module")
def finished():
    return Finished()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "way"), sampled([(language, way) for language, ways in WAYS.items() for way in ways])
)
@pytest.mark.asyncio(loop_scope="session")
async def test_what_the_tests_never_reach_does_not_pass(language, way, finished, programs, need_for):
    need_for(language)
    program, _ = graft(language, WAYS[language][way], -1)
    programs = programs.workers
    alone = await programs.run(program, timeout_s=60.0)
    assert alone.verdict_class == "passed", alone  # status 0, and its end: nothing else tells
    result = await finished(language).confirmed(alone, program, programs)
    line = next(number for number, line in enumerate(program.text.splitlines(), 1) if "assert" in line and "-1" in line)
    assert result.verdict_class == "failed"
    assert result.message.startswith(
        f"line {line} of the tests, which runs in the finished program, does not run: assert"
    )


@pytest.mark.sampled
@pytest.mark.parametrize("language", sampled(list(AROUND)))
@pytest.mark.asyncio(loop_scope="session")
async def test_another_right_answer_passes(language, finished, programs, need_for):
    need_for(language)
    program, _ = graft(language, RIGHT[language], -1)
    programs = programs.workers
    alone = await programs.run(program, timeout_s=60.0)
    assert (alone.verdict_class, (await finished(language).confirmed(alone, program, programs))) == ("passed", alone)


# A right answer may leave a helper uncalled that the developer's text called. The text up to the hole, the truth, another answer, and the rest.
HELPERS = {
    "python": (
        "def double(xs):\n",
        "    return [clean(x) for x in xs]",
        "    return [x * 2 for x in xs]",
        "\n\ndef clean(x):\n    assert x >= 0\n    return x * 2\n\nassert double([1, 2]) == [2, 4]\n",
    ),
    "javascript": (
        "const assert = require('assert');\nfunction double(xs) {\n",
        "  return xs.map(clean);",
        "  return xs.map((x) => x * 2);",
        "\n}\nfunction clean(x) {\n  assert(x >= 0);\n  return x * 2;\n}\nassert.deepEqual(double([1, 2]), [2, 4]);\nmodule.exports = { clean };\n",
    ),
    "typescript": (
        "import * as assert from 'assert';\nfunction double(xs: number[]): number[] {\n",
        "  return xs.map(clean);",
        "  return xs.map((x) => x * 2);",
        "\n}\nconst clean = (x: number): number => {\n  assert.ok(x >= 0);\n  return x * 2;\n};\nassert.deepEqual(double([1, 2]), [2, 4]);\n",
    ),
    "java": (
        "public class P {\n  static int twice(int x) {\n",
        "    return clean(x);",
        "    return x * 2;",
        (
            "\n  }\n  static int clean(int x) {\n    assert x >= 0;\n    return x * 2;\n  }\n"
            "  public static void main(String[] a) {\n    assert twice(2) == 4;\n  }\n}\n"
        ),
    ),
    "cpp": (
        "#include <cassert>\nint clean(int x);\nint twice(int x) {\n",
        "  return clean(x);",
        "  return x * 2;",
        "\n}\nint clean(int x) {\n  assert(x >= 0);\n  return x * 2;\n}\nint main() {\n  assert(twice(2) == 4);\n}\n",
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("language", sampled(list(HELPERS)))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_right_answer_that_leaves_a_helper_uncalled_passes(language, programs, need_for):
    need_for(language)
    before, truth, answer, after = HELPERS[language]
    line, workers = before.count("\n") + 1, programs.workers
    program = Program(language, before + answer + after, written=(line, line))
    reached = ReachedChecks(Program(language, before + truth + after), (len(before), len(before) + len(truth)), 60.0)
    alone = await workers.run(program, timeout_s=60.0)
    assert alone.verdict_class == "passed", alone
    assert await reached.confirmed(alone, program, workers) == alone


# What counts as tests, and where it stands.


def checks(language, before, truth, after):
    text = before + truth + after
    found = checks_of(language, text, (len(before), len(before) + len(truth)))
    return [text[check.start : check.end].split("\n")[0] for check in found]


def test_assertions_behind_the_hole_and_the_outermost_statements_are_tests():
    before = "import sys\n\ndef add(a, b):\n    assert a\n    "
    after = "\n\ndef helper():\n    return 1\n\ndef other():\n    assert helper()\n\nother()\nx = add(1, 2)\nif x:\n    assert x == 3\n"
    expected = ["assert helper()", "other()", "x = add(1, 2)", "if x:", "assert x == 3"]
    assert checks("python", before, "return a + b", after) == expected


@pytest.mark.parametrize("language", HELPERS)
def test_the_assertions_of_a_helper_that_only_the_hole_calls_are_no_tests(language):
    before, truth, _, after = HELPERS[language]
    found = checks(language, before, truth, after)
    assert found
    assert not [line for line in found if ">= 0" in line]


@pytest.mark.parametrize(
    "caller",
    [
        "def test_all():\n    clean(1)\n",
        "def other():\n    return clean(1)\nother()\n",
        "for f in [double, clean]:\n    f([1])\n",
        "class Sums(TestCase):\n    def runTest(self):\n        clean(1)\n",
        "class Worker(Thread):\n    def run(self):\n        clean(1)\nWorker().start()\n",
        "class Worker:\n    def __init__(self):\n        clean(1)\nWorker()\n",
        "@app.route('/')\ndef index():\n    return clean(1)\n",
    ],
)
def test_the_assertions_of_a_helper_that_tests_call_by_another_way_are_tests(caller):
    before, truth, _, after = HELPERS["python"]
    assert "assert x >= 0" in checks("python", before, truth, f"{after}\n{caller}")


@pytest.mark.parametrize(
    "caller",
    [
        "def helper():\n    return clean(1)\ndef again():\n    return helper() + again()\n",
        "class Cleaner:\n    def __init__(self, x):\n        clean(x)\n",
    ],
)
def test_functions_that_only_the_hole_names_lead_to_no_tests(caller):
    before, _, _, after = HELPERS["python"]
    assert "assert x >= 0" not in checks("python", before, "    again(); Cleaner(1)", f"{after}\n{caller}")


def test_constructors_count_with_their_own_class():
    classes = "struct Used { Used(int x) { assert(x > 1); } };\nstruct Spare { Spare(int x) { assert(x > 2); } };\n"
    found = checks(
        "cpp",
        "#include <cassert>\nint f() {\n",
        "  Spare s(3); return 1;",
        f"\n}}\n{classes}int main() {{ Used u(2); }}\n",
    )
    assert [line for line in found if line.startswith("assert")] == ["assert(x > 1);"]


def test_assertions_behind_the_hole_in_the_function_that_holds_it_are_tests():
    before, after = "def solve(xs):\n", "\n    assert total == 3\n    return total\n\nsolve([1, 2])\n"
    assert checks("python", before, "    total = sum(xs)", after) == ["assert total == 3", "solve([1, 2])"]


def test_before_the_hole_only_functions_called_like_tests_are():
    before = "function add(a, b) { assert(a); return a + b; }\nfunction testAdd() { if (add(1, 2) !== 3) throw 1; }\n"
    found = checks("javascript", before, "foo();", "\ntestAdd();\n")
    assert found == ["if (add(1, 2) !== 3) throw 1;", "testAdd();"]


def test_a_call_of_a_function_that_asserts_is_an_assertion():
    before = "public class P {\n"
    after = """
  static void same(int a, int b) { assert a == b; }
  static void all() { same(1, 1); if (P.x) { same(2, 2); } }
  public static void main(String[] a) { all(); int y = 2; return; }
}
"""
    expected = ["assert a == b;", "same(1, 1);", "same(2, 2);", "all();", "int y = 2;"]
    assert checks("java", before, "  static boolean x = true;", after) == expected


def test_nothing_of_the_hole_is_a_test_nor_what_holds_it():
    before = "#include <cassert>\nint main() {\n  if (true) {\n"
    assert checks("cpp", before, "    assert(1);\n", "  }\n  assert(2);\n  return 0;\n}\n") == ["assert(2);"]


def test_probes_stand_on_the_line_of_their_statement_and_inside_of_what_it_hangs_on():
    text = "if (x)\n  assert(y);\nconst z = 1;\n"
    found = checks_of("javascript", text, (0, 0))
    made = with_probes("javascript", text, dict(enumerate(found)))
    lines = made.splitlines()
    assert len(lines) == 3
    assert lines[1].lstrip().startswith("{ globalThis.__ghosttape_ran__")
    assert lines[1].endswith("assert(y); }")


def test_statements_keep_their_place_at_either_side_of_the_hole():
    finished, graft = (
        "def test_a():\n    assert 1\nHOLE\nassert 2\n",
        "def test_a():\n    assert 1\nmuch more\nassert 2\n",
    )
    at = finished.index("HOLE")
    found = checks_of("python", finished, (at, at + 4))
    moved = placed(found, finished, graft, (at, at + 4))
    assert [graft[check.start : check.end] for check in moved.values()] == ["assert 1", "assert 2"]


def test_a_statement_that_an_answer_has_overwritten_counts_as_not_run():
    finished = Program("python", "x = 1\nassert x\nassert x == 1\n")
    passed = Result("passed", "", None, None, "", 1.0)
    fake = FakePrograms(lambda program: Result("passed", "", None, None, "", 1.0, reached=frozenset(program.probes)))
    graft = Program("python", "x = 2\nassert x == 1\n")
    reached = ReachedChecks(finished, (0, 5), 1.0)
    result = asyncio.run(reached.confirmed(passed, graft, fake))
    assert (result.verdict_class, result.message) == (
        "failed",
        "a statement of the tests is not there any more: assert x",
    )
