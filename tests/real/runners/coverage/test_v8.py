"""Which functions each test enters, by V8, in projects of real runners."""

from dataclasses import replace

from runners.coverage.call_chains import record_calls
from runners.coverage.entered import EnteredFunction
from tests.support.coverage_runners import RUNNERS

CODE = """\
'use strict';
const at_load = (x) => x * 2;
const LIMIT = at_load(4);
function outer(x) {
  const inner = (y) => y + 1;
  return x > 1 ? inner(x) : x;
}
class Kind {
  static of(n) { return new Kind(n); }
  constructor(n) { this.n = n; }
  get size() { return this.n; }
}
class Child extends Kind { field = LIMIT; }
const set_up = () => 5, never = () => 6, late = async (x) => { await null; return outer(x); };
module.exports = { outer, Kind, Child, set_up, never, late };
"""


HEAD = "const assert = require('node:assert');\nconst { spawnSync } = require('node:child_process');\nconst m = require('../m.cjs');\n"


ONE = """
describe('kinds', () => {
  let made;
  before(() => { made = m.set_up(); });
  it('size', () => { assert.equal(m.Kind.of(3).size, 3); assert.equal(made, 5); });
  it('child', () => assert.equal(new m.Child(1).n, 1));
});
"""


TWO = """
it('small', () => assert.equal(m.outer(1), 1));
it('large', () => assert.equal(m.outer(2), 3));
it('late', async () => assert.equal(await m.late(2), 3));
it('child', () => assert.equal(spawnSync(process.execPath, ['-e', "process.exit(require('./m.cjs').never())"]).status, 6));
"""


ENTERED = {
    "size": {"set_up", "of", "constructor", "size"},
    "kinds child": {"set_up", "constructor"},
    "small": {"outer"},
    "large": {"outer", "inner"},
    "late": {"late", "outer", "inner"},
    "child": set(),
}


NODE_TEST = "const { it, describe, before } = require('node:test');\n"


MOCHA = RUNNERS["mocha"][0]


def names(calls, test):
    """The functions that a test enters, by their lines in the code."""
    known = {"at_load": 2, "outer": 4, "inner": 5, "of": 9, "constructor": 10, "size": 11}
    lines = {line: name for name, line in known.items()}
    return {
        lines.get(one.line, "set_up" if "late" not in test else "late") for one, _ in calls[test] if one.path == "m.cjs"
    }


async def test_of_mocha_each_test_enters_what_it_calls_and_what_its_suites_hooks_call(project):
    files = {"m.cjs": CODE, "test/one.cjs": HEAD + ONE, "test/two.cjs": HEAD + TWO}
    whole = await project(MOCHA, files)
    result, found = await record_calls(whole, files, lambda _: None)
    assert (result.verdict_class, result.passed, found.exact) == ("passed", 6, True)
    of = {test.partition(" > ")[2]: names(found.calls, test) for test in found.calls}
    assert of.pop("kinds size") == ENTERED["size"]
    assert of == {name: some for name, some in ENTERED.items() if name != "size"}
    assert {test.partition(" > ")[2] for test in found.unseen} == {"child"}
    assert EnteredFunction("m.cjs", 5, "<function>") in found.tests_of()


async def test_of_node_s_runner_all_tests_of_a_file_enter_what_is_called_while_none_of_them_runs(project):
    files = {"m.cjs": CODE, "test/one.test.cjs": NODE_TEST + HEAD + ONE, "test/two.test.cjs": NODE_TEST + HEAD + TWO}
    plan = replace(RUNNERS["node --test"][0], command="node --test")
    whole = await project(plan, files)
    result, found = await record_calls(whole, files, lambda _: None)
    assert (result.verdict_class, found.exact) == ("passed", True)
    of = {test.split(" ", 2)[2]: names(found.calls, test) for test in found.calls}
    assert of["size"] == ENTERED["size"] | {"at_load"}
    assert of["kinds"] == of["size"]
    assert of["small"] == {"outer", "at_load"}
    assert of["large"] == {"outer", "inner", "at_load"}
    assert of["late"] == {"late", "outer", "inner", "at_load"}
    assert any(" child" in test for test in found.unseen)


async def test_where_v8_was_given_another_text_the_probes_say_what_is_called(project):
    plan, files = RUNNERS["vitest"]
    whole = await project(plan, files)
    result, found = await record_calls(whole, files, lambda _: None)
    assert (result.verdict_class, found.exact) == ("passed", False)
    assert found.tests_of()
