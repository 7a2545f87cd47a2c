"""Test runners as they are today, from their registries: what they write is understood, and their witnesses speak."""

import pytest

from runners.project import ProjectPlan, prepare
from runners.sandboxes import pick

JEST = (
    "const { f } = require('./m.js');\ntest('a', () => expect(f(1)).toBe(2));\ntest('b', () => expect(f(2)).toBe(3));\n"
)
MOCHA = (
    "const assert = require('assert');\nconst { f } = require('./m.js');\n"
    "it('a', () => assert.equal(f(1), 2));\nit('b', () => assert.equal(f(2), 3));\n"
)
CMAKE = (
    "cmake_minimum_required(VERSION 3.16)\nproject(m LANGUAGES CXX)\nenable_testing()\nadd_executable(t t.cpp)\n"
    "add_test(NAME a COMMAND t 1)\nadd_test(NAME b COMMAND t 2)\n"
)
CTEST = (
    '#include "m.h"\n#include <cstdlib>\n#include <cassert>\nint main(int, char **a) {\n'
    "  const int x = std::atoi(a[1]);\n  assert(f(x) == x + 1);\n}\n"
)
RIGHT = {"m.js": "exports.f = (x) => x + 1;\n"}
HALF = {"m.js": "exports.f = (x) => 2;\n"}
UNDEFINED = {"m.js": "exports.f = (x) => x + y;\n"}
CASES = {
    "jest": (
        ProjectPlan("node", ("jest@30",), command="jest", timeout_s=120.0),
        {"package.json": "{}", "m.test.js": JEST},
    ),
    "mocha": (ProjectPlan("node", ("mocha@11",), command="mocha m.test.js", timeout_s=120.0), {"m.test.js": MOCHA}),
}


MANY = {
    "pytest": (
        ProjectPlan("python", ("pytest",), command="pytest -q", timeout_s=120.0),
        {
            "test_m.py": "import pytest\n\n@pytest.mark.parametrize('n', range(60), ids=lambda n: f'{n} ' + 'x' * 90_000)\n"
            "def test_it(n):\n    assert n < 60\n"
        },
    ),
    "vitest": (
        ProjectPlan("node", ("vitest@4",), command="vitest run", timeout_s=120.0),
        {
            "package.json": "{}",
            "m.test.js": "import { it } from 'vitest';\nfor (let n = 0; n < 60; n++) it(`${n} ${'x'.repeat(90_000)}`, () => {});\n",
        },
    ),
}


UNCOVERED = {"m.js": "export const f = (x) => x + 1;\nexport const g = (x) => {\n  return x - 1;\n};\n"}
VITEST_CASE = (
    "import { expect, it } from 'vitest';\nimport { f } from './m.js';\nit('a', () => expect(f(1)).toBe(2));\n"
)
MEASURED = {
    "pytest": (
        ProjectPlan("python", ("pytest", "pytest-cov"), command="pytest -q", timeout_s=120.0),
        {
            "pytest.ini": "[pytest]\naddopts = --cov=m --cov-fail-under=100\n",
            "m.py": "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x - 1\n",
            "test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
        },
    ),
    "jest": (
        ProjectPlan("node", ("jest@30",), command="jest --coverage true", timeout_s=120.0),
        {
            "package.json": '{"jest": {"collectCoverage": true, "coverageThreshold": {"global": {"functions": 100}}}}',
            "m.js": "exports.f = (x) => x + 1;\nexports.g = (x) => x - 1;\n",
            "m.test.js": "const { f } = require('./m.js');\ntest('a', () => expect(f(1)).toBe(2));\n",
        },
    ),
    "vitest": (
        ProjectPlan("node", ("vitest@4", "@vitest/coverage-v8@4"), command="vitest run --coverage", timeout_s=120.0),
        UNCOVERED
        | {
            "package.json": "{}",
            "vitest.config.mjs": "export default { test: { coverage: { enabled: true, thresholds: { functions: 100 } } } };\n",
            "m.test.js": VITEST_CASE,
        },
    ),
}
"""Tests that pass, in projects that ask them to reach all functions, which they do not."""


@pytest.mark.parametrize("runner", MEASURED)
async def test_what_tests_cover_is_no_test(runner, cache, need):
    need("node", "npm")
    plan, files = MEASURED[runner]
    project = await prepare(files, plan, pick(), cache, lambda _: None)
    try:
        result = await project.run({})
    finally:
        project.close()
    assert (result.verdict_class, len(result.tests)) == ("passed", 1), result


@pytest.mark.parametrize("runner", MANY)
async def test_names_of_tests_count_for_no_output_however_many_there_are(runner, cache, need):
    need("node", "npm")
    plan, files = MANY[runner]
    project = await prepare(files, plan, pick(), cache, lambda _: None)
    try:
        result = await project.run({})
    finally:
        project.close()
    assert result.verdict_class == "passed", result.message
    assert sum(len(name) for name in result.tests) > plan.limits.output_bytes


@pytest.mark.parametrize("runner", CASES)
async def test_of_node(runner, cache, need):
    need("node", "npm")
    plan, files = CASES[runner]
    project = await prepare({**files, **RIGHT}, plan, pick(), cache, lambda _: None)
    try:
        right, half, undefined = [await project.run(changed) for changed in ({}, HALF, UNDEFINED)]
    finally:
        project.close()
    assert (right.verdict_class, right.passed, right.failed, len(right.tests)) == ("passed", 2, 0, 2), right
    assert (half.verdict_class, half.passed, half.failed, len(half.tests)) == ("assertion", 1, 1, 1), half
    assert (undefined.verdict_class, undefined.message) == ("undefined-name", "ReferenceError: y is not defined"), (
        undefined
    )


async def test_vitest_starts_one_worker_whatever_its_settings_say(cache, need):
    need("node", "npm")
    test = "import { expect, it } from 'vitest';\nit('a', async () => {\n  await new Promise((done) => setTimeout(done, 500));\n  expect(process.env.VITEST_POOL_ID).toBe('1');\n});\n"
    files = {f"{name}.test.js": test for name in "abc"}
    files |= {"package.json": "{}", "vitest.config.mjs": "export default { test: { maxWorkers: 3 } };\n"}
    plan = ProjectPlan("node", ("vitest@4",), command="vitest run", timeout_s=120.0)
    project = await prepare(files, plan, pick(), cache, lambda _: None)
    try:
        result = await project.run({})
    finally:
        project.close()
    assert (result.verdict_class, result.passed) == ("passed", 3), result


@pytest.mark.parametrize("versions", [("vitest@3.1.1", "vite@6.4.6"), ("vitest@2",)])
async def test_older_vitest_calls_its_witness_though_vite_reads_nothing_outside_of_the_project(versions, cache, need):
    need("node", "npm")
    test = "import { expect, it } from 'vitest';\nit('a', () => expect(1).toBe(1));\n"
    plan = ProjectPlan("node", versions, command="vitest run", timeout_s=120.0)
    project = await prepare({"a.test.js": test, "package.json": "{}"}, plan, pick(), cache, lambda _: None)
    try:
        result = await project.run({})
    finally:
        project.close()
    assert (result.verdict_class, result.passed, result.tests) == ("passed", 1, {"a.test.js > a"}), result


async def test_ctest(cache, need):
    need("cmake", "ctest", "g++")
    files = {"CMakeLists.txt": CMAKE, "t.cpp": CTEST, "m.h": "inline int f(int x) { return x + 1; }\n"}
    command = "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && ctest --test-dir b"
    project = await prepare(
        files, ProjectPlan("system", command=command, timeout_s=120.0), pick(), cache, lambda _: None
    )
    changes = ({}, {"m.h": "inline int f(int) { return 2; }\n"}, {"m.h": "inline int f(int) { return y; }\n"})
    try:
        right, half, undefined = [await project.run(changed) for changed in changes]
    finally:
        project.close()
    assert (right.verdict_class, right.passed, right.failed) == ("passed", 2, 0), right
    assert (half.verdict_class, half.passed, half.failed) == ("failed", 1, 1), half
    assert undefined.verdict_class == "undefined-name", undefined
