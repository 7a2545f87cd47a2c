"""Manifests and logs that are long or deep are read in seconds of processor time."""

import json
import time

import pytest

from runners.environments.tried_ways import missing_in
from tests.support.manifests import ALWAYS, MB, NAMES, all_ways

DEEP = 100_000

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))  # fmt: skip


LONG = {
    "one line": "x" * MB,
    "spaces": " " * MB,
    "brackets": "[" * DEEP,
    "braces": '{"a":' * DEEP,
    "parentheses": "(" * DEEP,
    "minus": "-" * MB,
    "yaml lists": "- " * 20_000,
    "yaml aliases": ALIASES,
    "yaml aliases in steps": ALIASES + "jobs: {a: {steps: *a11}}\n",
    "quotes": '"' * MB,
    "dots": "a." * 300_000,
    "braces of tox": "[testenv]\ndeps = " + "{[testenv]deps}" * 200 + "\n",
    "braces of tox, two": "[testenv]\ndeps = {[a]b}{[a]b}\n[a]\nb = " + "{[a]b}" * 60 + "\n",
    "continued": "x \\\n" * 100_000,
    "factors": "[testenv]\ndeps =\n" + "  " + "py, " * 100_000 + "\n",
    "posargs": "[testenv]\ncommands = pytest " + "{posargs:" * 50_000 + "\n",
    "sum": "setup(install_requires=" + "['a'] + " * 20_000 + "[])",
    "calls": "session.install('a')\n" * 20_000,
    "nested tries": "".join("    " * n + "try:\n" for n in range(90)) + "    " * 90 + "import a\n",
    "tries": "def f():\n" + "    try:\n        import a\n    except ImportError:\n        pass\n" * 3_000,
    "tables": "[a" + ".a" * 5_000 + "]\nb = 1\n",
    "groups": "[dependency-groups]\n" + "".join(f"g{n} = [" + ", ".join(f'{{include-group = "g{m}"}}' for m in range(14)) + "]\n" for n in range(14)),
    "extras": "[project]\nname = 'a'\n[project.optional-dependencies]\n" + "".join(f"g{n} = ['a[" + ",".join(f"g{m}" for m in range(14)) + "]']\n" for n in range(14)),
    "scripts": json.dumps({"scripts": {f"{'test' if not n else f's{n}'}": " && ".join(f"npm run s{m}" for m in range(30)) for n in range(30)}}),
    "script": json.dumps({"scripts": {"test": "npm run " + "-s " * 100_000 + "x"}}),
    "npm silent": json.dumps({"scripts": {"test": "npm" + " --silent" * 50_000 + "!"}}),
    "pattern": json.dumps({"scripts": {"test": 'pnpm run "/' + "^" * 100_000 + '/"', "^": "x"}}),
    "ranges": json.dumps({"scripts": {"test": "mocha"}, "dependencies": {"mocha": "1 || " * 50_000 + "!"}}),
    "yarn": '"a@1":\n' + "  x y\n" * 150_000,
    "yarn names": "a:\n" * 100_000,
    "requirements": "-r requirements.txt\n" * 20_000,
    "both": "-r requirements.txt\n-c requirements.txt\n-r tests/requirements.txt\n" * 30,
    "cmake": "include" + " " * MB,
    "go": "require" + " " * MB,
    "workflow": "jobs: {a: {steps: [{run: '" + "python -m " * 50_000 + "'}]}}",
    "quoted": "'" + "a/" * 300_000,
}  # fmt: skip


@pytest.mark.parametrize("content", LONG)
def test_content_that_is_long_or_deep_takes_no_long(content):
    text = LONG[content]
    for name in NAMES:
        began = time.process_time()
        all_ways(
            {**ALWAYS, "package.json": '{"scripts": {"test": "mocha"}, "dependencies": {"mocha": "^1"}}', name: text}
        )
        assert time.process_time() - began < 6, name


@pytest.mark.parametrize("content", LONG)
def test_a_log_that_is_long_takes_no_long(content):
    began = time.process_time()
    missing_in(LONG[content])
    missing_in(f"refused {LONG[content]} redis {LONG[content]} not connect")
    assert time.process_time() - began < 6
