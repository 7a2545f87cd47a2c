"""Which files of tests call which functions, of node's test runners, and runs of only some of them."""

import asyncio
import base64
import re
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from runners.coverage import record_coverage
from runners.coverage.function_spans import bodies
from runners.coverage.node import Probed, read
from runners.project import ProjectPlan
from runners.verdicts import against_baseline, restrict_to
from tests.support.coverage_runners import (
    NODE_TEST,
    RUNNERS,
)


def of_files(tests, letters):
    return frozenset(name for name in tests if name[len("test/")] in letters)


def line_of(text, files, path):
    return files[path].split(text)[0].count("\n") + 1


@pytest.mark.parametrize("runner", RUNNERS)
async def test_a_function_is_touched_by_the_tests_that_call_it_and_those_that_start_processes(runner, project, cache):
    plan, files = RUNNERS[runner]
    whole = await project(plan, files)
    result, found = await record_coverage(whole, cache, lambda _: None)
    assert (result.verdict_class, result.passed, len(result.tests)) == ("passed", 5, 5), result
    path = "m.ts" if "m.ts" in files else "m.cjs"

    def touching(text):
        number = line_of(text, files, path)
        return found.touching(path, number, number)

    assert touching("return x + 1") == touching("function one") == of_files(result.tests, "abp")
    assert touching("one(x) + 1") == of_files(result.tests, "bp")
    assert touching("return this.n") == of_files(result.tests, "cp")
    assert [touching(text) for text in ("=> x * 2", "const LIMIT", "class Kind", "return 1")] == [None] * 4
    only = of_files(result.tests, "a")
    some = against_baseline(await whole.run({}, only), restrict_to(result, only))
    assert (some.verdict_class, some.passed, some.tests) == ("passed", 1, only)
    gone = frozenset(name.replace("test/a", "test/gone") for name in only)
    assert against_baseline(await whole.run({}, gone), replace(result, tests=gone)).verdict_class == "failed"


MADE = """\
const factories = {
  method() { return { add(a, b) { return a + b; } }; },
  arrow: () => ({ add: (a, b) => a + b }),
  lazy() {
    return { get add() { return (a, b) => a + b; } };
  },
  field() {
    return { add: (a, b) => new (class { sum = a + b; })().sum };
  },
  defaults() {
    return { add(a, b, sum = a + b) { return sum; } };
  },
  bound() {
    class Sum { static a = 0; static b = 0; value = Sum.a + Sum.b; }
    const make = Reflect.construct.bind(null, Sum, []);
    return { add: Object.assign(make, { Sum }) };
  },
  *turns() {
    for (let given = yield; ; ) given = yield given[0] + given[1];
  },
  async awaited(given) {
    return (await given.promise) + 1;
  },
  awaits: async (given) => (await given.promise) + 1,
  async finished() { return await 1; },
  plain() { return { add: [1].at.bind([3]) }; },
};
const made = {};
const get = (name, ...words) => made[name] ??= factories[name](...words);
module.exports = { get };
"""
MADE_TESTS = """\
const assert = require('node:assert');
const { get } = require('../made.cjs');
const NAMES = ['method', 'arrow', 'lazy', 'field', 'defaults', 'plain'];
const given = {};
given.promise = new Promise((resolve) => { given.resolve = resolve; });
it('zero', async () => {
  for (const name of [...NAMES, 'bound', 'finished']) get(name);
  await get('finished');
  get('turns').next();
  get('awaited', given);
  get('awaits', given);
});
it('one', () => {
  for (const name of NAMES.slice(0, 5)) assert.equal(get(name).add(1, 2), 3);
  const { add } = get('bound');
  [add.Sum.a, add.Sum.b] = [1, 2];
  assert.equal(add().value, 3);
  assert.equal(get('turns').next([1, 2]).value, 3);
});
it('two', async () => {
  given.resolve(1);
  assert.equal(await get('awaited'), 2);
  assert.equal(await get('awaits'), 2);
});
it('three', () => assert(get));
"""


async def test_what_one_test_made_and_another_executes_is_touched_by_both(project, cache):
    whole = await project(RUNNERS["mocha"][0], {"made.cjs": MADE, "test/a.cjs": MADE_TESTS})
    result, found = await record_coverage(whole, cache, lambda _: None)
    assert (result.verdict_class, result.passed) == ("passed", 4), result

    def touching(name):
        number = next(at for at, line in enumerate(MADE.splitlines(), 1) if re.match(rf"  (async |\*)?{name}\b", line))
        names = found.touching("made.cjs", number, number)
        return None if names is None else {name.removeprefix("test/a.cjs > ") for name in names}

    assert touching("plain") == touching("finished") == {"zero"}
    assert [touching(name) for name in ("method", "arrow", "lazy")] == [{"zero", "one"}] * 3
    leaking = ("field", "defaults", "bound", "turns", "awaited", "awaits")
    assert [touching(name) for name in leaking] == [None] * len(leaking)


def called(data, text):
    """The outermost functions, by number, that node's own coverage counted calls of in one of its files."""
    counts = {
        function["ranges"][0]["startOffset"]: function["ranges"][0]["count"]
        for script in data["result"]
        if script["url"].endswith("/m.cjs")
        for function in script["functions"]
    }
    found = dict.fromkeys(range(len(bodies("m.cjs", text))), 0)
    for number, body in enumerate(bodies("m.cjs", text)):
        found[number] = counts[max(start for start in counts if start < body.start)]
    return {number for number, count in found.items() if count}


async def test_node_s_own_coverage_of_each_file_tells_the_same_functions(project, cache, tmp_path):
    plan, files = RUNNERS["node --test"]
    result, found = await record_coverage(await project(plan, files), cache, lambda _: None)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    text = files["m.cjs"]
    lines = [text.count("\n", 0, body.start) + 1 for body in bodies("m.cjs", text)]
    for letter in "abc":
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "NODE_V8_COVERAGE": str(tmp_path / letter)}
        command = [Path("/proc/self/cwd"), "node", f"test/{letter}.test.cjs"][1:]
        await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, env=env, check=True, capture_output=True)
        expected = set().union(
            *(called(msgspec.json.decode(file.read_bytes()), text) for file in (tmp_path / letter).iterdir())
        )
        told = {
            number
            for number, line in enumerate(lines)
            if line in found.lines["m.cjs"]
            and ((names := found.lines["m.cjs"][line]) is None or of_files(result.tests, letter) <= names)
        }
        assert told == expected


NESTED = """\
const test = require('node:test');
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
test('outer', () => {
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  assert.match(String(execFileSync(process.execPath, ['--test', 'inner.js'], { env })), /# pass 2/);
});
"""


async def test_a_runner_inside_of_a_test_is_not_told_what_to_run(project):
    inner = "const test = require('node:test');\ntest('x', () => {});\ntest('y', () => {});\n"
    plan = ProjectPlan("node", command="node --test outer.js other.js", timeout_s=60.0)
    whole = await project(plan, {"outer.js": NESTED, "inner.js": inner, "other.js": inner})
    result = await whole.run({}, frozenset({"outer.js 0 outer"}))
    assert result.verdict_class == "passed"
    assert "outer.js 0 outer" in result.tests
    assert not any(name.startswith("other.js") for name in result.tests)


CHECKED = {
    "m.ts": "export function f(x: number) {\n  return x + 1;\n}\n",
    "m.test.cjs": NODE_TEST.replace("../m.cjs", "./m.js") + "test('f', () => assert.equal(m.f(1), 2));\n",
}
TSC = "tsc --module commonjs --lib es2020 --typeRoots none"
READS = NODE_TEST.replace("../m", "./m") + "test('text', () => assert.equal(m.f.toString(), '(x) => x + 1'));\n"
HIDDEN = {
    "where types are checked": (
        ProjectPlan("typescript", command=f"{TSC} m.ts && node --test", timeout_s=120.0),
        CHECKED,
    ),
    "a test of a function's text": (
        ProjectPlan("node", command="node --test", timeout_s=60.0),
        {"m.cjs": "exports.f = (x) => x + 1;\n", "m.test.cjs": READS},
    ),
    "another runner": (
        ProjectPlan("node", command="node m.test.cjs", timeout_s=60.0),
        {"m.test.cjs": "(() => 1)();\n"},
    ),
}


@pytest.mark.parametrize("case", HIDDEN)
async def test_where_probes_cannot_tell_it_says_so_and_the_tests_pass_as_ever(case, project, cache):
    told = []
    result, found = await record_coverage(await project(*HIDDEN[case]), cache, told.append)
    assert (result.verdict_class, found) == ("passed", None), result
    assert "no coverage here" in told[-1]


FUNCTIONS = [Probed("m.js", 1, 2), Probed("m.js", 2, 3), Probed("n.js", 1, 1)]
NAMES = frozenset({"a.js 0 x", "a.js 0 y", "b.js 0 x", "b.js 0 x 0 z"})


def touched(told):
    return [f"touched {base64.b64encode(zlib.compress(msgspec.json.encode(told))).decode()}"]


def test_tests_are_meant_by_their_file_or_their_name():
    found = read(touched({"a.js": [0], "b.js 0 x": [1]}), FUNCTIONS, NAMES)
    assert found.unseen == {"b.js 0 x 0 z"}
    assert found.touching("m.js", 1, 1) == {"a.js 0 x", "a.js 0 y", "b.js 0 x 0 z"}
    assert found.touching("m.js", 3, 3) == {"b.js 0 x", "b.js 0 x 0 z"}
    assert found.touching("m.js", 2, 2) == NAMES
    assert found.touching("n.js", 1, 1) is None


def test_what_is_called_for_no_known_test_is_needed_by_all():
    for told in ({"": [0], "a.js": [0], "b.js": [1]}, {"c.js": [0], "a.js": [0], "b.js": [1]}):
        found = read(touched(told), FUNCTIONS, NAMES)
        assert found.touching("m.js", 1, 1) is None
        assert found.touching("m.js", 3, 3) == {"b.js 0 x", "b.js 0 x 0 z"}


def test_what_leaks_is_needed_by_all_tests_that_share_a_process():
    leaking = [Probed("m.js", 1, 2, leaks=True), *FUNCTIONS[1:]]
    by_name = {"b.js 0 x": [0], "a.js 0 x": [1], "a.js 0 y": [1], "b.js 0 x 0 z": [1]}
    assert read(touched(by_name), FUNCTIONS, NAMES).touching("m.js", 1, 1) == {"b.js 0 x"}
    assert read(touched(by_name), leaking, NAMES).touching("m.js", 1, 1) is None
    by_file = {"b.js": [0], "a.js": [1]}
    assert read(touched(by_file), leaking, NAMES).touching("m.js", 1, 1) == {"b.js 0 x", "b.js 0 x 0 z"}


def test_who_starts_processes_or_calls_nothing_is_unseen():
    found = read(touched({"a.js 0 x": [0, -1], "b.js 0 x": [1], "b.js 0 x 0 z": [2]}), FUNCTIONS, NAMES)
    assert found.unseen == {"a.js 0 x", "a.js 0 y"}
    assert found.touching("m.js", 3, 3) == {"a.js 0 x", "a.js 0 y", "b.js 0 x"}


@pytest.mark.parametrize(
    "said",
    [
        [],
        ["touched x"],
        ["touched eJw="],
        touched({"a.js": [0]}) * 2,
        touched({"a.js": [3]}),
        touched({"a.js": [-2]}),
        touched({"a.js": "x"}),
        touched({}),
        touched({"a.js": [0, -1], "b.js": [1, -1]}),
        touched({"c.js": [-1], "a.js": [0], "b.js": [1]}),
    ],
    ids=["nothing", "no base64", "cut", "twice", "no such function", "no number", "no list", "no tests", "none seen", "a process of no test"],
)  # fmt: skip
def test_what_does_not_tell_all_is_not_believed(said):
    assert read(said, FUNCTIONS, NAMES) is None
