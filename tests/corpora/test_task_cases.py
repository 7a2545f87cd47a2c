"""What is run, how often, and what is remembered."""

import asyncio
from dataclasses import replace

import pytest

from corpora.corpus import corpus_of
from corpora.run.task_cases import KeptRecordings, TaskCases, TaskTests
from replay.errors import KeptResultsError
from replay.judge.judge import Judge
from replay.judge.kept_results import KeptResults
from replay.judge.tested_states import Trials
from replay.play.player_instructions import MomentEnded
from replay.records import Ending, Suggestion
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from tests.support.devbench_data import instance, write
from tests.support.waiting import PATIENCE_S


def result(verdict_class, log=""):
    return Result(verdict_class, log, None, None, log, 5.0)


def by_text(**classes):
    """Programs whose result is named by a word in their text; what no word names passes."""
    return FakePrograms(
        lambda program: result(
            next((verdict_class for word, verdict_class in classes.items() if word in program.text), "passed")
        )
    )


@pytest.fixture
def task(tmp_path):
    write(tmp_path, instance(1, "golden()", prefix="def f():", suffix="f()", assertions="check()"))
    return corpus_of("devbench", tmp_path).tasks(["python"], ["low_context"], packages=False)[0]


class Here:
    """Trials of tasks by some programs, on a machine with a name; what is kept lies in a folder, unless nothing is trusted."""

    def __init__(self, programs, folder, *, machine="here", trusts=True):
        self.programs, self.machine = programs, machine
        self.trials = Trials(asyncio.Semaphore(2), KeptResults(folder) if trusts else None)

    def tests(self, task):
        return TaskTests(task, self.programs, self.machine)

    def finished(self, task):
        return self.trials.finished(self.tests(task), task.finished)

    def of(self, task, filled):
        return self.trials.graft(self.tests(task), filled)

    def verdict(self, task, suggestion, *, explains=False):
        cases = TaskCases.of([task], self.programs, {"python": self.machine}, explains=explains)
        moment = task.moment()
        ended = MomentEnded(moment, task.before, task.after, Ending("shown"), suggestion)
        return Judge(cases, self.trials).verdict(ended)


def trials(programs, folder, **more):
    return Here(programs, folder, **more)


def offered(task, text):
    at = task.moment().offset
    return Suggestion(text=text, start=at, end=at, latency=1.0)


async def test_a_text_is_run_once_however_many_ask_and_the_ground_truth_twice(task, tmp_path):
    programs = by_text()
    here = trials(programs, tmp_path)
    filled = task.filled(offered(task, "other()"))
    await asyncio.gather(here.of(task, filled), here.of(task, filled), here.finished(task), here.finished(task))
    assert len(programs.ran) == 3


@pytest.mark.parametrize("classes", [["passed", "exception"], ["exception", "passed"]])
async def test_a_ground_truth_that_passes_once_and_fails_once_makes_its_task_untestable(task, tmp_path, classes):
    classes = iter(classes)
    programs = FakePrograms(lambda program: result(next(classes) if "golden" in program.text else "failed"))
    verdict = await trials(programs, tmp_path).verdict(task, offered(task, "other()"))
    assert (verdict.name, verdict.reason) == ("untestable", "flaky")
    programs = by_text()
    verdict = await trials(programs, tmp_path).verdict(task, offered(task, "other()"))
    assert (verdict.reason, programs.ran) == ("flaky", [])


@pytest.mark.parametrize(("at", "expected"), [(1, "flaky"), (7, "flaky"), (15, "flaky"), (16, "exception")])
async def test_a_ground_truth_that_fails_is_run_sixteen_times_until_it_passes_once(task, tmp_path, at, expected):
    classes = iter(["exception"] * at + ["passed"])
    programs = FakePrograms(lambda _: result(next(classes)))
    assert (await trials(programs, tmp_path).finished(task)).verdict_class == expected
    assert len(programs.ran) == min(at + 1, 16)


class Timed:
    """Programs of which the emptied one never ends; keeps the limits, by whether it was that one."""

    def __init__(self, wall_ms):
        self.wall_ms, self.limits = wall_ms, []

    async def prepare(self, program):
        pass

    async def run(self, program, *, timeout_s):
        ends = "golden" in program.text or "other" in program.text
        self.limits.append((ends, timeout_s))
        ended = replace(result("passed"), wall_ms=self.wall_ms)
        return ended if ends else replace(result("timeout"), wall_ms=1000 * timeout_s)


@pytest.mark.parametrize(("wall_ms", "limit_s"), [(100.0, 5.0), (2000.0, 10.0), (20000.0, 30.0)])
async def test_an_emptied_program_has_five_times_as_long_as_the_finished_one_and_that_it_ran_out_is_kept(
    task, tmp_path, wall_ms, limit_s
):
    for emptied in ([limit_s, limit_s], []):
        programs = Timed(wall_ms)
        assert (await trials(programs, tmp_path).verdict(task, offered(task, "other()"))).name == "passed"
        assert [limit for ends, limit in programs.limits if not ends] == emptied
        assert {limit for ends, limit in programs.limits if ends} == {30.0, 60.0}  # with probes, twice as long


@pytest.mark.parametrize(
    ("prefix", "classes", "runs", "noticed"),
    [
        ("import threading\ndef f():", ["assertion", "assertion", "passed"], 3, False),
        ("import threading\ndef f():", ["assertion"] * 5, 5, True),
        ("import threading\ndef f():", ["passed"], 1, False),
        ("def f():", ["assertion", "passed"], 1, True),
    ],
)
async def test_an_emptied_program_with_threads_must_fail_five_times(tmp_path, prefix, classes, runs, noticed):
    """The order of threads differs from run to run: a gap that is noticed only sometimes tells nothing of an answer."""
    write(tmp_path, instance(1, "golden()", prefix=prefix, suffix="f()", assertions="check()"))
    task = corpus_of("devbench", tmp_path).tasks(["python"], ["low_context"], packages=False)[0]
    todo = iter(classes)
    programs = FakePrograms(lambda program: result("passed" if "golden" in program.text else next(todo)))
    here = trials(programs, tmp_path / "cache")
    tests = here.tests(task).for_emptied(await here.finished(task))
    found = await here.trials.emptied(tests, task.emptied)
    assert (found.verdict_class != "passed") == noticed
    assert sum("golden" not in program.text for program in programs.ran) == runs


async def test_an_emptied_program_that_was_too_slow_once_runs_again(task, tmp_path):
    """On a slow machine: the task would count as one whose tests notice the gap, and be kept so."""
    slow = iter(["timeout"])
    programs = FakePrograms(lambda program: result("passed" if "golden" in program.text else next(slow, "passed")))
    for _ in range(2):
        found = await trials(programs, tmp_path).verdict(task, offered(task, "other()"))
        assert (found.name, found.reason) == ("untestable", "undetected")


async def test_a_ground_truth_that_was_only_too_slow_once_is_tried_anew_in_the_next_run(task, tmp_path):
    classes = iter(["passed", "timeout", "passed", "passed"])
    programs = FakePrograms(lambda _: result(next(classes)))
    assert (await trials(programs, tmp_path).finished(task)).verdict_class == "timeout"
    assert (await trials(programs, tmp_path).finished(task)).verdict_class == "passed"


async def test_what_the_finished_document_does_is_remembered_between_runs(task, tmp_path):
    await trials(by_text(golden="compile"), tmp_path).finished(task)
    programs = by_text()
    assert (await trials(programs, tmp_path).finished(task)).verdict_class == "compile"
    assert programs.ran == []


@pytest.mark.parametrize(("change", "times"), [({"machine": "another compiler"}, 2), ({"trusts": False}, 1)])
async def test_another_machine_or_a_run_that_trusts_nothing_finds_out_anew(task, tmp_path, change, times):
    await trials(by_text(), tmp_path).finished(task)
    programs = by_text()
    await trials(programs, tmp_path, **change).finished(task)
    assert len(programs.ran) == times


@pytest.mark.parametrize("verdict_class", ["infrastructure", "timeout"])
async def test_what_may_be_the_machines_fault_is_not_remembered(task, tmp_path, verdict_class):
    await trials(by_text(golden=verdict_class), tmp_path).finished(task)
    assert (await trials(by_text(), tmp_path).finished(task)).verdict_class == "passed"


async def test_what_failed_for_want_of_a_library_is_found_out_anew(task, tmp_path):
    lacking = FakePrograms(lambda _: result("exception", "ModuleNotFoundError: No module named 'numpy'"))
    assert (await trials(lacking, tmp_path).finished(task)).verdict_class == "exception"
    assert (await trials(by_text(), tmp_path).finished(task)).verdict_class == "passed"


async def test_answers_of_models_are_not_remembered(task, tmp_path):
    filled = task.filled(offered(task, "other()"))
    for _ in range(2):
        programs = by_text()
        await trials(programs, tmp_path).of(task, filled)
        assert len(programs.ran) == 1


async def test_no_more_run_at_once_than_there_are_slots(tmp_path):
    write(tmp_path, *(instance(number, f"golden({number})") for number in range(9)))
    tasks = corpus_of("devbench", tmp_path).tasks(["python"], ["low_context"], packages=False)
    running, most, two_run = 0, 0, asyncio.Event()

    class Counting(FakePrograms):
        async def run(self, program, *, timeout_s):
            nonlocal running, most
            running += 1
            most = max(most, running)
            if running == 2:
                two_run.set()
            await asyncio.wait_for(
                two_run.wait(), PATIENCE_S
            )  # what is kept is read in threads: a second one may come later
            await asyncio.sleep(0.02)
            running -= 1
            return result("passed")

    here = trials(Counting(None), tmp_path)
    await asyncio.gather(*map(here.finished, tasks))
    assert most == 2


async def test_a_file_of_results_that_is_none_is_named(task, tmp_path):
    (tmp_path / "results.sqlite").write_text("no database" * 100)
    with pytest.raises(KeptResultsError, match=r"results\.sqlite: .*; remove it"):
        await trials(by_text(), tmp_path).finished(task)


async def verdict(task, tmp_path, answer, *, explains=False, **classes):
    here = trials(by_text(**classes), tmp_path, trusts=not explains)
    return await here.verdict(task, None if answer is None else offered(task, answer), explains=explains)


async def test_an_answer_is_judged_by_the_program_with_it(task, tmp_path):
    classes = {"good": "passed", "golden": "passed", "": "assertion"}
    assert (await verdict(task, tmp_path, "good()", **classes)).name == "passed"
    bad = await verdict(task, tmp_path, "bad()", **classes)
    assert bad.name == "assertion"
    assert bad.program == "import asyncio\nimport os\ndef f():\nbad()\nf()\n\ncheck()\n"


async def test_no_answer_is_judged_as_an_empty_one(task, tmp_path):
    assert (await verdict(task, tmp_path, None, golden="passed", **{"": "assertion"})).name == "assertion"


async def test_nothing_counts_where_the_ground_truth_fails(task, tmp_path):
    programs = FakePrograms(lambda _: result("exception", "java.net.UnknownHostException: x"))
    told = await trials(programs, tmp_path).verdict(task, offered(task, "good()"))
    assert (told.name, told.reason, told.cause) == ("untestable", "broken-baseline", "network")
    assert "golden()" in told.program
    assert len(programs.ran) == 1


async def test_nothing_counts_where_the_tests_do_not_notice_that_the_part_is_missing(task, tmp_path):
    told = await verdict(task, tmp_path, "good()")
    assert (told.name, told.reason) == ("untestable", "undetected")


async def test_nothing_counts_where_nothing_is_to_be_filled_in(tmp_path):
    write(tmp_path, instance(1, "\n"))
    (task,) = corpus_of("devbench", tmp_path).tasks(["python"], ["low_context"], packages=False)
    told = await verdict(task, tmp_path, "good()", **{"": "failed"})
    assert (told.name, told.reason) == ("untestable", "empty")


async def plainly(task, folder, answer, *, wanted=True, **classes):
    """The verdict where answers to untestable tasks are tested by their tests alone, and the programs that ran."""
    programs = by_text(**classes)
    cases = TaskCases.of([task], programs, {"python": "here"}, explains=False)
    found = Trials(asyncio.Semaphore(2), KeptResults(folder))
    ended = MomentEnded(task.moment(), task.before, task.after, Ending("shown"), offered(task, answer))
    verdict = await Judge(cases, found, alone=cases.alone if wanted else None).verdict(ended)
    return verdict, programs.ran


async def test_an_answer_to_an_untestable_task_has_a_verdict_by_its_tests_alone(task, tmp_path):
    broken = {"good": "passed", "golden": "exception", "": "assertion"}
    for answer, alone in (("good()", "passed"), ("bad()", "assertion")):
        told, ran = await plainly(task, tmp_path / "broken", answer, **broken)
        assert (told.name, told.reason, told.alone) == ("untestable", "broken-baseline", alone)
        assert ran[-1].text == f"import asyncio\nimport os\ndef f():\n{answer}\nf()\n\ncheck()\n"
    told, _ = await plainly(task, tmp_path / "unnoticed", "bad()", bad="timeout")
    assert (told.name, told.reason, told.alone) == ("untestable", "undetected", "timeout")


async def test_the_tests_alone_are_asked_nowhere_else(task, tmp_path):
    sound = {"good": "passed", "golden": "passed", "": "assertion"}
    told, _ = await plainly(task, tmp_path / "sound", "good()", **sound)
    assert (told.name, told.alone) == ("passed", None)
    told, ran = await plainly(task, tmp_path / "unwanted", "bad()", wanted=False, bad="timeout")
    assert (told.reason, told.alone) == ("undetected", None)
    assert not [program for program in ran if "bad()" in program.text]
    told, _ = await plainly(task, tmp_path / "machine", "bad()", golden="infrastructure")
    assert (told.name, told.alone) == ("infrastructure", None)


async def test_a_task_with_nothing_to_fill_in_is_tested_alone_too(tmp_path):
    write(tmp_path, instance(1, "\n"))
    (task,) = corpus_of("devbench", tmp_path).tasks(["python"], ["low_context"], packages=False)
    told, _ = await plainly(task, tmp_path, "good()", good="passed", **{"": "failed"})
    assert (told.reason, told.alone) == ("empty", "passed")


async def test_an_answer_that_leaves_the_program_counts_where_nothing_is_asked_of_the_tests(task, tmp_path):
    """No line is the model's there, and nothing has to be reached: a published score sees the status alone."""
    _, ran = await plainly(task, tmp_path, "exit(0)", golden="exception")
    assert ran[-1].written == (0, 0)
    assert not ran[-1].probes


@pytest.mark.parametrize("where", ["golden", "pass"])
async def test_a_failure_of_the_machine_is_no_verdict_on_the_task(task, tmp_path, where):
    told = await verdict(
        task, tmp_path, "good()", **({"good": "passed", "golden": "passed"} | {where: "infrastructure"})
    )
    assert told.name == "infrastructure"


async def test_the_ground_truth_itself_is_judged_plainly_and_its_failure_explained(task, tmp_path):
    programs = FakePrograms(lambda _: result("exception", "ModuleNotFoundError: No module named 'torch'"))
    told = await trials(programs, tmp_path).verdict(task, offered(task, task.truth), explains=True)
    assert (told.name, told.cause) == ("exception", "missing-library torch")
    passed = await verdict(task, tmp_path / "other", task.truth, explains=True)
    assert (passed.name, passed.cause) == ("passed", "")


async def test_a_ground_truth_that_the_repairs_changed_is_told_apart(task, tmp_path):
    told = await verdict(task, tmp_path, "gold", explains=True, **{"": "assertion"})
    assert told.cause == "repairs changed the ground truth"


async def test_what_a_ground_truth_executes_is_kept_by_machine_unless_packages_are_missing(task, tmp_path):
    kept, ran = KeptResults(tmp_path), replace(result("passed"), reached=frozenset({1, 4}))
    shelves = {
        (machine, bool(missing)): KeptRecordings(kept, "python", machine, missing)
        for machine in ("here", "there")
        for missing in (frozenset(), frozenset({"python"}))
    }
    await shelves["there", True].put("a program", ran)
    await shelves["here", False].put("a program", ran)
    found = {name: await shelf.get("a program") for name, shelf in shelves.items()}
    assert found == dict.fromkeys(shelves) | {("here", False): ran}
    tests = TaskCases.of([task], FakePrograms(lambda _: ran), {"python": "here"}, explains=False, kept=kept).tests
    assert tests[task.path].reached.kept == KeptRecordings(kept, "python", "here", frozenset())
