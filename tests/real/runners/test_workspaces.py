"""The packages of a workspace are installed, linked and tested, as pnpm would."""

import json

import pytest

from runners.environments import NotTestable, WayTester, candidates


def package(**members):
    return json.dumps(members)


SUM = "export const sum = (a, b) => a + b;\n"


TESTED = "import test from 'node:test'; import assert from 'node:assert'; import {sum} from '@x/sum';\ntest('adds', () => assert.equal(sum(1, 2), 3));\n"


PNPM = {
    "package.json": package(private=True, scripts={"test": "pnpm -r --filter './packages/*' test"}),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - '!packages/old'\n",
    "packages/sum/package.json": package(
        name="@x/sum", type="module", exports="./index.js", scripts={"test": "node --test test.js"}
    ),
    "packages/sum/index.js": SUM,
    "packages/sum/test.js": TESTED,
    "packages/app/package.json": package(
        name="app", type="module", dependencies={"@x/sum": "workspace:*"}, bin="cli.js", scripts={"test": "node --test"}
    ),
    "packages/app/cli.js": "#!/usr/bin/env node\nimport {sum} from '@x/sum'; console.log(sum(20, 22));\n",
    "packages/app/test.js": TESTED
    + "import {execFileSync} from 'node:child_process';\nfor (const way of ['./cli.js', '../../node_modules/.bin/app'])\n"
    + "  test(way, () => assert.equal(String(execFileSync(way)), '42\\n'));\n",
    "packages/old/package.json": package(name="old", scripts={"test": "node --test"}),
    "packages/old/test.js": "throw new Error('not in the workspace');\n",
}


async def test_all_packages_of_a_workspace_are_tested_and_find_each_other(bubblewrap, cache, need):
    need("node", "npm")
    working = await WayTester(bubblewrap, cache, lambda _: None).first_working(PNPM, candidates(PNPM))
    command = "(cd packages/sum && node --test test.js) && (cd packages/app && node --test)"
    assert (working.candidate.plan.command, len(working.trials)) == (command, 1)
    broken = PNPM | {"packages/sum/index.js": SUM.replace("+", "-")}
    with pytest.raises(NotTestable):
        await WayTester(bubblewrap, cache, lambda _: None).first_working(broken, list(candidates(broken))[:1])
