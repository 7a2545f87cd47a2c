"""The judge on a project of one function, whose tests are a function of the text that lies in the sandbox."""

import asyncio
from dataclasses import replace

import pytest
from msgspec import structs

from replay.judge.tape_cases import prepare_tests
from replay.play.player_instructions import MomentEnded, Spot
from replay.records import Ending, Suggestion
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.timeline import Timeline
from runners.errors import SandboxFailed, SetupFailed
from runners.protocol import Completed
from runners.sandboxes import fault, make
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.tapes import Typist, moment_of

HEAD, BODY = "def f(x):\n    ", "return x + 1"
FINAL = f"{HEAD}{BODY}\n"


def passed(count=3):
    return Completed(0, None, f"===== {count} passed in 0.01s =====\n", "", 5.0)


def failed(why="assert f(1) == 2"):
    return Completed(1, None, f"E       {why}\n===== 1 failed, 2 passed in 0.01s =====\n", "", 5.0)


def by_text(answers, otherwise=failed):
    """A sandbox whose tests see what stands in a.py."""

    def answer(job):
        text = (job.project / "a.py").read_text()
        made = answers.get(text, otherwise)
        return made()

    return FakeSandbox(answer)


def broken():
    raise SandboxFailed("no more user namespaces")


def timeline_of(command="pytest -q", **tests):
    typist = Typist(tests=ProjectTests(toolchain="none", command=command, **tests)).type(FINAL)
    return Timeline(typist.tape())


def moment_ended(text, *, at=HEAD, ending="shown"):
    moment = moment_of(2 + len(at), at, "", stop="block")
    offered = None if text is None else Suggestion(text=text, start=len(at), end=len(at), latency=0.0)
    return MomentEnded(moment, at, "", Ending(ending), offered, spot=Spot(moment, at, ""))


@pytest.fixture
async def prepare(tmp_path):
    """A function that gives the judge of a project in a sandbox; what it made is cleared away."""
    judges = []

    async def prepare(sandbox, timeline=None, slots=2):
        made = await prepare_tests(
            timeline or timeline_of(), sandbox, tmp_path, asyncio.Semaphore(slots), lambda text: None
        )
        judges.append(made)
        return made.judge

    yield prepare
    for judge in judges:
        folder = judge.cases.tests.project.workspace.folder if judge.cases.tests else tmp_path / "none"
        await judge.close()
        assert not folder.exists()


async def test_a_suggestion_gets_the_verdict_of_the_tests(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}return 1 + x\n": passed}))
    verdicts = [await judge.verdict(moment_ended(text)) for text in (BODY, "return 1 + x", "return x")]
    assert [verdict.name for verdict in verdicts] == ["passed", "passed", "assertion"]
    assert (verdicts[0].passed, verdicts[0].failed) == (3, 0)
    assert verdicts[2].message == "assert f(1) == 2"
    assert "1 failed" in verdicts[2].log


async def test_what_offered_nothing_is_tested_as_nothing(prepare):
    sandbox = by_text({FINAL: passed})
    judge = await prepare(sandbox)
    assert (await judge.verdict(moment_ended(None, ending="empty"))).name == "assertion"
    assert len(sandbox.jobs) == 2 + 1 + 1


async def test_a_project_that_fails_its_own_tests_makes_every_moment_untestable(prepare):
    sandbox = by_text({})
    judge = await prepare(sandbox)
    verdict = await judge.verdict(moment_ended(BODY))
    assert (verdict.name, verdict.reason, verdict.message) == ("untestable", "broken-baseline", "assert f(1) == 2")
    assert len(sandbox.jobs) == 2, "nothing is tested in vain"


@pytest.mark.parametrize("runs", [(passed, failed), (failed, passed), (passed, lambda: passed(2))])
async def test_a_project_whose_two_runs_differ_is_flaky(prepare, runs):
    left = iter(runs)
    judge = await prepare(FakeSandbox(lambda job: next(left)()))
    verdict = await judge.verdict(moment_ended(BODY))
    assert (verdict.name, verdict.reason) == ("untestable", "flaky")
    assert verdict.message


async def test_a_machine_that_cannot_run_the_baseline_is_to_blame_itself(prepare):
    judge = await prepare(FakeSandbox(lambda job: broken()))
    verdict = await judge.verdict(moment_ended(BODY))
    assert verdict.name == "infrastructure"
    assert "no more user namespaces" in verdict.message


async def test_a_machine_that_cannot_test_the_graft_is_to_blame_itself(prepare):
    wrong = f"{HEAD}return x\n"
    judge = await prepare(by_text({FINAL: passed, wrong: broken}))
    assert (await judge.verdict(moment_ended("return x"))).name == "infrastructure"


async def test_a_machine_that_cannot_test_the_hole_is_to_blame_itself(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}pass\n": broken}))
    assert (await judge.verdict(moment_ended(BODY))).name == "infrastructure"


async def test_a_sandbox_that_fails_once_is_tried_again(prepare):
    tries = []

    def answer(job):
        tries.append(job)
        return broken() if len(tries) == 1 else passed()

    judge = await prepare(FakeSandbox(answer))
    assert judge.cases.fault is None


async def test_a_part_that_the_tests_do_not_miss_is_undetected(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}pass\n": passed}))
    verdict = await judge.verdict(moment_ended("nonsense"))
    assert (verdict.name, verdict.reason) == ("untestable", "undetected")


async def test_a_graft_whose_tests_pass_in_fewer_numbers_than_the_projects_is_failed(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}return x\n": lambda: passed(2)}))
    verdict = await judge.verdict(moment_ended("return x"))
    assert (verdict.name, verdict.message) == ("failed", "only 2 of the project's 3 tests ran")


async def test_a_graft_that_is_the_finished_project_does_not_fail_but_flickers(prepare):
    runs = iter((passed(), passed(), failed()))
    judge = await prepare(by_text({FINAL: lambda: next(runs)}))
    verdict = await judge.verdict(moment_ended(BODY))
    assert (verdict.name, verdict.message) == ("flaky", "assert f(1) == 2")


async def test_a_command_that_was_there_for_the_finished_project_is_not_missed_by_the_machine(prepare):
    def gone():
        return Completed(127, None, "", "sh: 1: pytest: not found\n", 5.0)

    judge = await prepare(by_text({FINAL: passed, f"{HEAD}return x\n": gone}))
    assert (await judge.verdict(moment_ended("return x"))).name == "failed"


async def test_a_hole_that_makes_tests_go_missing_is_noticed(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}pass\n": lambda: passed(2)}))
    assert (await judge.verdict(moment_ended(BODY))).name == "passed"


async def test_a_graft_with_more_tests_than_the_project_is_passed(prepare):
    judge = await prepare(by_text({FINAL: passed, f"{HEAD}return x\n": lambda: passed(4)}))
    assert (await judge.verdict(moment_ended("return x"))).name == "passed"


async def test_each_state_of_the_project_is_tested_once_also_when_asked_for_at_the_same_time(prepare):
    sandbox = by_text({FINAL: passed})
    judge = await prepare(sandbox)
    asked = [moment_ended(text) for text in (BODY, BODY, "return x", "return x", None)]
    verdicts = await asyncio.gather(*(judge.verdict(one) for one in asked))
    assert [verdict.name for verdict in verdicts] == ["passed", "passed", "assertion", "assertion", "assertion"]
    assert len(sandbox.jobs) == 2 + len({f"{HEAD}pass\n", FINAL, f"{HEAD}return x\n", HEAD})


async def test_one_who_stops_waiting_does_not_spoil_it_for_the_others(prepare):
    judge = await prepare(by_text({FINAL: passed}))
    impatient = asyncio.create_task(judge.verdict(moment_ended(BODY)))
    patient = asyncio.create_task(judge.verdict(moment_ended(BODY)))
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient).name == "passed"


async def test_no_more_tests_run_at_once_than_there_are_slots(prepare):
    running, most = 0, 0

    class Slow:
        name = "slow"

        async def run(self, job):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.02)
            running -= 1
            return passed() if (job.project / "a.py").read_text() == FINAL else failed()

    judge = await prepare(Slow(), slots=2)
    await asyncio.gather(*(judge.verdict(moment_ended(f"return {number}")) for number in range(6)))
    assert most == 2


async def test_a_moment_whose_place_was_written_anew_is_untestable_without_a_test(prepare):
    sandbox = by_text({FINAL: passed})
    judge = await prepare(sandbox)
    verdict = await judge.verdict(moment_ended(BODY, at="def g(x):\n    "))
    assert (verdict.name, verdict.reason) == ("untestable", "rewritten")
    assert len(sandbox.jobs) == 2


async def test_without_tests_or_sandbox_nothing_can_be_judged(prepare):
    assert await prepare(None) is None
    assert await prepare(by_text({}), Timeline(Typist().type(FINAL).tape())) is None
    assert await prepare(by_text({FINAL: passed})) is not None


async def test_a_set_up_that_fails_is_not_the_suggestions_fault(prepare):
    with pytest.raises(SetupFailed, match="status 1"):
        await prepare(by_text({}), timeline_of(setup="make"))


async def test_a_cancelled_preparation_leaves_no_project_behind(prepare):
    folders = []

    def answer(job):
        folders.append(job.project.parent)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await prepare(FakeSandbox(answer))
    assert folders
    assert not any(folder.exists() for folder in folders)


async def test_verdicts_are_the_same_in_a_real_sandbox(prepare, need):
    need("bwrap")
    assert not fault("bubblewrap")
    counted = "echo '3 passed in 0.01s'"
    judge = await prepare(make("bubblewrap"), timeline_of(f"grep -q 'return x + 1' a.py && {counted}"))
    verdicts = await asyncio.gather(*(judge.verdict(moment_ended(text)) for text in (BODY, "return x", None)))
    assert [verdict.name for verdict in verdicts] == ["passed", "failed", "failed"]
    assert verdicts[0].passed == 3


async def test_a_moment_at_no_place_of_the_tape_is_untestable(prepare):
    judge = await prepare(FakeSandbox(lambda job: passed()))
    verdict = await judge.verdict(replace(moment_ended(BODY), spot=None))
    assert (verdict.name, verdict.reason) == ("untestable", "diverged")


WHOLE = f"{HEAD}y = x\n    return y + 1\n"


def whole_timeline():
    return Timeline(Typist(tests=ProjectTests(toolchain="none", command="pytest -q")).type(WHOLE).tape())


def asked(text, at=HEAD, after=""):
    """A suggestion under a policy that does not say what is wanted."""
    moment = moment_of(2 + len(at), at, after, stop="auto")
    offered = Suggestion(text=text, start=len(at), end=len(at), latency=0.0)
    return MomentEnded(moment, at, after, Ending("shown"), offered, spot=Spot(moment, at, after))


async def test_the_hole_follows_the_suggestion_and_one_hole_is_judged_beside_it(prepare):
    first = f"{HEAD}y = x\n    "
    judge = await prepare(by_text({WHOLE: passed}), whole_timeline())
    longer = await judge.verdict(asked("y = x\n    return y + 1", at=HEAD))
    assert (longer.name, longer.fixed, longer.part) == ("passed", None, 1.0)
    assert longer.hole == (len(HEAD), len(WHOLE) - 1)
    shorter = await judge.verdict(asked("y = x", at=HEAD))
    assert (shorter.name, shorter.fixed, shorter.hole) == ("passed", "assertion", (len(HEAD), len(HEAD) + 5))
    part = await judge.verdict(asked("return y", at=first))
    assert (part.name, part.fixed, part.part) == ("passed", "assertion", len("returny") / len("returny+1"))


async def test_what_says_again_what_stood_right_of_the_cursor_never_passes(prepare):
    at, after = HEAD, "\n    return x + 1\n"
    typist = Typist(tests=ProjectTests(toolchain="none", command="pytest -q")).type(at + after)
    event = len(typist.events)
    typist.edit((len(at), len(at), "x = 1 * x"))
    final = f"{at}x = 1 * x{after}"
    twice = f"{at}x = x\n    return x + 1{after}"
    judge = await prepare(by_text({final: passed, twice: passed}), Timeline(typist.tape()))
    moment = replace_event(moment_of(0, at, after, stop="auto"), event)
    offered = Suggestion(text="x = x\n    return x + 1", start=len(at), end=len(at), latency=0.0)
    verdict = await judge.verdict(
        MomentEnded(moment, at, after, Ending("shown"), offered, spot=Spot(moment, at, after))
    )
    assert (verdict.name, verdict.message) == ("repeated", "the suggestion says again what stood right of the cursor")


def replace_event(moment, event):
    return structs.replace(moment, event=event)
