"""Which tests touch which lines of a project, and runs of only some of its tests."""

import pytest

from runners.coverage import Coverage, record_coverage
from runners.coverage import python as coverage
from runners.errors import SetupFailed
from runners.project import ProjectPlan
from runners.protocol import Completed
from runners.verdicts import against_baseline, restrict_to
from tests.support.covered_project import (  # noqa: F401
    FILES,
    HOSTILE,
    PLAN,
    PROCESS,
    SMALL,
    UNIT,
    line_of,
    project_in_bubblewrap,
)
from tests.support.fakes.sandbox import FakeSandbox


async def test_lines_that_tests_share_are_touched_by_all(project, cache):
    _, found = await record_coverage(await project(), cache, lambda _: None)
    shared = ["import functools", "    return x\n", "LIMIT =", "    size", "def plain", "class Kind"]
    assert [found.touching("m.py", line_of(text), line_of(text)) for text in shared] == [None] * 6
    for function in ("shared", "ended", "by_process", "untouched"):
        number = line_of(f"def {function}") + 1
        assert found.touching("m.py", number, number) is None, function
    assert found.touching("late.py", 5, 5) is None
    assert found.touching("gone.py", 1, 9) is None


MADE = """\
from functools import cache


@cache
def make():
    class Kind:
        def __init__(self, x):
            self.x = x + 1

    def turns():
        x = 0
        while True:
            x = yield x + 2

    def add(x, y=lambda: 3):
        return x + y()

    run = turns()
    next(run)
    return Kind, run, add


def untold():
    return 1
"""
MADE_TESTS = """\
import made


def test_zero():
    assert made.make()


def test_kind():
    assert made.make()[0](1).x == 2


def test_turns():
    assert made.make()[1].send(3) == 5


def test_add():
    assert made.make()[2](1) == 4


def test_other():
    assert made.untold() == 1
"""


async def test_what_one_test_made_and_another_executes_is_touched_by_both(project, cache):
    result, found = await record_coverage(
        await project({"made.py": MADE, "test_made.py": MADE_TESTS}), cache, lambda _: None
    )
    assert result.verdict_class == "passed", result.log
    parts = {
        "x + 1": ["kind"],
        "yield": ["zero", "turns"],
        "lambda: 3": ["zero", "add"],
        "x + y()": ["add"],
        "return Kind": ["zero"],
    }
    for text, tests in parts.items():
        number = MADE.split(text, maxsplit=1)[0].count("\n") + 1
        expected = {f"test_made.py::test_{name}" for name in tests}
        assert found.touching("made.py", number, number) == expected, text
    first, last = (
        MADE.split("class Kind", maxsplit=1)[0].count("\n") + 1,
        MADE.split("return Kind", maxsplit=1)[0].count("\n") + 1,
    )
    told = found.touching("made.py", first, last)
    assert told == {f"test_made.py::test_{name}" for name in ("zero", "kind", "turns", "add")}


async def test_who_starts_processes_is_always_among_those_that_touch(project, cache):
    _, found = await record_coverage(await project(), cache, lambda _: None)
    number = line_of("return [plain")
    assert found.touching("m.py", number, number) == {UNIT, PROCESS}


async def test_only_the_named_tests_run_whatever_they_are_called(project):
    whole = await project()
    finished = await whole.run({})
    hostile = next(name for name in finished.tests if "exit" in name)
    for only in (frozenset({hostile}), frozenset({SMALL, UNIT}), frozenset(finished.tests)):
        result = against_baseline(await whole.run({}, only), restrict_to(finished, only))
        assert (result.verdict_class, result.tests) == ("passed", only)


async def test_a_named_test_that_is_gone_has_not_passed(project):
    whole = await project()
    finished, only = await whole.run({}), frozenset({SMALL, UNIT})
    changed = {"test_m.py": FILES["test_m.py"].replace("test_small", "test_other")}
    result = against_baseline(await whole.run(changed, only), restrict_to(finished, only))
    assert result.verdict_class == "failed"
    assert result.message == f"only 1 of the project's 2 tests ran: not {SMALL}"


async def test_pytest_inside_of_a_test_is_not_told_what_to_run(project):
    inner = "import pytest\n\n\ndef test_inner():\n    assert pytest.main(['-q', 'inner.py']) == 0\n"
    files = {"test_outer.py": inner, "inner.py": "def test_x():\n    pass\n"}
    whole = await project(files)
    assert (await whole.run({}, frozenset({"test_outer.py::test_inner"}))).verdict_class == "passed"


@pytest.mark.parametrize(
    ("files", "command"),
    [
        (
            {"test_a.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        pass\n"},
            "unittest -v",
        ),
        ({"test_a.py": "import subprocess\nsubprocess.run(['true'])\n\n\ndef test():\n    pass\n"}, "pytest -q"),
        ({"test_a.py": "import sys\nsys.settrace(None)\n\n\ndef test():\n    pass\n"}, "pytest -q"),
        (
            {"coverage.py": "VALUE = 1\n", "test_a.py": "from coverage import VALUE\n\n\ndef test():\n    pass\n"},
            "pytest -q",
        ),
        ({"own.py": "def hook():\n    pass\n", "test_a.py": "def test():\n    pass\n"}, "pytest -q -p own"),
    ],
    ids=["unittest", "a process at import", "no trace", "a module called coverage", "a plugin of the project's"],
)
async def test_where_coverage_cannot_know_it_says_so_and_the_tests_pass_as_ever(project, cache, files, command):
    told = []
    plan = ProjectPlan("python", PLAN.requires, command=f"python -m {command}", timeout_s=60.0)
    result, found = await record_coverage(await project(files, plan), cache, told.append)
    assert (result.verdict_class, result.passed, found) == ("passed", 1, None)
    assert "no coverage here" in told[-1]


async def test_other_toolchains_have_no_coverage_and_are_run_as_ever(project, cache):
    told = []
    sandbox = FakeSandbox(lambda job: Completed(0, None, "", "", 1.0))
    result, found = await record_coverage(
        await project({}, ProjectPlan("system", command="true"), sandbox), cache, told.append
    )
    assert (result.verdict_class, found, len(sandbox.jobs)) == ("passed", None, 1)
    assert told == ["no coverage here (toolchain system): every graft runs all tests"]


async def test_where_coverage_cannot_be_installed_all_tests_run(project, cache, monkeypatch):
    class Broken:
        async def layer(self, *_):
            raise SetupFailed("no network")

    whole, told = await project(), []
    monkeypatch.setattr(coverage, "toolchain", lambda name: Broken())
    result, found = await record_coverage(whole, cache, told.append)
    assert (result.verdict_class, found) == ("passed", None)
    assert told == ["no coverage here, every graft runs all tests: no network"]


@pytest.mark.parametrize(
    "said", [["touched x"], ["touched eJw="], ["touched eJyrrgUAAXUA+Q=="], ["touched ", "touched "], []]
)
def test_what_our_plugin_would_not_say_is_not_believed(said):
    assert coverage.read(said) is None


def test_of_several_lines_all_who_touch_one_are_meant():
    found = Coverage({"a.py": {2: frozenset("a"), 3: frozenset("b"), 5: None}}, frozenset("u"))
    assert found.touching("a.py", 1, 4) == frozenset("abu")
    assert found.touching("a.py", 2, 2) == frozenset("au")
    assert found.touching("a.py", 3, 5) is None
    assert found.touching("a.py", 4, 4) is None
