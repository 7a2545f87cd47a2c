"""What the finished program executes, where the machine fails it or chance decides."""

import asyncio
from dataclasses import replace
from itertools import count

import pytest

from runners.programs import Program, ReachedChecks
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result, RetryPolicy


def test_chance_decides_nothing_where_the_finished_program_executes_now_this_now_that():
    answers = iter([{0, 1}, {0}, {0}, {0}])  # finished, graft; finished once more, graft once more
    fake = FakePrograms(lambda _: Result("passed", "", None, None, "", 1.0, reached=frozenset(next(answers))))
    program, passed = Program("python", "pass\nassert 1\nassert 2\n"), Result("passed", "", None, None, "", 1.0)
    assert asyncio.run(ReachedChecks(program, (0, 4), 1.0).confirmed(passed, program, fake)) == passed
    assert len(fake.ran) == 4


def test_where_the_finished_program_does_not_pass_with_probes_nothing_is_asked_of_others():
    fake = FakePrograms(lambda _: Result("exception", "", None, None, "", 1.0, reached=frozenset({0, 1})))
    program, passed = Program("python", "pass\nassert 1\nassert 2\n"), Result("passed", "", None, None, "", 1.0)
    assert asyncio.run(ReachedChecks(program, (0, 4), 1.0).confirmed(passed, program, fake)) == passed


FINISHED = Program("python", "pass\nassert 1\nassert 2\n", name="finished.py")
EMPTY = Program("python", "exit\nassert 1\nassert 2\n", name="graft.py")
"""A graft that executes nothing of its tests."""
PASSED = Result("passed", "", None, None, "", 1.0)
MACHINES = [
    Result("infrastructure", "no room", None, None, "", 0.0),
    Result("timeout", "the wall limit", None, None, "", 2.0),
    Result("crashed", "SIGKILL", None, None, "", 1.0, maybe_infrastructure=True),
]


def fails_once(failing, failure):
    """Programs of which the finished one passes each time but one, when the machine fails: the first (0) or the second time (1)."""
    numbers = count()

    def answer(program):
        if program.name == EMPTY.name:
            return PASSED
        return failure if next(numbers) == failing else replace(PASSED, reached=frozenset({0, 1}))

    return FakePrograms(answer)


@pytest.mark.parametrize("failure", MACHINES, ids=lambda failure: failure.verdict_class)
@pytest.mark.parametrize("failing", [0, 1])
def test_where_the_machine_fails_the_finished_program_no_graft_passes_for_it(failing, failure):
    fake, reached = fails_once(failing, failure), ReachedChecks(FINISHED, (0, 4), 1.0)
    first = asyncio.run(reached.confirmed(PASSED, EMPTY, fake))
    assert (first.verdict_class, first.maybe_infrastructure) == ("infrastructure", True)
    assert failure.message in first.message


@pytest.mark.parametrize("failure", MACHINES, ids=lambda failure: failure.verdict_class)
@pytest.mark.parametrize("failing", [0, 1])
async def test_a_failure_of_the_machine_is_tried_again_and_not_kept(failing, failure):
    fake, reached = fails_once(failing, failure), ReachedChecks(FINISHED, (0, 4), 1.0)
    retries = RetryPolicy(pauses_s=(0.0,))
    result = await retries.result(lambda: reached.confirmed(PASSED, EMPTY, fake))
    assert (result.verdict_class, result.message) == (
        "failed",
        "line 2 of the tests, which runs in the finished program, does not run: assert 1 (and 1 more)",
    )
    later = await reached.confirmed(PASSED, EMPTY, fake)
    assert later.verdict_class == "failed"


async def test_all_who_wait_for_the_finished_program_hear_of_the_machines_failure():
    fake, reached = fails_once(0, MACHINES[0]), ReachedChecks(FINISHED, (0, 4), 1.0)
    found = await asyncio.gather(*(reached.confirmed(PASSED, EMPTY, fake) for _ in range(3)))
    assert [result.verdict_class for result in found] == ["infrastructure"] * 3


def test_the_machines_failure_stays_one():
    answers = iter([("passed", {0, 1}), ("infrastructure", ())])

    def answer(_):
        kind, reached = next(answers)
        return Result(kind, "", None, None, "", 1.0, reached=frozenset(reached))

    program, passed = Program("python", "pass\nassert 1\nassert 2\n"), Result("passed", "", None, None, "", 1.0)
    result = asyncio.run(ReachedChecks(program, (0, 4), 1.0).confirmed(passed, program, FakePrograms(answer)))
    assert result.verdict_class == "infrastructure"


class Shelf:
    """Keeps results in a dictionary."""

    def __init__(self):
        self.results = {}

    async def get(self, key):
        return self.results.get(key)

    async def put(self, key, result):
        self.results[key] = result


async def test_what_a_finished_program_executes_is_kept_for_a_later_run_but_no_failure_is():
    shelf, ran = Shelf(), replace(PASSED, reached=frozenset({0, 1}))
    for failure, count_of_runs in ((MACHINES[0], 1), (ran, 2), (ran, 1)):
        fake = FakePrograms(lambda _, failure=failure: failure)
        await ReachedChecks(FINISHED, (0, 4), 1.0, shelf).confirmed(PASSED, FINISHED, fake)
        assert len(fake.ran) == count_of_runs
    assert list(shelf.results.values()) == [ran]


async def test_where_a_graft_does_not_execute_what_was_kept_the_finished_program_runs_again():
    shelf = Shelf()
    stays = ReachedChecks(FINISHED, (0, 4), 1.0, shelf)
    await stays.confirmed(PASSED, FINISHED, FakePrograms(lambda _: replace(PASSED, reached=frozenset({0, 1}))))
    less = FakePrograms(lambda _: replace(PASSED, reached=frozenset({0})))
    assert await ReachedChecks(FINISHED, (0, 4), 1.0, shelf).confirmed(PASSED, FINISHED, less) == PASSED
    assert len(less.ran) == 3
