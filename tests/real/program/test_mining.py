"""`ghosttape corpora mine` on small repositories in the sandbox: what is kept is a benchmark, and what cannot be mined is refused."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from tests.support.places import SCRIPT

GIT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
GIT |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
CART = '''"""A cart."""


def total(rows, least):
    """Add up the rows that are large enough."""
    found = 0
    for size, price in rows:
        if size * price >= least:
            found += size * price
    return round(found, 2)


def untested(rows):
    return sorted(row for row in rows if row > 1)


def always(rows):
    if len(rows) < 1_000_000:
        return max(rows)
    return None


class Cart:
    def __init__(self, rows):
        self._rows = rows

    @property
    def rows(self):
        return self._rows
'''
TESTS = """from cart import Cart, always, total


def test_total():
    assert total([(2, 3.0), (1, 1.0)], 2) == 6.0


def test_always():
    assert always([1, 3]) == 3


def test_cart():
    assert Cart([1]).rows == [1]
"""
FILES = {
    "cart.py": CART,
    "test_cart.py": TESTS,
    "conftest.py": "",
    "LICENSE": "MIT License\n",
    "_vendor/copied.py": CART,
}


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def shop(tmp_path):
    return write(tmp_path / "shop", FILES)


@pytest.fixture
def make_clone(tmp_path, need):
    """Make a git repository with one commit."""
    need("git")

    def make(files):
        folder = write(tmp_path / "rows", files)
        for words in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "A"],
        ):
            subprocess.run(["git", *words], cwd=folder, check=True, env=GIT)
        return folder

    return make


def tasks_in(file):
    return {json.loads(line)["name"] for line in file.read_text().splitlines()[1:]}


def test_a_repository_in_javascript_is_mined_with_its_own_test_script(ghosttape, make_clone, need):
    need("node")
    code = "exports.total = rows => {\n  let found = 0\n  for (const row of rows) {\n    found += Math.abs(row)\n  }\n  return found\n}\n"
    test = "const test = require('node:test')\nconst { total } = require('..')\ntest('total', () => { if (total([1, -2]) !== 3) throw new Error('total') })\n"
    clone = make_clone(
        {
            "package.json": '{"name": "rows", "license": "ISC", "scripts": {"test": "node --test"}}',
            "index.js": code,
            "test/total.test.js": test,
        }
    )
    found = ghosttape("corpora", "mine", clone, "-o", "rows.jsonl", "--json").json
    assert (found["tests"]["toolchain"], found["tests"]["command"]) == ("node", "node --test")
    assert found["kept"]["kinds"] == {"function-body": 2, "loop-body": 2, "rest-of-function": 1}
    assert len(found["commit"]) == 40
    (clone / "index.js").write_text("")  # what is not committed changes nothing
    oracle = ghosttape("evaluate", "rows.jsonl", "--provider", "oracle", "--json").json
    assert (oracle["tasks"], oracle["passed"]) == (5, 5)
    nothing = ghosttape("evaluate", "rows.jsonl", "--provider", "fixed", "--json").json
    assert (nothing["testable"], nothing["passed"]) == (5, 0)


def tried(folder):
    """How many gaps were decided so far."""
    run = next(folder.glob(".ghosttape/mining/shop-*/emptied/run.sqlite"), None)
    if run is None:
        return 0
    with closing(sqlite3.connect(run)) as database:
        try:
            return database.execute("SELECT count(*) FROM records").fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def test_a_mining_that_is_stopped_goes_on_and_ends_the_same(ghosttape, shop, tmp_path):
    slow = TESTS.replace("assert total", "import time\n    time.sleep(2)\n    assert total")
    (shop / "test_cart.py").write_text(slow)
    words = [SCRIPT, "corpora", "mine", str(shop), "-o", "shop.jsonl", "--limit", "8", "--json"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not tried(tmp_path) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert not (tmp_path / "shop.jsonl").exists()
    again = ghosttape("corpora", "mine", shop, "-o", "shop.jsonl", "--limit", 8, "--json").json
    assert again["stages"]["not-drawn"] == 7
    assert again["stages"]["kept"] == len(tasks_in(tmp_path / "shop.jsonl")) > 0
    assert len(list((tmp_path / ".ghosttape/mining").iterdir())) == 1
