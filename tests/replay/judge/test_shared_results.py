"""Results that runs of one experiment share, and their counts."""

import asyncio
from dataclasses import dataclass

import pytest

from replay.judge.shared_results import ResultsInScope, SharedResults, StateCounts, may_be_shared
from replay.judge.states import ProjectState
from replay.judge.tested_states import Trials
from runners.verdicts import Result


def result(verdict="passed", **more):
    return Result(verdict, "", 1, 0, "", 5.0, frozenset({"a"}), **more)


@dataclass
class CountedTests:
    """Tests that say which result each text has, and count their runs."""

    results: dict
    runs: int = 0
    timeout_s: float = 1.0
    lasting: bool = False

    def key(self, state):
        return state.text

    def for_emptied(self, finished):
        return self

    def runs_of_emptied(self, state):
        return 1

    async def prepare(self, state):
        pass

    async def run(self, state, only=None):
        self.runs += 1
        return self.results[state.text]

    def compared(self, found, state, only=None):
        return found


def trials(folder, run, scope="project"):
    return Trials(asyncio.Semaphore(2), shared=ResultsInScope(SharedResults(folder, run), scope))


def state(text):
    return ProjectState("a.py", text)


async def test_a_state_is_tested_once_over_all_runs_and_counted_for_each(tmp_path):
    tests = CountedTests({"x": result(), "y": result("failed")})
    for run in ("one", "two"):
        judge = trials(tmp_path, run)
        assert await judge.graft(tests, state("x")) == result()
        assert await judge.graft(tests, state("y")) == result("failed")
    assert tests.runs == 2
    assert SharedResults(tmp_path, "").counts() == {"one": StateCounts(2, 0), "two": StateCounts(0, 2)}


@pytest.mark.parametrize("verdict", ["infrastructure", "timeout"])
async def test_what_says_as_much_of_the_machine_is_tested_by_each_run(tmp_path, verdict):
    tests = CountedTests({"x": result(verdict)})
    for run in ("one", "two"):
        await trials(tmp_path, run).graft(tests, state("x"))
    assert tests.runs >= 2
    assert SharedResults(tmp_path, "").counts() == {"one": StateCounts(1, 0), "two": StateCounts(1, 0)}
    assert not may_be_shared(result(maybe_infrastructure=True))


async def test_another_project_other_tests_and_another_kind_of_state_are_other_results(tmp_path):
    tests = CountedTests({"x": result()})
    await trials(tmp_path, "one").graft(tests, state("x"))
    await trials(tmp_path, "two", scope="another").graft(tests, state("x"))
    await trials(tmp_path, "three").graft(tests, state("x"), frozenset({"a"}))
    await trials(tmp_path, "four").emptied(tests, state("x"))
    assert tests.runs == 4


async def test_a_run_that_was_killed_and_goes_on_does_not_call_its_own_results_saved(tmp_path):
    tests = CountedTests({"x": result()})
    await trials(tmp_path, "one").graft(tests, state("x"))
    await trials(tmp_path, "one").graft(tests, state("x"))
    assert tests.runs == 1
    assert SharedResults(tmp_path, "").counts() == {"one": StateCounts(1, 0)}
