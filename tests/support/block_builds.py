"""A small repository from which `ghosttape corpora build codev` makes blocks."""

import subprocess

from tests.support.places import SCRIPT

CODE = """\
def settle(amounts):
    total = 0
    for amount in amounts:
        total += amount
    return total


def unchecked(amounts):
    print(len(amounts))
"""


TESTS = """\
import subprocess
import sys

from ledger import settle, unchecked


def test_settle():
    assert settle([1, 2, 3]) == 6


def test_unchecked():
    unchecked([1])


def test_process():
    subprocess.run([sys.executable, "-c", "import ledger"], check=True)
"""


STARTS = "test_ledger.py::test_process"


EVERY = "[blocks]\nMETHOD = 1\nFOR = 1\nSTATEMENT = 1\n"


def run(folder, *words, status=0):
    """What a command writes to standard output and to standard error."""
    done = subprocess.run([SCRIPT, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout, done.stderr


BUILD = (
    *("corpora", "build", "codev", "app", "-o", "app.jsonl", "--blocks", "blocks.toml"),
    *("--test-timeout", "600", "--json"),  # a busy machine takes more than the usual 100 s to install pytest
)


def lay_out(folder):
    """The repository, and a distribution of which all its blocks are wanted."""
    (folder / "app").mkdir()
    (folder / "app" / "ledger.py").write_text(CODE)
    (folder / "app" / "test_ledger.py").write_text(TESTS)
    (folder / "blocks.toml").write_text(EVERY)
