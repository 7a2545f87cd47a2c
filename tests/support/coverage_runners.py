"""Test runners of JavaScript whose coverage is read."""

from runners.project import ProjectPlan

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
    "node --test": (
        ProjectPlan("node", command="node --test", timeout_s=90.0),
        project_of(NODE_TEST + SPAWN, "test", EQUAL),
    ),
    "mocha": (
        ProjectPlan("node", ("mocha@11",), command="mocha 'test/*.cjs'", timeout_s=90.0),
        project_of(NODE_TEST[NODE_TEST.index("\n") + 1 :] + SPAWN, "it", EQUAL),
    ),
    "jest": (
        ProjectPlan("node", ("jest@30",), command="jest --testMatch '**/*.test.cjs'", timeout_s=120.0),
        project_of("const m = require('../m.cjs');\n" + SPAWN, "test", EXPECT) | {"package.json": "{}"},
    ),
    "vitest": (
        ProjectPlan("node", ("vitest@3",), command="vitest run", timeout_s=120.0),
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
