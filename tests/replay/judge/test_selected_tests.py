"""Grafts that run only the tests that touch them, and the sample that runs all."""

import pytest

from replay.judge.grafts import Hole
from replay.judge.selected_tests import Selection, function_lines
from replay.judge.states import Case, ProjectState
from replay.records import Verdict
from runners.coverage import Coverage
from tests.support.selected_tests import BODY, FINAL, OTHER, READS, RUNS, moment_ended
from tests.support.tapes import moment_of


async def test_a_graft_runs_the_tests_that_touch_it_and_a_sample_all(prepare):
    judge, _ = await prepare(RUNS)
    judge.selection.share = 0.0
    verdicts = [await judge.verdict(moment_ended(text)) for text in (BODY, "return x + 2", "return x.y")]
    assert [(one.name, one.passed, one.failed) for one in verdicts] == [
        ("passed", 2, 0),  # the first is always of the sample
        ("passed", 1, 0),
        ("exception", 0, 1),
    ]
    assert judge.selection.counts == {"selected": 3, "sampled": 1, "disagreed": 0}


async def test_a_test_that_reads_the_file_is_missed_by_selection_and_caught_by_the_sample(prepare):
    judge, _ = await prepare(RUNS + READS)
    verdicts = [await judge.verdict(moment_ended(text)) for text in ("return x + 2", "return x + 3")]
    assert [(one.name, one.passed, one.failed) for one in verdicts] == [("assertion", 2, 1)] * 2
    assert judge.selection.counts == {"selected": 1, "sampled": 1, "disagreed": 1}


def hole(final, truth, path="a.py"):
    start = final.index(truth)
    return Hole(path, final, start, start + len(truth))


@pytest.mark.parametrize(
    ("final", "truth", "text", "lines"),
    [
        (FINAL, BODY, "return 5", (2, 2)),
        (FINAL, "\n    return x * 2", '\n    if x:\n        """y"""\n    return x', (6, 7)),
        (FINAL, BODY, f"{BODY}\nX = 1", None),
        (FINAL, BODY, 'return """', None),
        (FINAL, f"(x):\n    {BODY}", "(x, y):\n    pass", None),
        (FINAL, OTHER, "\n", None),
        ("class A:\n    def f(self):\n        return 1\n\n    x = 2\n", "return 1", "return 2\n\n    y = 3", None),
        ("class A:\n    def f(self):\n        return 1\n\n    x = 2\n", "return 1", "x = 1\n        return 2", (3, 3)),
        ("class A:\n    x = 1\n", "x = 1", "x = 2", None),
        ("def f():\n    def g():\n        return 1\n    return g()\n", "return 1", "return 2", (2, 4)),
        ("def f():\n    # why\n    return 1\n", "# why\n    return 1", "return 2", (2, 3)),
        ("é = 'ü'\r\ndef f():\r\n    return 1\r\n", "return 1", "return '𝄞'", (3, 3)),
        ("x = 1\r\rdef f():\r\n    return 1\r\n", "return 1", "return 2", None),
        ("async def f():\n    return 1\n", "return 1", "return 2", (2, 2)),
        ("@d\ndef f(\n    x=1,\n) -> int:\n    return 1\n", "return 1", "return 2", (5, 5)),
        ("f = lambda: 1\n", "1", "2", None),
    ],
)
def test_a_hole_means_the_lines_of_its_function_while_nothing_else_changes(final, truth, text, lines):
    changed = final.replace(truth, text, 1)
    assert function_lines(hole(final, truth), (final, changed)) == lines


F, G = "function f(x) {\n  return x + 1;\n}\n", "const g = (y) => f(y) * 2, h = () => { g(1) };\n"


@pytest.mark.parametrize(
    ("final", "truth", "text", "lines"),
    [
        (F + G, "x + 1;", "x;", (1, 3)),
        (F + G, "\n  return x + 1;\n", "\n  'use strict';\n  return `}`;\n", (1, 3)),
        (F + G, "return x + 1;", "return x + 1; }", None),
        (F + G, "return x + 1;", "return 1;\n}\nfunction h() {\n  return 2;", None),
        (F + G, "return x + 1;", "if (x) {", None),
        (F + G, "return x + 1;", "return `", None),
        (F + G, "return x + 1;", "/* return", None),
        (F + G, "f(y) * 2", "{ return 1 }", (4, 4)),
        (F + G, "f(y) * 2", "f(y) * 3, k = 2", None),
        (F + G, "(y) =>", "(y, z) =>", None),
        (F + G, "g(1)", "g(2)", (4, 4)),
        ("class A {\n  #x = 1;\n  get y() {\n    return 1;\n  }\n}\n", "return 1", "return 2", (3, 5)),
        ("class A {\n  #x = 1;\n  get y() {\n    return 1;\n  }\n}\n", "= 1", "= 2", None),
        ("class A { static {\n  f(1);\n} }\n", "f(1)", "f(2)", None),
        ("f(() => {\n  const g = () => {\n    return 1;\n  };\n});\n", "return 1", "return 2", (1, 5)),
        ("const é = 'ü';\r\nfunction f() {\r\n  return 1;\r\n}\r\n", "return 1", "return '𝄞'", (2, 4)),
    ],
)
@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_a_hole_in_a_script_means_the_lines_of_its_function(path, final, truth, text, lines):
    changed = final.replace(truth, text, 1)
    assert function_lines(hole(final, truth, path), (final, changed)) == lines


def test_documents_in_other_languages_have_no_lines():
    assert function_lines(hole("class A { int f() { return 1; } }", "return 1;", "A.java"), ("",)) is None


def test_the_sample_is_drawn_from_the_moment_and_the_seed():
    def drawn(seed):
        selection = Selection(None, seed=seed)
        return [selection.samples(moment_of(number)) for number in range(400)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert drawn(1)[0]
    assert 15 < sum(drawn(1)) < 80


def test_the_draw_of_a_suggestion_stays_and_counts_once():
    selection = Selection(None, share=0.5)
    first = [selection.samples(moment_of(number), "x") for number in range(50)]
    assert [selection.samples(moment_of(number), "x") for number in range(50)] == first
    assert selection.counts == {"selected": 50, "sampled": sum(first), "disagreed": 0}


def test_after_two_verdicts_that_differ_all_tests_run():
    selection = Selection(Coverage({"a.py": {2: frozenset({"t"})}}), frozenset({"t"}))
    case = Case(None, graft=ProjectState("a.py", FINAL), emptied=None, hole=hole(FINAL, BODY))
    passed, failed = Verdict(name="passed"), Verdict(name="failed")
    for one, other, expected in [
        (passed, Verdict(name="passed", passed=9), {"t"}),
        (Verdict(name="failed", reason="# duration_ms 71.2"), Verdict(name="failed", reason="# duration_ms 8"), {"t"}),
        (Verdict(name="infrastructure"), failed, {"t"}),
        (passed, failed, None),
    ]:
        selection.compare(one, other)
        assert selection.tests(case) == expected
    assert Selection(None).tests(case) is None
    assert Selection(selection.coverage, frozenset({"another"})).tests(case) is None, "no test that passes touches it"
