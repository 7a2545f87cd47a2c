"""Which programs get packages, and what waits for them."""

import asyncio

from corpora.corpus import corpus_of
from corpora.devbench.corpus import packages
from corpora.required_packages import PackagedPrograms
from corpora.run.task_cases import TaskTests
from replay.judge.kept_results import KeptResults
from replay.judge.tested_states import Trials
from runners.errors import SetupFailed
from runners.programs import Program
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from tests.support.devbench_data import instance, write


class Installing(FakePrograms):
    """Packages that are there once an event is set, or never."""

    def __init__(self, refused=False):
        super().__init__(lambda program: Result("passed", "", None, None, repr(program.requires), 1.0))
        object.__setattr__(self, "there", asyncio.Event())
        object.__setattr__(self, "refused", refused)

    async def prepare(self, program):
        if program.requires:
            await self.there.wait()
            if self.refused:
                raise SetupFailed("pip:\nno such package")


def tasks_of(folder):
    records = [instance(1, "import numpy"), instance(2, "import os")]
    write(folder, *records)
    return corpus_of("devbench", folder).tasks(["python"], ["low_context"], packages=True)


async def test_programs_without_packages_do_not_wait_for_those_with_some(tmp_path):
    with_numpy, plain = tasks_of(tmp_path)
    inner = Installing()
    programs, trials = PackagedPrograms(inner, lambda _: None), Trials(asyncio.Semaphore(1))
    waiting = asyncio.ensure_future(trials.finished(TaskTests(with_numpy, programs), with_numpy.finished))
    await asyncio.sleep(0)
    found = await asyncio.wait_for(trials.finished(TaskTests(plain, programs), plain.finished), 5)
    assert (found.log, waiting.done()) == ("()", False)
    inner.there.set()
    assert (await waiting).log == repr(packages()["python"])
    await programs.close()


async def test_what_was_kept_with_packages_says_nothing_where_they_cannot_be_installed(tmp_path):
    """Else a ground truth that passed with them would stand beside an answer that fails without: the model would be blamed."""
    with_numpy, _ = tasks_of(tmp_path)
    for refused, log in ((False, repr(packages()["python"])), (True, "()"), (False, repr(packages()["python"]))):
        inner = Installing(refused=refused)
        inner.there.set()
        programs = PackagedPrograms(inner, lambda _: None)
        tests = TaskTests(with_numpy, programs, missing=programs.missing)
        found = await Trials(asyncio.Semaphore(1), KeptResults(tmp_path)).finished(tests, with_numpy.finished)
        assert found.log == log


async def test_packages_that_cannot_be_installed_are_told_once_and_nothing_is_kept(tmp_path):
    with_numpy, _ = tasks_of(tmp_path)
    said, inner = [], Installing(refused=True)
    inner.there.set()
    programs = PackagedPrograms(inner, said.append)
    trials = Trials(asyncio.Semaphore(1), KeptResults(tmp_path))
    for _ in range(2):
        tests = TaskTests(with_numpy, programs, missing=programs.missing)
        assert (await trials.finished(tests, with_numpy.finished)).log == "()"
    program = Program("python", "", requires=("numpy",))
    assert (await programs.run(program, timeout_s=1.0)).log == "()"
    assert [line for line in said if line.endswith("which cannot be installed: no such package")] == said[1::2]
    assert programs.missing == {"python"}
    again = Trials(asyncio.Semaphore(1), KeptResults(tmp_path))
    ran = len(inner.ran)
    await again.finished(TaskTests(with_numpy, programs, missing=programs.missing), with_numpy.finished)
    assert len(inner.ran) > ran
