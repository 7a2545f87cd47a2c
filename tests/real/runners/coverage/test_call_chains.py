"""Which functions each test of pytest enters, and from which: with `sys.settrace` and with `sys.monitoring`, against what coverage.py says by its contexts."""

import os
import sys

import pytest

from runners.coverage.call_chains import record_calls
from runners.project import ProjectPlan
from runners.toolchains.interpreters import installed
from tools.codev_chains import by_contexts

HELPER = "def helper(x):\n    return x * 2\n"
CODE = (
    HELPER
    + """

import functools
import threading


def twice(x):
    return [helper(y) for y in (x, x)]


def turns():
    yield helper(1)
    yield sum(helper(y) for y in (2, 3))


def decorate(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


@decorate
def decorated():
    return 1


def in_thread():
    thread = threading.Thread(target=twice, args=(1,))
    thread.start()
    thread.join()


class Kind:
    def __init__(self):
        self.n = 1

    @property
    def size(self):
        return self.n


async def later():
    return helper(5)


@functools.cache
def cached():
    return helper(6)


def one_line(): return 4


short = lambda: helper(7)


def never():
    return 0
"""
)
TESTS = """\
import asyncio

import m
import n
import pytest


@pytest.fixture(scope="module")
def made():
    return m.Kind()


def test_twice():
    assert m.twice(1) == [2, 2]


def test_turns():
    assert list(m.turns()) == [2, 10]


def test_decorated():
    assert m.decorated() == 1


def test_thread():
    m.in_thread()


def test_later():
    assert asyncio.run(m.later()) == 10


def test_cached():
    assert m.cached() == 12


def test_cached_again():
    assert m.cached() == 12


def test_made(made):
    assert made.size == 1


def test_made_again(made):
    assert made.n == 1


def test_on_one_line():
    assert (m.one_line(), m.short()) == (4, 14)


def test_same_text_in_another_file():
    assert n.helper(1) == 2
"""
FILES = {"m.py": CODE, "n.py": HELPER, "test_m.py": TESTS}
ENTERED = {
    "twice": {"m twice", "m helper"},
    "turns": {"m turns", "m helper"},
    "decorated": {"m decorate.<locals>.inner", "m decorated"},
    "thread": {"m in_thread", "m twice", "m helper"},
    "later": {"m later", "m helper"},
    "cached": {"m cached", "m helper"},
    "cached_again": set(),
    "made": {"m Kind.__init__", "m Kind.size"},
    "made_again": {"m Kind.__init__"},
    "on_one_line": {"m one_line", "m <lambda>", "m helper"},
    "same_text_in_another_file": {"n helper"},
}
"""Test → the functions that it enters, by file and name; what the fixture of two tests enters counts for both."""
ONLY_OURS = {("made_again", "m Kind.__init__"), ("on_one_line", "m one_line"), ("on_one_line", "m <lambda>")}
"""What coverage.py does not tell: it has a fixture's lines for the first test that asks for it alone, and functions on one line for nobody."""


def newer():
    """The toolchain of a Python with `sys.monitoring`; empty where none is installed."""
    if sys.version_info >= (3, 12):
        return "python"
    series = installed(dict(os.environ)).series
    return next((f"python{each}" for each in series if tuple(map(int, each.split("."))) >= (3, 12)), "")


@pytest.mark.parametrize("monitored", [False, True], ids=["settrace", "monitoring"])
async def test_each_test_enters_what_it_calls_and_coverage_agrees_but_for_fixtures_and_one_line(
    monitored, project, lacking
):
    toolchain = newer() if monitored else "python"
    if not toolchain:
        lacking("no Python from 3.12 on is installed")
    command = "python -m pytest -q -p no:cacheprovider"
    whole = await project(
        ProjectPlan(toolchain, ("pytest>=8", "pytest-cov>=5"), command=command, timeout_s=120.0), FILES
    )
    result, found = await record_calls(whole, FILES, lambda _: None)
    assert (result.verdict_class, found.exact, found.unseen) == ("passed", True, frozenset())
    names = {(one.path, one.line): f"{one.path[0]} {one.name}" for one in found.tests_of()}
    ours = {
        (test.partition("::test_")[2], names[one.path, one.line])
        for test, calls in found.calls.items()
        for one, _ in calls
        if one.path != "test_m.py"
    }
    assert ours == {(test, name) for test, some in ENTERED.items() for name in some}
    callers = {
        (one.name, caller.name)
        for some in found.calls.values()
        for one, caller in some
        if caller and one.path == "m.py"
    }
    assert {("helper", "twice"), ("inner", "test_decorated"), ("twice", "test_twice")} <= {
        (one.rpartition(".")[2], caller) for one, caller in callers
    }
    told = {
        (test.partition("::test_")[2], names.get(place, place))
        for test, place in await by_contexts(whole, command)
        if place[0] != "test_m.py"
    }
    assert ours ^ told == ONLY_OURS
