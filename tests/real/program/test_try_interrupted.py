"""`ghosttape try`, stopped by Ctrl-C before anything is replayed: as a terminal does it, to all processes in the foreground."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.places import SCRIPT
from tests.support.small_repository import ORACLE, commit, git
from tests.support.waiting import PATIENCE_S

SAID = "ghosttape: interrupted before the first session was replayed: what was found out is kept, and the same command goes on\n"
SLOW = "import time\n\n\ndef test_slow():\n    time.sleep(50)\n"


def processes_with(variable):
    """The processes of this machine that have a variable (NAME=VALUE) in their environment."""
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += [each.parent.name] if variable.encode() in each.read_bytes().split(b"\0") else []
        except OSError:  # ended meanwhile, or another's
            continue
    return found


@pytest.fixture
def mute_server():
    """The address of a git server that takes connections, and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/shapes"


@pytest.fixture
def stopped(tmp_path, run_folder, need):
    """A function that starts `try`, stops it when git runs or the screen shows a text, and gives what it said."""
    need("bwrap", "git")
    mark = f"GHOSTTAPE_CACHE={run_folder / 'cache'}"

    def stop(where, shown="", signals=os.killpg, sign=signal.SIGINT):
        words = [SCRIPT, "try", str(where), *ORACLE]
        environment = {**os.environ, **dict([mark.split("=")]), "MARK": str(tmp_path)}
        with (tmp_path / "said").open("w+") as said:
            process = subprocess.Popen(words, cwd=tmp_path, stderr=said, env=environment, process_group=0)
            until = time.monotonic() + 60
            clones = tmp_path / ".ghosttape/clones"
            while process.poll() is None and time.monotonic() < until:
                if (shown and shown in (tmp_path / "said").read_text()) or (not shown and [*clones.glob("*/clone")]):
                    break
                time.sleep(0.05)
            signals(process.pid, sign)
            assert process.wait(PATIENCE_S) == 130, (tmp_path / "said").read_text()
        assert processes_with(f"MARK={tmp_path}") == []
        return (tmp_path / "said").read_text()

    return stop


@pytest.mark.parametrize(
    ("signals", "sign"), [(os.killpg, signal.SIGINT), (os.kill, signal.SIGINT), (os.kill, signal.SIGTERM)]
)
def test_while_git_clones_it_ends_at_once_and_leaves_no_half_of_a_clone(stopped, mute_server, tmp_path, signals, sign):
    assert stopped(mute_server, signals=signals, sign=sign) == SAID
    assert list((tmp_path / ".ghosttape/clones").iterdir()) == []


@pytest.mark.parametrize("signals", [os.killpg, os.kill])
def test_while_its_tests_are_tried_it_ends_at_once(stopped, tmp_path, signals):
    folder = tmp_path / "shapes"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    commit(folder, {"shapes.py": "", "test_shapes.py": SLOW}, "tests")
    commit(folder, {"shapes.py": "def area(a, b):\n    return a * b\n"}, "area")
    said = stopped(folder, shown="trying: ", signals=signals)
    assert said.endswith(SAID)
    assert "Traceback" not in said
