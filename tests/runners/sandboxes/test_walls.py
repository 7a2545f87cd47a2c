"""What programs may not do to the machine, to those who started them, and to what others of the same user can use."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from runners.protocol import Job
from runners.sandboxes import AUTO, make, unshare

SAME_MODE = """
import os, stat
for name in ("null", "zero", "full", "random", "urandom", "tty"):
    try:
        os.chmod(f"/dev/{name}", stat.S_IMODE(os.stat(f"/dev/{name}").st_mode))
        print("changed", name)
    except OSError:
        pass
with open("/dev/null", "w") as null, open("/dev/urandom", "rb") as random:
    print(null.write("text"), len(random.read(3)))
"""
INSTANCES = """
import ctypes
count, libc = 0, ctypes.CDLL(None)
while count < 1000 and libc.inotify_init() >= 0: count += 1
print(count)
"""
only = pytest.mark.parametrize("sandbox", AUTO, indirect=True)


async def test_a_program_that_kills_its_group_ends_nobody_outside(run):
    done = await run("kill -9 0")
    assert (done.exit, done.signal, done.limit) == (None, 9, "")


async def test_devices_of_the_machine_can_be_used_and_not_changed(run, python):
    assert (await run(f"python -c '{SAME_MODE}'", python)).stdout == "4 3\n"


async def test_started_by_root_it_could_change_devices_without_walls(tmp_path):
    if os.geteuid():
        pytest.skip("only root may change devices")
    mode = stat.S_IMODE(Path("/dev/full").stat().st_mode)
    done = await make("none").run(Job(tmp_path, f"chmod {mode:o} /dev/full && echo changed"))
    assert done.stdout == "changed\n"


def test_the_last_step_into_a_sandbox_which_runs_as_its_starter_writes_to_nothing_but_a_pipe(tmp_path):
    (file := tmp_path / "file").write_text("mine")
    for gate in (file, tmp_path / "none"):
        step = [
            sys.executable,
            "-I",
            "-S",
            unshare.__file__.replace("unshare.py", "enter.py"),
            "--first",
            gate,
            "",
            "-",
        ]
        assert subprocess.run([*step, "/bin/true"], capture_output=True, check=False).returncode != 0
    assert ([path.name for path in tmp_path.iterdir()], file.read_text()) == (["file"], "mine")


@only
async def test_a_run_gets_a_part_of_the_inotify_instances_of_its_user(run, python):
    assert 0 < int((await run(f"python -c '{INSTANCES}'", python, open_files=2000)).stdout) <= 32
