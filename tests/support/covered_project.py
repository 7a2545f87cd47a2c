"""A project of Python whose tests touch its lines in every way, prepared in bubblewrap."""

import pytest

from runners.project import ProjectPlan, prepare

HOSTILE = "a b; exit 1; $(exit 1) `x` '\"\\ --co -k \n[]:: \ud800"


FILES = {
    "m.py": """\
import functools


def at_import(x):
    return x


LIMIT = at_import(3)


def plain(x):
    if x > LIMIT:
        return 0
    return x + 1


def shared():
    return 1


def ended():
    return 1


def by_process():
    return 1


def untouched():
    return 1


class Kind:
    size = LIMIT

    def method(self):
        return [plain(x) for x in range(self.size)]
""",
    "late.py": "def late():\n    return 1\n\n\nVALUE = late()\n",
    "conftest.py": """\
import pytest

from m import ended, shared


@pytest.fixture(scope="session")
def number():
    yield shared()
    ended()
""",
    "test_m.py": f"""\
import os
import subprocess
import sys
import unittest

import pytest

import m


@pytest.mark.parametrize("text", [{HOSTILE!r}, "", "a"])
def test_hostile(text):
    assert m.plain(len(text)) >= 0 or text


def test_small():
    assert m.plain(1) == 2


def test_shared(number):
    assert number == 1


def test_shared_again(number):
    assert number == 1


def test_imports_late():
    from late import VALUE
    assert VALUE == 1


def test_process():
    assert subprocess.run([sys.executable, "-c", "import m; assert m.by_process() == 1"]).returncode == 0


class TestUnit(unittest.TestCase):
    def setUp(self):
        self.kind = m.Kind()

    def test_method(self):
        self.assertEqual(self.kind.method(), [1, 2, 3])


@pytest.mark.xfail(strict=True)
def test_wrong():
    assert m.plain(1) == 3
""",
}


PLAN = ProjectPlan(
    "python", ("pytest>=8", "iniconfig>=2"), command="python -m pytest -q -p no:cacheprovider", timeout_s=60.0
)


SMALL = "test_m.py::test_small"


UNIT = "test_m.py::TestUnit::test_method"


PROCESS = "test_m.py::test_process"


@pytest.fixture(name="project")
async def project_in_bubblewrap(cache, bubblewrap):
    """A function that prepares a project in bubblewrap; what it made is cleared away."""
    made = []

    async def make_project(files=FILES, plan=PLAN, sandbox=bubblewrap):
        made.append(await prepare(files, plan, sandbox, cache, lambda _: None))
        return made[-1]

    yield make_project
    for one in made:
        one.close()


def line_of(text, path="m.py"):
    return FILES[path].split(text)[0].count("\n") + 1
