"""Finding out how a project is tested ends when its time is over, whatever runs; what failed before is not tried again."""

import asyncio
import time
from pathlib import Path

import pytest

from runners.environments import Candidate, KeptTrials, NotTestable, TriedWay, WayTester
from runners.project import ProjectPlan
from runners.protocol import Completed
from runners.verdicts import Result
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.waiting import PATIENCE_S

FAILS = Completed(1, None, "5 of 9 tests fail", "", 1.0)


def way(command, **members):
    return Candidate(command, ProjectPlan("system", command=command, **members))


@pytest.fixture
def tester(bubblewrap, cache):
    """A function that makes a tester with so many seconds."""
    return lambda within_s: WayTester(bubblewrap, cache, lambda _: None, within_s)


async def first_working_timed(tester, *ways):
    began = time.monotonic()
    with pytest.raises(NotTestable) as caught:
        await tester.first_working({}, ways)
    return caught.value, time.monotonic() - began


async def test_tests_that_go_on_are_stopped_when_the_time_is_over(tester):
    error, took_s = await first_working_timed(tester(2.0), way("sleep 600", timeout_s=900.0), way("true"))
    assert took_s < PATIENCE_S
    assert [each.is_cut for each in error.trials] == [True]
    assert error.trials[0].problem == "stopped before its tests end: finding out takes no longer than 2 s"
    assert error.remedies[0].startswith("its tests may be slow: give them longer with --test-timeout SECONDS")


async def test_a_set_up_that_goes_on_is_stopped_and_leaves_no_process(tester):
    error, took_s = await first_working_timed(tester(2.0), way("true", setup="sleep 601.25"))
    assert took_s < PATIENCE_S
    assert (error.trials[0].is_cut, error.trials[0].result) == (True, None)
    assert "--test-timeout" in error.remedies[0]
    commands = [read(process / "cmdline") for process in Path("/proc").glob("[0-9]*")]
    assert b"sleep\x00601.25\x00" not in commands


def read(file):
    try:
        return file.read_bytes()
    except OSError:  # a process that has ended meanwhile
        return b""


async def test_tests_that_take_longer_than_their_own_limit_are_named(tester):
    error, _ = await first_working_timed(tester(60.0), way("sleep 600", timeout_s=1.0))
    assert (error.trials[0].problem, error.trials[0].is_cut) == ("the tests take longer than 1 s", False)
    assert "--test-timeout" in error.remedies[0]


async def test_a_set_up_with_the_network_has_time_to_fetch(tester):
    found = await tester(0.0).first_working({}, [way("true", setup="sleep 2", network=True)])
    assert found.result.verdict_class == "passed"


async def test_a_network_that_is_not_reached_is_said(cache):
    failed = Completed(1, None, "", "curl: Could not resolve host: repo.own.org\n", 1.0)
    tester = WayTester(FakeSandbox(lambda job: failed), cache, lambda _: None)
    error, _ = await first_working_timed(tester, way("true", setup="make", network=True))
    assert error.remedies[0].startswith("its set-up could not reach repo.own.org, although it had the network: ")


class Ways:
    """Ways in a sandbox that writes down what it runs, and fails at all but one command."""

    def __init__(self, cache, file, passes="", stops_at=""):
        self.ran, self.said, self.passes, self.stops_at = [], [], passes, stops_at
        self.tester = WayTester(FakeSandbox(self.done), cache, self.said.append)
        self.kept = KeptTrials(file)

    def done(self, job):
        if job.command == self.stops_at:
            raise asyncio.CancelledError
        self.ran.append(job.command)
        return Completed(0, None, "", "", 1.0) if job.command == self.passes else FAILS

    async def first_working(self, *ways):
        return await self.tester.first_working({}, ways, self.kept)


async def test_after_an_end_only_the_untried_ways_are_tried(cache, tmp_path):
    file, ways = tmp_path / "kept/x.json", (way("one"), way("two"), way("three"))
    first = Ways(cache, file, stops_at="two")
    with pytest.raises(asyncio.CancelledError):
        await first.first_working(*ways)
    second = Ways(cache, file, passes="three")
    assert (await second.first_working(*ways)).candidate.name == "three"
    assert (first.ran, second.ran) == (["one"], ["two", "three"])
    assert second.said[0].startswith("that did not work before: ")


async def test_a_kept_failure_says_so_and_how_it_is_tried_again(cache, tmp_path):
    for number in (1, 2):
        run = Ways(cache, tmp_path / "x.json")
        with pytest.raises(NotTestable) as caught:
            await run.first_working(way("one"), way("two"))
        kept = [each for each in caught.value.remedies if "--try-again" in each]
        assert (len(run.ran), len(kept)) == ((2, 0) if number == 1 else (0, 1))
    assert kept[0].startswith("2 of 2 ways failed when they were tried before")


@pytest.mark.parametrize(
    "other", [way("one", cwd="sub"), way("one", setup="make"), way("one", timeout_s=99.0), way("one", network=True)]
)
async def test_another_plan_is_tried_anew(cache, tmp_path, other):
    for each in (way("one"), other):
        run = Ways(cache, tmp_path / "x.json")
        with pytest.raises(NotTestable):
            await run.first_working(each)
        assert run.ran == [each.plan.setup or "one"]


async def test_a_file_that_is_broken_keeps_nothing(cache, tmp_path):
    (tmp_path / "x.json").write_text("[1")
    run = Ways(cache, tmp_path / "x.json")
    with pytest.raises(NotTestable):
        await run.first_working(way("one"))
    assert run.ran == ["one"]


def trial(verdict_class="failed", problem="x", log="", **members):
    result = None if verdict_class is None else Result(verdict_class, "", 1, 1, log, 1.0)
    return TriedWay(way("one"), result, problem, log, 1.0, **members)


@pytest.mark.parametrize(
    ("tried", "kept"),
    [
        (trial(), True),
        (trial("timeout"), False),
        (trial("passed", ""), False),
        (trial("infrastructure"), False),
        (trial(None), False),
        (trial(is_cut=True), False),
        (trial(log="Error: Failed to start forks worker for test files"), False),
        (trial(log="Failed to start forks worker\n  at x\n\nCaused by: Error: Timeout waiting for worker"), False),
        (trial(log="Failed to start forks worker\n  at x\n\nCaused by: TypeError: x"), True),
    ],
)
def test_only_what_would_end_so_again_is_kept(tried, kept, tmp_path):
    store = KeptTrials(tmp_path / "x.json")
    store.keep(tried)
    assert store.of(tried.candidate) == (tried if kept else None)
    assert KeptTrials().of(tried.candidate) is None


def test_values_of_variables_are_not_kept(tmp_path):
    store, secret = KeptTrials(tmp_path / "x.json"), way("one", setup_env={"TOKEN": "s3cret"})
    store.keep(TriedWay(secret, trial().result, "x", "", 1.0))
    assert b"s3cret" not in (tmp_path / "x.json").read_bytes()
    assert store.of(secret).problem == "x"


async def test_what_follows_from_a_kept_failure_has_the_variables_of_the_set_up(cache, tmp_path):
    files = {"pyproject.toml": "[dependency-groups]\ntest = ['iniconfig==2.0.0']\n", "tests/test_a.py": ""}
    failed = Completed(1, None, "E   ModuleNotFoundError: No module named 'iniconfig'\n", "", 1.0)
    plan = ProjectPlan("python", setup="true", command="python -m pytest", setup_env={"TOKEN": "s3cret"})
    for _ in range(2):
        tester = WayTester(FakeSandbox(lambda job: _set_up_or(failed, job)), cache, print)
        with pytest.raises(NotTestable) as caught:
            await tester.first_working(files, [Candidate("one", plan)], KeptTrials(tmp_path / "x.json"))
    ways = [each.candidate.plan for each in caught.value.trials]
    assert [each.requires for each in ways] == [(), ("iniconfig==2.0.0",)]
    assert [each.setup_env for each in ways] == [{"TOKEN": "s3cret"}] * 2


def _set_up_or(failed, job):
    return Completed(0, None, "", "", 1.0) if job.command == "true" else failed
