"""Patterns of names mean what minimatch documents, and none takes long to match."""

import json
import re
import time

import pytest

from runners.environments import candidates
from runners.environments.node.patterns import matches, of_series


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("packages/*", "packages/a", True),
        ("packages/*", "packages/a/b", False),
        ("packages/**", "packages/a/b", True),
        ("packages/**", "packages", False),
        ("**/fixtures/**", "fixtures/a", True),
        ("**/fixtures/**", "a/b/fixtures/c", True),
        ("**/fixtures/**", "a/b/fixture/c", False),
        ("a/**/b/**/c", "a/b/x/b/c", True),
        ("a/**/b/**/c", "a/x/c", False),
        ("@own/{a,b}", "@own/b", True),
        ("{x,y}/{a,b*}", "y/bc", True),
        ("@own/{a,b}", "@own/c", False),
        ("a?", "ab", True),
        ("a?", "a", False),
        ("a[b]", "a[b]", True),
        ("a[b]", "ab", False),
        ("**", "a/b", True),
        ("*" * 12 + "x", "a" * 900 + "x", True),
        ("{a,b}" * 20, "a" * 20, False),
    ],
)
def test_a_pattern_stands_for_file_names(pattern, text, expected):
    assert matches(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("test:*", "test:unit", True),
        ("test:*", "test:unit:fast", False),
        ("test:*", "test", False),
        ("*:unit:*", "test:unit:a", True),
        ("a*b*c", "a-bb-b-c", True),
        ("a*b*c", "a-b-cd", False),
        ("a*b*b", "a-b", False),
        ("a*b:c*d", "axb:cyd", True),
        ("lint", "lint", True),
        ("li.t", "lint", False),
    ],
)
def test_a_star_of_run_s_stands_for_a_part_between_colons(pattern, name, expected):
    assert (re.fullmatch(of_series(pattern), name) is not None) is expected


def repository(test, *, workspaces=None, scripts=None, **files):
    """A repository with a test script, a file of tests, and other files or folders of packages."""
    manifest = {"scripts": {"test": test} | (scripts or {}), "workspaces": workspaces}
    return {"package.json": json.dumps(manifest), "a.test.js": ""} | files


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
