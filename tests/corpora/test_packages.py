"""Which programs get packages, and what waits for them."""

import asyncio

import pytest
from devbench_data import instance, write

from corpora.corpus import corpus_of
from corpora.devbench.corpus import packages
from corpora.packages import PackagedPrograms, needs_packages
from corpora.run.task_cases import TaskTests
from replay.judge.kept_results import KeptResults
from replay.judge.trials import Trials
from runners.errors import SetupFailed
from runners.programs import Program
from runners.programs.fake import FakePrograms
from runners.verdicts import Result

NEEDS = {
    "python": (
        ["import numpy", "import os, requests as r", "from PIL import Image", "if x:\n    import yaml", "a = 1; import cv2", "import xml.dom, pandas.io"],
        ["m = __import__(name)", "importlib.import_module('x')", "with patch('requests.get'): pass", "run(['-c', 'import numpy'])"],
        ["import os\nimport xml.dom.minidom as d, json", "from collections.abc import Set", "from . import x", "important = from_here", "patch('json.loads')"],
    ),
    "javascript": (
        ["const a = require('axios')", 'import x from "d3"', "import('ws')", "require('@scope/name')", "import 'jsdom/lib'", "jest.mock('axios')"],
        ["require(name)", "module.createRequire(x)"],
        ["require('fs').x", "require('node:test')", "import x from 'fs/promises'", "require('./own')", "const important = 'axios'"],
    ),
    "typescript": (
        ["import axios from 'axios';", "import d3 = require('d3');", "declare module 'redux' {}"],
        ['/// <reference types="jsdom" />'],
        ["import * as assert from 'assert';", "import { x } from './own';"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", NEEDS)
def test_a_program_gets_packages_if_it_imports_what_does_not_come_with_its_language(language):
    imports, searches, own = NEEDS[language]
    assert [text for text in (*imports, *searches) if not needs_packages(language, text)] == []
    assert [text for text in own if needs_packages(language, text)] == []


def test_no_ground_truth_that_names_a_package_of_its_language_goes_without(shared):
    """By the names of all packages, wherever they stand behind a word of import."""
    corpus = corpus_of("devbench", shared)
    tasks = corpus.tasks(["python", "javascript", "typescript"], corpus.categories, packages=True)
    names = {
        language: {name.split("[")[0].rsplit("@", 1)[0] or name for name in known} | {"cv2", "dotenv", "requests_mock"}
        for language, known in packages().items()
    }
    without = 0
    for task in tasks:
        text = task.tests.program(task.finished)
        if needs_packages(task.language, text):
            continue
        without += 1
        lines = [line for line in text.split("\n") if "import" in line or "require" in line]
        quoted = {word for line in lines for word in line.replace("'", '"').split('"')[1::2]}
        words = {word for line in lines for word in line.replace(",", " ").replace(".", " ").split()}
        assert not (words if task.language == "python" else quoted) & names[task.language], task.name
    assert without > 700


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
