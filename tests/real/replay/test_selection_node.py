"""Grafts in a project of node's that run only the files of tests that touch them, and the sample that runs all."""

import asyncio

import pytest

from replay.judge.tape_cases import prepare_tests
from replay.play.player_instructions import MomentEnded, Spot
from replay.records import Ending, Suggestion
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.timeline import Timeline
from runners.sandboxes import make
from tests.support.tapes import Typist, moment_of

HEAD, BODY = "exports.f = (x) => {\n  ", "return x + 1;"
OTHER = "\n};\nexports.g = (x) => {\n  return x * 2;\n};\n"
IMPORTS = (
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst { f, g } = require('./a.js');\n"
)
TESTS = {
    "f.test.js": IMPORTS + "test('f', () => assert(f(1) > 0));\n",
    "g.test.js": IMPORTS + "test('g', () => assert.equal(g(2), 4));\n",
}
READS = {
    "r.test.js": IMPORTS
    + "test('r', () => assert(String(require('fs').readFileSync('a.js')).match(/x \\+ 1|touch/) && g(1)));\n"
}
STARTS = {
    "p.test.js": IMPORTS
    + "const { execFileSync } = require('node:child_process');\n"
    + "test('p', () => assert.equal(Number(execFileSync(process.execPath, ['-p', 'require(\"./a.js\").f(1)'])), 2));\n"
}
AT_IMPORT = {"h.test.js": IMPORTS + "const two = f(1);\ntest('h', () => assert.equal(two, 2));\n"}
AT_IMPORT["f.test.js"] = AT_IMPORT["g.test.js"] = AT_IMPORT["h.test.js"]


NODE_TEST = ProjectTests(toolchain="node", command="node --test", timeout_s=60.0)
MOCHA = ProjectTests(toolchain="node", requires=("mocha@11",), command="mocha", timeout_s=60.0)
MAKE, ADD = "const make = () => {\n  ", "return { add(a, b) { return a + b; } };"
MADE = "\n};\nlet made;\nexports.get = () => made ??= make();\n"
BY_TEST = {
    "test/t.js": (
        "const assert = require('node:assert');\nconst { get } = require('../a.js');\n"
        "it('zero', () => assert(get()));\nit('two', () => assert.equal(get().add(1, 2), 3));\nit('three', () => assert(get));\n"
    )
}


def timeline_of(tests, texts, plan):
    typist = Typist("a.js", "javascript", tests=plan)
    for text in texts:
        typist.type(text)
    typist.header.workspace.files.update(tests)
    return Timeline(typist.tape())


def moment_ended(text, head):
    moment = moment_of(2 + len(head), head, "", path="a.js", language="javascript", stop="statement")
    offered = Suggestion(text=text, start=len(head), end=len(head), latency=0.0)
    return MomentEnded(moment, head, "", Ending("shown"), offered, spot=Spot(moment, head, ""))


@pytest.fixture
async def judged(cache, need):
    """A function that says what becomes of suggestions, in order: name, tests passed and failed; and the selection's counts."""
    need("bwrap", "node", "npm")
    judges = []

    async def judged(tests, *texts, typed=(HEAD, BODY, OTHER), plan=NODE_TEST):
        slots = asyncio.Semaphore(2)
        made = await prepare_tests(
            timeline_of(tests, typed, plan), make("bubblewrap"), cache, slots, lambda _: None, selects=True
        )
        judges.append(made)
        judge = made.judge
        judge.selection.share = 0.0
        verdicts = [await judge.verdict(moment_ended(text, typed[0])) for text in texts]
        return [(one.name, one.passed, one.failed) for one in verdicts], judge.selection.counts

    yield judged
    for judge in judges:
        await judge.close()


async def test_a_graft_runs_the_files_that_touch_it_and_a_sample_all(judged):
    verdicts, counts = await judged(TESTS, BODY, "return x + 2;", "return y;")
    assert verdicts == [
        ("passed", 2, 0),
        ("passed", 1, 0),
        ("undefined-name", 0, 1),
    ]  # the first is always of the sample
    assert counts == {"selected": 3, "sampled": 1, "disagreed": 0}


async def test_a_test_that_reads_the_file_is_missed_by_selection_and_caught_by_the_sample(judged):
    verdicts, counts = await judged(TESTS | READS, "return x + 2;", "return x + 3;")
    assert verdicts == [("assertion", 2, 1)] * 2
    assert counts == {"selected": 1, "sampled": 1, "disagreed": 1}


async def test_files_that_start_processes_always_run(judged):
    verdicts, counts = await judged(TESTS | STARTS, BODY, "return x + 2;")
    assert verdicts == [("passed", 3, 0), ("assertion", 1, 1)]
    assert counts == {"selected": 2, "sampled": 1, "disagreed": 0}


async def test_what_every_file_calls_while_it_is_imported_is_tested_by_all(judged):
    verdicts, counts = await judged(AT_IMPORT, BODY, "return x + 2;")
    assert verdicts == [("passed", 3, 0), ("assertion", 0, 3)]
    assert counts == {"selected": 0, "sampled": 0, "disagreed": 0}


async def test_a_closure_is_tested_by_who_calls_it_not_only_by_who_had_it_made(judged):
    verdicts, counts = await judged(BY_TEST, ADD, ADD.replace("+", "*"), typed=(MAKE, ADD, MADE), plan=MOCHA)
    assert verdicts == [("passed", 3, 0), ("assertion", 1, 1)]
    assert counts == {"selected": 2, "sampled": 1, "disagreed": 0}
