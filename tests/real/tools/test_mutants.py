"""Mutants of a small program, tried by processes of pytest."""

import json
import os
import subprocess
import sys

import msgspec

from tests.support.places import ROOT
from tools.mutants.mutations import Mutant
from tools.mutants.tests_of_lines import TestsOfLines

TOY = {
    "pytest.ini": "[pytest]\n",
    "conftest.py": "",
    "toy.py": "import time\ndef add(a, b):\n    while a > 9:\n        a -= 1\n    time.sleep(999 * 0)\n    return a + b\ndef unasked():\n    return 1\n",
    "tests/test_toy.py": """
import subprocess, sys
from toy import add, unasked
def test_add(): assert add(9, 2) == 11
def test_waits(): assert add(1, 2) == 3
def test_large(): assert add(10, 2) == 11
def test_process(): assert subprocess.run([sys.executable, "-c", "import toy; print(toy.add(1, 2))"], capture_output=True).stdout == b"3\\n"
def test_unasked(): unasked()
def test_unsteady(): assert unasked() == 3
""",
}


EXAMINED = """
import json, sys
from pathlib import Path
from tools.mutants import mutant_trials as module
from tools.mutants.mutations import mutants_of
module.EXTRA_S = 1.0
root = Path(sys.argv[1])
text, trials = (root / "toy.py").read_text(), module.MutantTrials(root, root / "work")
for name, before in json.loads(sys.argv[2]):
    mutant = next(each for each in mutants_of("toy.py", text) if each.before == before)
    module.WAITING_S = 1.0 if name == "test_waits" else 100.0
    found = trials.against(mutant, text, {f"tests/test_toy.py::{test}": 0.01 for test in name.split()})
    print(found.verdict, found.by.rpartition("::")[2] or "-", found.ran)
print(*trials.unstable())
"""


def test_a_mutant_is_killed_survives_runs_on_and_is_seen_by_a_process(tmp_path):
    for name, text in TOY.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    asked = [
        ("test_unasked test_add", "+"),  # a - b
        ("test_process", "+"),
        ("test_large", "-"),  # counts up
        ("test_waits", "0"),  # sleeps for longer than it is waited for
        ("test_unsteady test_unasked", "1"),  # the other 1 comes first: a -= 2
        ("test_unasked", "a + b"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", EXAMINED, tmp_path, json.dumps(asked)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "killed test_add 1",
        "killed test_process 0",
        "timeout - 0",
        "timeout - 0",
        "survived - 1",
        "survived - 1",
        "tests/test_toy.py::test_unsteady",
    ], done.stderr


def test_the_tests_that_execute_a_line_are_recorded(tmp_path):
    options = ["-q", "-p", "no:cacheprovider", "-n", "1", "-p", "tools.mutants.tests_of_lines"]
    environment = {**os.environ, "MUTANTS_FOLDER": str(tmp_path)}
    environment.pop("PYTEST_XDIST_WORKER", None)
    tests = ["tests/syntax/test_encodings.py", "tests/syntax/test_wanted.py"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    recorded = TestsOfLines(tmp_path)
    inside = Mutant("syntax/encodings.py", "", "", "", "", "", 0, 1, 0, (1, 40), at_import=False)
    found = recorded.noticing(inside)
    assert {test.partition("::")[0] for test in found} == {tests[0]}
    assert recorded.noticing(msgspec.structs.replace(inside, at_import=True, lines=(1, 1))) == found
    assert [recorded.seconds[test] for test in found] == sorted(recorded.seconds[test] for test in found)
