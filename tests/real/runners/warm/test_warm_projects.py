"""Tests of a project in interpreters that are held ready end as in a fresh sandbox; what is not certain is run in one."""

import asyncio
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import runners.warm
from runners.project import ProjectPlan, prepare
from runners.sandboxes import make
from runners.warm.warm_projects import WarmTests, imported, own_names

CODE = "import json\n\n\ndef double(x):\n    return x * 2\n\n\ndef loud(x):\n    return json.dumps(x)\n"
TESTS = """\
import logging

from code_of_app import double, loud


def test_double(capfd, tmp_path):
    assert double(2) == 4


def test_loud(caplog):
    logging.getLogger().warning("said")
    assert loud([1]) == "[1]" and caplog.messages == ["said"]
"""
COMMAND = "PYTHONPATH=src python -m pytest -p no:cacheprovider"
DOUBLE = "tests/test_app.py::test_double"
ANSWERS = {
    "right": CODE,
    "wrong": CODE.replace("x * 2", "x * 3"),
    "raises": CODE.replace("x * 2", "x.missing"),
    "no syntax": CODE.replace("x * 2", "(x"),
    "no name": CODE.replace("def double", "def other"),
    "leaves": CODE.replace("return x * 2", "import os; os._exit(0)"),
    "exits": CODE.replace("return x * 2", "raise SystemExit(0)"),
    "is killed": CODE.replace("return x * 2", "import os; os.abort()"),
    "at exit": "import atexit, os\natexit.register(os._exit, 3)\n" + CODE,
    "uses what only others import": CODE.replace("return x * 2", "import xml; return xml.dom.Node"),
    "writes in the project": CODE.replace("return", "open('left.txt', 'x').close()\n    return", 1),
    "leaves a process": CODE.replace("return", "import subprocess; subprocess.Popen(['sleep', '60'])\n    return", 1),
}


@dataclass
class Bench:
    """A project, the runs of its tests that are held ready, and what was said of them."""

    project: object
    warm: WarmTests
    said: list


@pytest.fixture(scope="module")
def loop():
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def opened(loop, cache):
    """A function that lays out a project and opens it."""
    all_opened = []

    def open_project(files, command=COMMAND, workers=1, requires=("pytest",)):
        async def start():
            plan = ProjectPlan("python", requires=requires, command=command, timeout_s=20.0)
            project = await prepare(files, plan, make("bubblewrap"), cache, lambda _: None)
            said = []
            return Bench(project, await WarmTests.of(project, files, said.append, workers), said)

        all_opened.append(bench := loop.run(start()))
        return bench

    yield open_project
    for bench in all_opened:
        loop.run(bench.warm.close())
        bench.project.close()


OTHER = "class IniConfig:\n    sections = {}\n\n    def __init__(self, *a, **k): ...\n\n    def get(self, *a): ...\n"
FILES = {"src/code_of_app.py": CODE, "tests/test_app.py": TESTS}
CONFTEST = {"conftest.py": "import code_of_app\n\nassert code_of_app.double\n"}


@pytest.fixture(scope="module", params=["late", "sooner"])
def bench(request, opened, need):
    """A project without a `conftest.py`, and one whose `conftest.py` imports what answers change."""
    need("bwrap")
    return opened(FILES | (CONFTEST if request.param == "sooner" else {}), workers=2)


def told(result):
    return result.verdict_class, result.tests, result.passed, result.failed, result.message


def test_every_answer_ends_as_in_a_fresh_sandbox(bench, loop):
    names = list(ANSWERS)[:: 1 if "conftest.py" not in bench.warm.files else 4]

    async def both():
        changed, only = [{"src/code_of_app.py": ANSWERS[name]} for name in names], frozenset({DOUBLE})
        warm = await asyncio.gather(*(bench.warm.run(each, only) for each in changed))
        return warm, await asyncio.gather(*(bench.project.run(each, only) for each in changed))

    warm, cold = ([told(one) for one in some] for some in loop.run(both()))
    assert dict(zip(names, warm, strict=True)) == dict(zip(names, cold, strict=True))
    assert len({one[0] for one in cold}) > 1
    assert bench.said == []


def test_only_the_tests_that_are_asked_for_run(bench, loop):
    both = frozenset({DOUBLE, "tests/test_app.py::test_loud"})
    assert loop.run(bench.warm.run({}, both)).tests == both
    assert loop.run(bench.warm.run({}, frozenset({DOUBLE}))).tests == {DOUBLE}
    assert loop.run(bench.warm.passes(both))
    assert not loop.run(bench.warm.passes(both | {"tests/test_app.py::test_none"}))


def test_where_the_first_failure_is_enough_no_test_runs_behind_it(bench, loop):
    both = frozenset({DOUBLE, "tests/test_app.py::test_loud"})
    broken = {"src/code_of_app.py": CODE.replace("x * 2", "x * 3").replace("json.dumps(x)", "x")}
    for run in (bench.warm.run, bench.project.run):
        whole, first = loop.run(run(broken, both)), loop.run(run(broken, both, first=True))
        assert (whole.failed, first.failed, first.passed, first.tests) == (2, 1, 0, frozenset())
        assert (whole.first_failed, first.first_failed) == ("", DOUBLE)
        assert first.verdict_class == whole.verdict_class
        assert loop.run(run({}, both, first=True)).tests == both


def test_a_changed_configuration_counts(bench, loop):
    failing = {"conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef broken():\n    raise ValueError\n"}
    for changed in (failing, {"pytest.ini": "[pytest]\naddopts = --collect-only\n"}):
        assert loop.run(bench.warm.run(changed, frozenset({DOUBLE}))).tests == frozenset()


def test_an_answer_that_never_ends_is_stopped_and_the_next_one_runs(bench, loop):
    endless = {"src/code_of_app.py": CODE.replace("return x * 2", "while True: pass")}
    assert loop.run(bench.warm.run(endless, frozenset({DOUBLE}), timeout_s=1.0)).verdict_class == "timeout"
    assert loop.run(bench.warm.run({}, frozenset({DOUBLE}))).verdict_class == "passed"


@pytest.mark.parametrize(
    ("files", "command", "reason"),
    [
        (FILES, f"true && {COMMAND}", "only a plain call of pytest"),
        (FILES | {"src/iniconfig/__init__.py": OTHER}, COMMAND, "did not begin: .*same name as the project: iniconfig"),
    ],
)
def test_what_cannot_be_held_runs_in_a_fresh_sandbox_and_says_why(files, command, reason, opened, loop):
    bench = opened(files, command)
    loop.run(bench.warm.run({}, frozenset({DOUBLE})))
    (said,) = bench.said
    assert re.search(reason, said)
    assert not loop.run(bench.warm.passes(frozenset({DOUBLE})))


@pytest.mark.parametrize("conftest", [{}, CONFTEST], ids=["late", "sooner"])
def test_some_of_the_tests_pass_though_they_cover_less_than_all_of_them_must(conftest, opened, loop):
    options = {"pytest.ini": "[pytest]\naddopts = --cov=src --cov-fail-under=100\n"}
    bench = opened(FILES | conftest | options, requires=("pytest", "pytest-cov"))
    for run in (bench.warm.run, bench.project.run):
        result = loop.run(run({}, frozenset({DOUBLE})))
        assert (result.verdict_class, result.tests) == ("passed", {DOUBLE}), result


def test_a_command_that_names_its_folder_as_rules_write_it_is_held_too(opened, loop):
    bench = opened(FILES, COMMAND.replace("=src", '="$PWD/src"'))
    assert loop.run(bench.warm.run({}, frozenset({DOUBLE}))).tests == {DOUBLE}
    assert bench.said == []


@pytest.mark.parametrize("name", ["numpy.random", "random"])
def test_each_run_draws_its_own_numbers(name):
    inside = Path(runners.warm.__file__).with_name("inside")
    program = f"""\
import os, sys
sys.path.insert(0, {str(inside)!r})
import hiding, preloaded
hidden = hiding.Hidden()
preloaded.load()
hidden.put_away()
for _ in range(2):
    if not os.fork():
        preloaded.freshen({{}})
        hidden.put_away()
        import {name}
        print({name}.random(), flush=True)
        os._exit(0)
    os.wait()
"""
    variables = os.environ | {"GHOSTTAPE_OWN": "app", "GHOSTTAPE_IMPORTS": name}
    words = [sys.executable, "-c", program]
    drawn = subprocess.run(words, check=True, env=variables, capture_output=True, text=True).stdout.split()
    assert len(set(drawn)) == 2


def test_what_the_files_import_is_known_and_what_their_functions_import_is_not():
    text = "import a.b, c\nfrom d.e import f\nfrom . import g\ntry:\n    import h\nexcept ImportError:\n    def i():\n        import j\n"
    assert set(imported({"x.py": text, "y.txt": "import k", "z.py": "import ("})) == {"a.b", "c", "d.e", "h"}


def test_the_names_of_a_project_are_those_that_its_path_can_begin_with():
    files = dict.fromkeys(["src/app/__init__.py", "src/app/io.py", "tests/helpers.py", "space/part/x.py"], "")
    assert set(own_names(files)) == {"src", "app", "tests", "helpers", "space", "part", "x"}
