"""Which files of tests call which functions, of node's test runners, and runs of only some of them."""

import asyncio
import base64
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from runners.coverage import recorded
from runners.coverage.functions import bodies
from runners.coverage.node import read, with_probes
from runners.project import Plan, prepare
from runners.verdicts import among, in_full

CODE = """\
'use strict';
const at_import = (x) => x * 2;
const LIMIT = at_import(4);
function one(x) {
  'use strict'
  return x + 1;
}
const two = (x) => one(x) + 1;
class Kind {
  constructor(n) { this.n = n; }
  get size() {
    return this.n;
  }
}
function untouched() {
  return 1;
}
"""
EXPORTS = "{ at_import, LIMIT, one, two, Kind, untouched }"
CHILD = "spawnSync(process.execPath, ['-e', \"process.exit(require('./m.cjs').two(0))\"]).status"
TESTS = {
    "a": [("one", "m.one(1)", 2)],
    "b": [("two", "m.two(1)", 3), ("again", "m.two(2)", 4)],
    "c": [("size", "new m.Kind(3).size", 3)],
    "p": [("process", CHILD, 2)],
}
SPAWN = "const { spawnSync } = require('node:child_process');\n"
NODE_TEST = (
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst m = require('../m.cjs');\n"
)
VITEST = "import { expect, test } from 'vitest';\nimport { spawnSync } from 'node:child_process';\nimport * as m from '../m';\n"
EQUAL, EXPECT = "assert.equal({}, {})", "expect({}).toBe({})"


def project_of(head, call, check, ending=".test.cjs"):
    texts = {
        name: head + "".join(f"{call}('{title}', () => {check.format(code, value)});\n" for title, code, value in own)
        for name, own in TESTS.items()
    }
    return {f"test/{name}{ending}": text for name, text in texts.items()} | {
        "m.cjs": f"{CODE}module.exports = {EXPORTS};\n"
    }


RUNNERS = {
    "node --test": (Plan("node", command="node --test", timeout_s=90.0), project_of(NODE_TEST + SPAWN, "test", EQUAL)),
    "mocha": (
        Plan("node", ("mocha@11",), command="mocha 'test/*.cjs'", timeout_s=90.0),
        project_of(NODE_TEST[NODE_TEST.index("\n") + 1 :] + SPAWN, "it", EQUAL),
    ),
    "jest": (
        Plan("node", ("jest@30",), command="jest --testMatch '**/*.test.cjs'", timeout_s=120.0),
        project_of("const m = require('../m.cjs');\n" + SPAWN, "test", EXPECT) | {"package.json": "{}"},
    ),
    "vitest": (
        Plan("node", ("vitest@3",), command="vitest run", timeout_s=120.0),
        project_of(VITEST, "test", EXPECT, ".test.ts")
        | {"package.json": '{"type": "module"}'}
        | {
            "m.ts": CODE.replace("(x) =>", "(x: number) =>")
            .replace("one(x) {", "one(x: number) {")
            .replace("Kind {", "Kind { n;")
            + f"export {EXPORTS};\n"
        },
    ),
}


@pytest.fixture
async def project(bubblewrap, cache, need):
    """A function that lays out a project."""
    need("node", "npm")
    made = []

    async def make_project(plan, files):
        made.append(await prepare(files, plan, bubblewrap, cache, lambda _: None))
        return made[-1]

    yield make_project
    for one in made:
        one.close()


def of_files(tests, letters):
    return frozenset(name for name in tests if name[len("test/")] in letters)


def line_of(text, files, path):
    return files[path].split(text)[0].count("\n") + 1


@pytest.mark.parametrize("runner", RUNNERS)
async def test_a_function_is_touched_by_the_tests_that_call_it_and_those_that_start_processes(runner, project, cache):
    plan, files = RUNNERS[runner]
    whole = await project(plan, files)
    result, found = await recorded(whole, cache, lambda _: None)
    assert (result.klass, result.passed, len(result.tests)) == ("passed", 5, 5), result
    path = "m.ts" if "m.ts" in files else "m.cjs"

    def touching(text):
        number = line_of(text, files, path)
        return found.touching(path, number, number)

    assert touching("return x + 1") == touching("function one") == of_files(result.tests, "abp")
    assert touching("one(x) + 1") == of_files(result.tests, "bp")
    assert touching("return this.n") == of_files(result.tests, "cp")
    assert [touching(text) for text in ("=> x * 2", "const LIMIT", "class Kind", "return 1")] == [None] * 4
    only = of_files(result.tests, "a")
    some = in_full(await whole.run({}, only), among(result, only))
    assert (some.klass, some.passed, some.tests) == ("passed", 1, only)
    gone = frozenset(name.replace("test/a", "test/gone") for name in only)
    assert in_full(await whole.run({}, gone), replace(result, tests=gone)).klass == "failed"


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
    result, found = await recorded(await project(plan, files), cache, lambda _: None)
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
    plan = Plan("node", command="node --test outer.js other.js", timeout_s=60.0)
    whole = await project(plan, {"outer.js": NESTED, "inner.js": inner, "other.js": inner})
    result = await whole.run({}, frozenset({"outer.js 0 outer"}))
    assert result.klass == "passed"
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
        Plan("typescript", command=f"{TSC} m.ts && node --test", timeout_s=120.0),
        CHECKED,
    ),
    "a test of a function's text": (
        Plan("node", command="node --test", timeout_s=60.0),
        {"m.cjs": "exports.f = (x) => x + 1;\n", "m.test.cjs": READS},
    ),
    "another runner": (Plan("node", command="node m.test.cjs", timeout_s=60.0), {"m.test.cjs": "(() => 1)();\n"}),
}


@pytest.mark.parametrize("case", HIDDEN)
async def test_where_probes_cannot_tell_it_says_so_and_the_tests_pass_as_ever(case, project, cache):
    told = []
    result, found = await recorded(await project(*HIDDEN[case]), cache, told.append)
    assert (result.klass, found) == ("passed", None), result
    assert "no coverage here" in told[-1]


P, Q = "globalThis.process.__ghosttape_touch__(0)", "globalThis.process.__ghosttape_touch__(1)"
TYPED = P.replace("(0)", "(0 satisfies string)")


@pytest.mark.parametrize(
    ("path", "text", "probed"),
    [
        ("a.js", "function f() { return 1 }", f"function f() {{;{P}; return 1 }}"),
        ("a.js", "function f() {\n  // c\n  'use strict'\n  g()\n}", f"function f() {{\n  // c\n  'use strict';{P};\n  g()\n}}"),
        ("a.js", "function f() { `x`; 'a'.b; }", f"function f() {{;{P}; `x`; 'a'.b; }}"),
        ("a.mjs", "const f = async x => await x, g = y => ({ y })", f"const f = async x => ({P}, await x), g = y => ({Q}, ({{ y }}))"),
        ("a.jsx", "const F = () => <a b={() => 1}/>;", f"const F = () => ({P}, <a b={{() => 1}}/>);"),
        ("a.js", "class A { static { g() } #x = () => 1; *m() { yield 1 } }", f"class A {{ static {{ g() }} #x = () => ({P}, 1); *m() {{;{Q}; yield 1 }} }}"),
        ("a.js", "function f(a = () => 1) { return () => 2 }", f"function f(a = () => 1) {{;{P}; return () => 2 }}"),
        ("ü.ts", "// 𝄞\nexport function f(x: 'ü'): void;\nexport function f(x): void {}\n", f"// 𝄞\nexport function f(x: 'ü'): void;\nexport function f(x): void {{;{TYPED};}}\n"),
        ("a.js", "function f( { return 1 }", None),
        ("a.js", "const x = 1;\n", None),
        ("a.d.ts", "export declare function f(): void;\n", None),
        ("node_modules/a.js", "function f() { }", None),
        ("a.py", "def f():\n    pass\n", None),
    ],
)  # fmt: skip
def test_each_outermost_function_gets_a_probe_and_no_line_moves(path, text, probed, tmp_path):
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    changed, functions = with_probes(tmp_path)
    assert changed == ({} if probed is None else {path: probed})
    assert len(functions) == (probed or "").count("__ghosttape_touch__")


def test_what_is_no_text_or_lies_elsewhere_gets_no_probe(tmp_path):
    (tmp_path / "a.js").write_bytes(b"function f() { return '\xff' }")
    (tmp_path / "b.js").symlink_to("/etc/passwd")
    (tmp_path / "c.js").write_text("function f() { }" + " " * (1 << 20))
    assert with_probes(tmp_path) == ({}, [])


FUNCTIONS = [("m.js", 1, 2), ("m.js", 2, 3), ("n.js", 1, 1)]
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
