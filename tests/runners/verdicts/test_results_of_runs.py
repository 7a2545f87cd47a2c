"""How a run's tests are counted: by the witness of their runner, else by its JUnit files, else by its summary."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runners import witness
from runners.environments.tried_ways import failing_tests
from runners.project import result_of
from runners.protocol import Completed
from runners.verdicts import classify, junit_files
from runners.verdicts.classification import without_other_tests
from runners.verdicts.junit_files import JUnitReport, places
from runners.verdicts.test_counts import count_tests

NONCE = witness.new_nonce()
MANY = """from clamp import clamp

def test_many(subtests):
    for x, want in ((9, 5), (6, 5), (-3, 0)):
        with subtests.test("x [1/3]", x=x):
            assert clamp(x, 0, 5) == want

def test_plain():
    assert clamp(1, 0, 5) == 1
"""
INNER = """import pytest, unittest
pytest_plugins = ["pytester"]

def test_that_runs_pytest(pytester):
    pytester.makepyfile("def test_inner(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(failed=1)
    pytester.runpytest_subprocess().assert_outcomes(failed=1)

def test_that_runs_unittest():
    class Inner(unittest.TestCase):
        def test_inner(self): self.fail()
    assert not unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Inner)).wasSuccessful()
"""
UNITTEST = """import unittest
class T(unittest.TestCase):
    def test_case(self): pass
    def test_parts(self):
        for x in (1, 2, 3):
            with self.subTest(x=x): self.assertEqual(x, 2)
    def test_skipped_part(self):
        with self.subTest(x=1): self.skipTest("no")
        with self.subTest(x=2): pass
    def test_then_skipped(self):
        with self.subTest(x=1): pass
        self.skipTest("no")
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
"""


def ran(folder, command, **files):
    """Run a command of Python with the witness, as a project's environment has it, and return the result."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{witness.FILES}{os.pathsep}{folder}", "GHOSTTAPE_WITNESS": NONCE}
    env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [
        sys.executable,
        "-c",
        f"import ghosttape_witness, runpy, sys; sys.argv = {command!r}; runpy.run_module({command[0]!r}, run_name='__main__')",
    ]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return result_of(
        Completed(done.returncode, None, done.stdout, done.stderr, 1.0), f"python -m {' '.join(command)}", NONCE
    )[0]


def pytest_command(*options):
    return ["pytest", "-p", "ghosttape_witness", "-p", "no:cacheprovider", *options]


@pytest.mark.parametrize("options", [["-qq"], ["-ra", "-q", "-q", "-q"], ["-p", "no:terminal"], ["-v", "--color=yes"]])
def test_a_run_of_pytest_without_a_summary_is_counted(options, tmp_path):
    test = "from clamp import clamp\ndef test_a(): assert clamp(9, 0, 5) == 5\n"
    for body, counts in (("min(x, hi)", ("passed", 1, 0)), ("x", ("assertion", 0, 1))):
        result = ran(
            tmp_path, pytest_command(*options), clamp=f"def clamp(x, lo, hi): return {body}\n", test_clamp=test
        )
        if options == ["-p", "no:terminal"]:  # which writes nothing that tells an assertion
            assert (result.passed, result.failed) == counts[1:]
        else:
            assert (result.verdict_class, result.passed, result.failed) == counts


def test_subtests_of_pytest_count_inside_their_test(tmp_path):
    wrong = ran(tmp_path, pytest_command("-q"), clamp="def clamp(x, lo, hi): return x\n", test_clamp=MANY)
    if "fixture 'subtests' not found" in wrong.log:
        pytest.skip("this pytest has no subtests")
    assert (wrong.passed, wrong.failed) == (1, 1)
    assert (wrong.tests, wrong.failing) == ({"test_clamp.py::test_plain"}, {"test_clamp.py::test_many"})
    right = ran(
        tmp_path, pytest_command("-q"), clamp="def clamp(x, lo, hi): return max(lo, min(hi, x))\n", test_clamp=MANY
    )
    assert (right.passed, right.failed) == (2, 0)


def test_parts_of_a_test_of_unittest_count_inside_it(tmp_path):
    result = ran(tmp_path, ["unittest", "test_u"], test_u=UNITTEST)
    assert result.tests == {"test_u.T.test_case", "test_u.T.test_skipped_part"}
    assert result.failing == {"test_u.T.test_parts", "test_u.T.test_unexpected"}
    assert (result.passed, result.failed) == (2, 2)


def test_a_file_that_cannot_be_collected_has_failed(tmp_path):
    result = ran(
        tmp_path,
        pytest_command("-qq", "--continue-on-collection-errors"),
        test_a="import nothing_here",
        test_b="def test_b(): pass",
    )
    assert (result.passed, result.failed, result.failing) == (1, 1, {"test_a.py"})


def test_what_a_test_starts_is_not_counted(tmp_path):
    result = ran(tmp_path, pytest_command("-q"), test_inner=INNER)
    assert (result.verdict_class, result.passed, result.failed) == ("passed", 2, 0), result.log


def words(*said):
    return "".join(f"\n{NONCE} {word}\n" for word in said)


def test_the_witness_outweighs_files_and_files_outweigh_the_summary():
    report = JUnitReport(frozenset({"a"}), frozenset({"b"}))
    summary = Completed(0, None, "== 3 failed, 4 passed in 0.1s ==\n", "", 1.0)
    said = Completed(0, None, summary.stdout, words("counts 2 0 pytest", "counts 1 0 node --test"), 1.0)
    for done, files, counts in (
        (said, report, ("passed", 3, 0)),
        (summary, report, ("failed", 1, 1)),
        (summary, None, ("failed", 4, 3)),
    ):
        result, _ = result_of(done, "pytest", NONCE, files)
        assert (result.verdict_class, result.passed, result.failed) == counts


def test_a_witness_that_saw_no_test_says_nothing_of_their_number():
    done = Completed(0, None, "Ran 3 tests in 0.1s\n\nOK\n", words("counts 0 0 unittest"), 1.0)
    assert result_of(done, "python -m xmlrunner", NONCE)[0].passed == 3


def test_status_0_with_failed_tests_says_how_many():
    result, _ = result_of(Completed(0, None, "", words("counts 2 1 jest"), 1.0), "jest || true", NONCE)
    assert (result.verdict_class, result.message) == ("failed", "exit status 0, but 1 failed (jest)")


GOOD = '<testcase classname="T" name="a"/><testcase classname="T" name="b"><failure message="9 != 5"/></testcase>'
OPEN = '<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite name="s">'
SHUT = "</testsuite></testsuites>"
DAMAGED = {
    "control characters": f"{OPEN}{GOOD}<system-out>\x1b[32mok\x1b[0m\x00</system-out>{SHUT}".encode(),
    "references to control characters": f"{OPEN}{GOOD}<system-out>&#27;[32m&#x1B;&#0;</system-out>{SHUT}".encode(),
    "a bare ampersand": f'{OPEN}<properties><property value="a && b &nbsp;"/></properties>{GOOD}{SHUT}'.encode(),
    "cut in a tag": f'{OPEN}{GOOD}<testcase classname="T" na'.encode(),
    "cut in a test": f'{OPEN}{GOOD}<testcase classname="T" name="c"><system-out>'.encode(),
    "never closed": f"{OPEN}{GOOD}".encode(),
    "another encoding than declared": f"{OPEN}{GOOD}<system-out>é</system-out>{SHUT}".encode("latin-1"),
    "declared as UTF-16": f"{OPEN}{GOOD}{SHUT}".replace("UTF-8", "utf-16").encode(),
    "an unknown encoding": f"{OPEN}{GOOD}{SHUT}".replace("UTF-8", "ansi-x").encode(),
    "UTF-16 without a mark": f"{OPEN}{GOOD}\x01{SHUT}".replace("UTF-8", "UTF-16").encode("utf-16-le"),
    "a log before it": f"Picked up JAVA_TOOL_OPTIONS\n{OPEN}{GOOD}{SHUT}".encode(),
    "half a surrogate pair": f"{OPEN}{GOOD}<system-out>\ud83d</system-out>{SHUT}".encode("utf-8", "surrogatepass"),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_damaged_junit_files_are_read_as_far_as_possible_and_reported(how, tmp_path):
    (tmp_path / "report.xml").write_bytes(DAMAGED[how])
    report = junit_files.read(tmp_path, places("sh run.sh --junitxml=report.xml"))
    assert (report.passed, report.failed) == ({"T a"}, {"T b"})
    assert report.damage.startswith("report.xml: ")
    result, _ = result_of(Completed(0, None, "", "", 1.0), "sh run.sh", NONCE, report)
    assert (result.verdict_class, result.passed, result.failed, result.failing) == ("failed", 1, 1, {"T b"})
    assert result.damage in result.log


def test_two_documents_in_one_file_are_both_read(tmp_path):
    (tmp_path / "report.xml").write_text(2 * f"{OPEN}{GOOD}{SHUT}\n")
    report = junit_files.read(tmp_path, ["report.xml"])
    assert (report.passed, report.failed) == ({"T a", "T a #2"}, {"T b", "T b #2"})


def test_a_test_in_which_the_file_ends_has_failed_only_if_it_says_so(tmp_path):
    (tmp_path / "report.xml").write_text(f'{OPEN}<testcase name="a"/><testcase name="b"><failure/>')
    report = junit_files.read(tmp_path, ["report.xml"])
    assert (report.passed, report.failed) == ({"a"}, {"b"})


@pytest.mark.parametrize(
    "case",
    [
        '<testcase name="x"><skipped type="todo" message="true"/><failure type="testCodeFailure"/></testcase>',  # node
        '<testcase name="x" status="disabled"><system-out>Disabled</system-out></testcase>',  # ctest
        '<testcase name="x" status="notrun" result="suppressed"/>',  # GoogleTest
        '<testcase name="x"><skipped/></testcase>',
    ],
)
def test_what_was_left_out_or_is_to_be_written_neither_passed_nor_failed(case, tmp_path):
    (tmp_path / "report.xml").write_text(f'<t:testsuite xmlns:t="urn:x">{case}<t:testcase name="a"/></t:testsuite>')
    report = junit_files.read(tmp_path, ["report.xml"])
    assert (report.passed, report.failed, report.damage) == ({"a"}, set(), "")


def test_the_file_of_another_reporter_is_no_junit_file():
    assert places("jest --json --outputFile=r.json") == ()
    assert places("vitest run --reporter=junit --outputFile.junit=out/r.xml") == ("out/r.xml",)


REASONS = {
    "TAP": "not ok 1 - later # TODO\n  ---\n  error: 'zzz is not defined'\n  name: 'ReferenceError'\n  ...\nnot ok 2 - x\n  ---\n  error: '1 == 2'\n  code: 'ERR_ASSERTION'\n  ...\n",
    "spec": "✖ later (0.2ms) # TODO\n  ReferenceError: zzz is not defined\n\n✖ x (0.1ms)\n  AssertionError [ERR_ASSERTION]: 1 == 2\n",
    "jest": "  console.error\n    ReferenceError: zzz is not defined\n      at x\n\n  ● x\n    expect(received).toBe(expected)\n",
    "vitest": "stderr | a.test.ts > handles\nReferenceError: zzz is not defined\n\n FAIL  a.test.ts > x\nAssertionError: expected 1 to be 2\n",
    "pytest": "=== XFAILURES ===\nE   NameError: zzz\n=== FAILURES ===\nE   assert 1 == 2\n=== PASSES ===\nNameError: printed\n=== short test summary info ===\nFAILED a\n",
}


@pytest.mark.parametrize("runner", REASONS)
def test_the_reason_is_that_of_a_test_that_failed(runner):
    result = classify(Completed(1, None, REASONS[runner], "", 1.0), "make check")
    assert (result.verdict_class, "zzz" in result.message) == ("assertion", False)


def test_what_is_left_of_a_log_without_marks_is_all_of_it():
    text = "a\n\n  b\n# c\nok 1 - d\nnot ok 2 - e # f\n"
    assert without_other_tests(text) == text


def test_tests_to_be_written_are_not_named_as_failing():
    log = "not ok 1 - a # TODO later\n    not ok 2 - b # SKIP\nnot ok 3 - c # of d\nnot ok 4 - e\n"
    assert failing_tests(log) == ("c", "e")


SUMMARIES = [
    ("jasmine", "5 specs, 1 failure, 3 pending specs\n", (1, 1)),
    ("uvu -r esm tests", "  Total:     2\n  Passed:    1\n  Skipped:   1\n", (1, 1)),
    ("poku", "PASS › 3\nFAIL › 1\n", (3, 1)),
    ("tap", "# { total: 6, pass: 2, fail: 1, todo: 2, skip: 1 }\n", (2, 1)),
    ("node t.js", "# tests = 3/4 pass\n# asserts = 1/2 pass\n", (0, 1)),
    ("tape t.js", "# fail  9\nok 1 x\nnot ok 2 y # TODO\n\n1..2\n# tests 2\n# pass  2\n\n# ok\n", (2, 0)),
    ("ava --tap", "TAP version 13\nok 1 - a\nok 2 - s # SKIP\nnot ok 3 - b\n\n1..3\n", (1, 1)),
    ("ava --tap", "1..10\nok 1\nok 2\n", (0, 0)),
    ("ava --tap", "ok 1\n1..1\nok 1\nok 2 # skip\n1..2\n", (2, 0)),
    ("mocha", "1..2\nok 1 a\nnot ok 2 b\n", (1, 1)),
    ("pytest --tap", "1..1\nok 1\n", (0, 0)),
    ("cargo test", "1..1\nok 1\n", (0, 0)),
    ("ctest --output tap", "1..1\nok 1\n", (1, 0)),
    ("bun test", " 2 pass\n 1 skip\n 1 fail\nRan 4 tests across 1 file. [38.00ms]\n", (2, 1)),
    ("deno test", "FAILED | 2 passed (1 step) | 1 failed | 1 ignored (32ms)\n", (2, 1)),
    ("gotestsum ./...", "DONE 11 tests, 2 skipped, 4 failures, 1 error in 1.697s\n", (5, 5)),
    ("go test -v ./...", "partial--- PASS: TestB (0.00s)\n    --- FAIL: TestC/x (0.00s)\n--- FAIL: TestC (0.00s)\n", (1, 1)),
    ("go test ./...", "ok  \tm/p\t0.06s\nFAIL\tm/r [build failed]\nFAIL\n", (1, 1)),
    ("go test -json", '{"Action":"pass","Package":"m","Test":"TestA","Elapsed":0}\n{"Action":"fail","Test":"TestB/x"}\n{"Action":"fail","Package":"m","Test":"TestB"}\n', (1, 1)),
    ("cargo nextest run", "     Summary [   0.225s] 3 tests run: 1 passed, 1 failed, 1 timed out, 1 skipped\n", (1, 2)),
    ("cargo test", "test result: ok. 9 passed; 9 failed; x\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.4s\n", (2, 0)),
    ("ctest", "100% tests passed, 0 tests failed out of 3\n\nThe following tests did not run:\n\t  3 - d (Disabled)\n\t  4 - e (Skipped)\n", (2, 0)),
    ("mvn test", "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n", (3, 0)),
    ("nosetests", "Ran 5 tests in 0.016s\n\nFAILED (SKIP=1, failures=2)\n", (2, 2)),
    ("green", "Ran 5 tests in 0.205s using 2 processes\n\nFAILED (expected_failures=1, failures=2, passes=1, skips=1)\n", (1, 2)),
    ("trial t", "Ran 4 tests in 0.1s\n\nPASSED (skips=1, expectedFailures=1, successes=2)\n", (2, 0)),
    (
        "make check",
        f"{'=' * 70}\nFAIL: test_a (t.T.test_a) (x=1)\n{'=' * 70}\nFAIL: test_a (t.T.test_a) (x=2)\nRan 2 tests in 0.1s\n\nFAILED (failures=2)\n",
        (1, 1),
    ),
    (
        "python -m unittest a; python -m unittest a",
        f"{'=' * 70}\nFAIL: test_a (t.T.test_a)\nRan 2 tests in 0.1s\n\nFAILED (failures=1)\n" * 2,
        (1, 1),
    ),
    (
        "python -m unittest a; python -m unittest a",
        f"{'=' * 70}\nFAIL: test_a (t.T.test_a) (x=1)\nRan 2 tests in 0.1s\n\nFAILED (failures=1)\n" * 2,
        (1, 1),
    ),
    (
        "python -m unittest a",
        f"{'=' * 70}\nFAIL: test_a (t.T.test_a) [m] (x=1)\n{'=' * 70}\nERROR: test_a (t.T.test_a)\nRan 2 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n",
        (1, 1),
    ),
    (
        "python -m unittest a",
        f"{'=' * 70}\nFAIL: test_a (t.T.test_a)\n{'=' * 70}\nFAIL: test_a (t.T.test_a)\nRan 3 tests in 0.1s\n\nFAILED (failures=2)\n",
        (1, 2),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("command", "text", "counts"), SUMMARIES, ids=lambda value: str(value)[:20])
def test_summaries_are_read_as_their_runners_mean_them(command, text, counts):
    found = count_tests(text, command)
    assert (found.passed, found.failed) == counts


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("node --test", ["tap", "stdout"]),
        ("node --test --test-reporter=dot", ["stdout"]),
        ("node --test --test-reporter spec --test-reporter-destination stdout", []),
        ("npm test", None),
    ],
)
def test_node_has_a_witness_beside_the_reporters_of_a_command(command, said):
    class Sandbox:
        name = "bubblewrap"

    files = {"package.json": '{"scripts": {"test": "node --test --test-reporter=dot"}}'}
    told = witness.options("node", command, files, Sandbox())["NODE_OPTIONS"]
    reporters = [word.partition("=")[2] for word in told.split() if word.startswith("--test-reporter")]
    own = [f"{witness.FOLDER}/node/node-test.mjs", "stderr"]
    assert reporters == ([] if said is None else own + said)


def test_the_files_of_the_witness_are_where_they_are_looked_for():
    assert (witness.FILES / "ghosttape_witness.py").exists()
    assert Path(witness.FILES / "node" / "node-test.mjs").exists()
