"""What no person writes into a manifest is read in seconds of processor time, and says nothing."""

import json
import time

import pytest

from runners.environments import candidates
from tests.support.node_repositories import repository

DEEP = "/".join(["d"] * 200)


CALLS = {f"s{number}": f"npm run s{number + 1}" for number in range(1500)}


HOSTILE = {
    "globs of folders": repository("npm test -ws", workspaces=["**/**/**/**/**/**/x"], **{f"{DEEP}/package.json": "{}"}),
    "stars of a filter": repository(f"pnpm --filter '{'*' * 12}x' test", workspaces=["*"], **{"a/package.json": json.dumps({"name": "y" * 2000})}),
    "stars of a name": repository(f"pnpm --filter '{'*y' * 12}x' test", workspaces=["*"], **{"a/package.json": json.dumps({"name": "y" * 900})}),
    "stars of a series": repository("run-s a*a*a*a*b", scripts={"a" * 1500: "mocha"}),
    "stars of a short name": repository("run-s a*a*a*a*a*a*a*a*b", scripts={"a" * 190: "mocha"}),
    "braces": repository("npm test -ws", workspaces=["{a,b}" * 40], **{"a/package.json": "{}"}),
    "many packages": repository("npm test -ws", workspaces=["**/a*b*c"] * 3000, **{f"p/{number}/package.json": "{}" for number in range(3000)}),
    "npx": repository("npx " * 900 + "mocha"),
    "very many npx": repository("npx " * 9000 + "mocha"),
    "pnpm m": repository(f"pnpm {'m ' * 900} test"),
    "yarn workspace": repository(f"yarn {'workspace a ' * 450} test"),
    "wrappers": repository("time " * 15_000 + "mocha"),
    "scripts that call each other": repository("npm run s0", scripts=CALLS),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_person_writes_is_read_in_no_time_and_says_nothing(name):
    began = time.process_time()
    assert [each.plan.command for each in candidates(HOSTILE[name])] in ([], ["mocha"])
    assert time.process_time() - began < 5
