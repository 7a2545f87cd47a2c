"""Results that the machine may have caused are tested again, and repeated failures of the machine end the run."""

import asyncio
import errno
import signal
from itertools import product

import pytest

from runners.errors import MachineFails
from runners.protocol import Completed
from runners.verdicts import Result, RetryPolicy, classify, infrastructure, infrastructure_failure
from runners.verdicts.retry import AGAIN, IN_A_ROW, LATE_S

PASSED = Result("passed", "", None, None, "", 5.0)
FAILED = Result("failed", "", None, None, "", 5.0)
LOST = infrastructure("SandboxFailed: the engine is gone")


def ended(**how):
    done = Completed(**({"exit": 1, "signal": None, "stdout": "", "stderr": "", "wall_ms": 5.0} | how))
    return classify(done, "", "python")


KILLED = ended(exit=None, signal=signal.SIGKILL)


class Runs:
    """Gives one result after the other, the last one for ever."""

    def __init__(self, *results):
        self.results, self.done = list(results), 0

    async def __call__(self):
        self.done += 1
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


@pytest.fixture
def machine():
    return RetryPolicy(pauses_s=(0.0,))


@pytest.mark.parametrize(
    "how",
    [
        {"exit": None, "signal": signal.SIGKILL},
        {"exit": None, "signal": signal.SIGTERM},
        {"exit": None, "signal": signal.SIGKILL, "limit": "disk"},
        {"exit": None, "signal": signal.SIGSTOP, "limit": "wall"},
    ],
)
async def test_what_may_be_the_machines_doing_is_run_again_and_that_counts(machine, how):
    runs = Runs(ended(**how), FAILED)
    assert await machine.result(runs) == FAILED
    assert runs.done == 2


async def test_a_pass_after_such_an_end_counts_if_it_comes_again(machine):
    runs = Runs(KILLED, PASSED)
    assert await machine.result(runs) == PASSED
    assert runs.done == 3
    assert await machine.result(Runs(KILLED, PASSED, FAILED)) == FAILED
    assert (await machine.result(Runs(KILLED, PASSED, KILLED, PASSED, PASSED, KILLED))).verdict_class == "crashed"


async def test_code_that_kills_itself_now_and_then_hardly_gains_by_it():
    """All tosses of a coin that passes or kills itself, of which six at most are looked at."""
    machine = RetryPolicy(pauses_s=(0.0,))
    tosses = [await machine.result(Runs(*results)) for results in product((PASSED, KILLED), repeat=6)]
    assert (
        sum(result.verdict_class == "passed" for result in tosses) / len(tosses) == 43 / 64
    )  # 7 / 8 if one pass were enough


@pytest.mark.parametrize(
    "how",
    [
        {"exit": None, "signal": signal.SIGSEGV},
        {"exit": None, "signal": signal.SIGKILL, "limit": "memory"},
        {"exit": None, "signal": signal.SIGKILL, "limit": "wall"},
        {"exit": None, "signal": signal.SIGKILL, "limit": "output"},
        {"stderr": "AssertionError"},
        {"stderr": "OSError: [Errno 28] No space left on device"},
        {"stdout": "ENOSPC ENFILE"},
        {"exit": 0, "stderr": "OSError: [Errno 28] No space left on device"},
    ],
)
async def test_what_the_code_did_itself_is_run_once(machine, how):
    runs = Runs(ended(**how))
    await machine.result(runs)
    assert runs.done == 1


async def test_what_is_killed_each_time_has_killed_itself(machine):
    runs = Runs(KILLED)
    assert (await machine.result(runs)).verdict_class == "crashed"
    assert runs.done == 1 + AGAIN


async def test_a_time_out_that_came_long_after_its_time_was_ours(machine):
    late = Result("timeout", "", None, None, "", 1000 * (2.0 + LATE_S) + 1)
    assert await machine.result(Runs(late, PASSED), timeout_s=2.0) == PASSED
    in_time = Runs(Result("timeout", "", None, None, "", 2_100.0), PASSED)
    assert (await machine.result(in_time, timeout_s=2.0)).verdict_class == "timeout"


async def test_failures_in_a_row_end_everything_and_say_what_the_last_was(machine):
    for _ in range(IN_A_ROW - 1):
        assert (await machine.result(Runs(LOST))).verdict_class == "infrastructure"
    with pytest.raises(MachineFails, match=r"10 runs of tests in a row failed.*the engine is gone"):
        await machine.result(Runs(LOST))


async def test_any_verdict_in_between_begins_the_row_anew(machine):
    for _ in range(3):
        for result in [*[LOST] * (IN_A_ROW - 1), FAILED]:
            await machine.result(Runs(result))


async def test_a_command_that_is_not_there_is_no_failure_of_the_machine(machine):
    for _ in range(2 * IN_A_ROW):
        await machine.result(Runs(Result("infrastructure", "sh: pytest: not found", None, None, "", 5.0)))


async def test_what_fails_together_counts_once(machine):
    async def together():
        await asyncio.sleep(0.01)
        return LOST

    await asyncio.gather(*(machine.result(together) for _ in range(2 * IN_A_ROW)))
    for _ in range(IN_A_ROW - 2):
        await machine.result(together)
    with pytest.raises(MachineFails):
        await machine.result(together)


async def test_after_a_failure_runs_are_done_one_at_a_time(machine):
    running = []

    async def alone():
        running.append(len(running))
        await asyncio.sleep(0.001)
        assert running.pop() == 0
        return LOST

    await machine.result(Runs(LOST))
    await asyncio.gather(*(machine.result(alone) for _ in range(IN_A_ROW - 2)))


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "Too many open files"),
        BlockingIOError(errno.EAGAIN, "x"),
        RuntimeError("can't start new thread"),
    ],
)
def test_what_the_machine_refuses_to_tasks_is_told_as_such(error):
    group = ExceptionGroup("tasks", [ExceptionGroup("inner", [ValueError("of no matter"), error])])
    assert str(error) in str(infrastructure_failure(group))


def test_other_errors_are_bugs_and_stay_what_they_are():
    assert infrastructure_failure(ExceptionGroup("tasks", [ValueError("x"), RuntimeError("y")])) is None
