"""Control groups of version 2, as files of a folder: what is written, read, and refused."""

import os
import subprocess
from pathlib import Path

import pytest

from runners.limits.cgroups import Cgroup
from runners.protocol import Limits

LIMITS = Limits(memory_mb=64, processes=7)


@pytest.fixture
def control(tmp_path):
    """A tree like that of version 2, whose root lets its children have limits."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.procs").write_text("")
    return tmp_path


def test_the_limits_are_written(control):
    group = Cgroup.create(LIMITS, control)
    assert group.memory == group.processes == group.cpu
    assert {file.name: file.read_text() for file in group.memory.iterdir()} == {
        "memory.max": str(64 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "7",
    }


def test_a_command_enters_the_group_once_and_becomes_what_was_asked_for(control):
    group = Cgroup.create(LIMITS, control)
    done = subprocess.run(group.join(["echo", "a b", "--"]), capture_output=True, text=True, check=True)
    assert done.stdout == "a b --\n"
    assert len((group.memory / "cgroup.procs").read_text().split()) == 1


@pytest.mark.parametrize(
    ("file", "text", "limit"),
    [
        ("memory.events", "low 0\noom 1\noom_kill 1\n", "memory"),
        ("memory.events", "low 9\nmax 9\noom 0\noom_kill 0\n", ""),
        ("pids.events", "max 3\n", "processes"),
    ],
)
def test_what_the_kernel_enforced_is_read(control, file, text, limit):
    group = Cgroup.create(LIMITS, control)
    (group.memory / file).write_text(text)
    assert group.exceeded() == limit


def test_processor_time_is_read(control):
    group = Cgroup.create(LIMITS, control)
    (group.cpu / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert group.processor_s() == 2.5


def test_children_get_their_limits_enabled_where_that_can_be_done(control):
    (control / "cgroup.subtree_control").write_text("")
    assert Cgroup.create(LIMITS, control)
    assert (control / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("file", ["cgroup.subtree_control", "cgroup.procs"])
def test_nothing_is_made_where_a_file_that_it_takes_is_missing(control, file):
    (control / file).unlink()
    (control / file).mkdir() if file == "cgroup.subtree_control" else None
    assert Cgroup.create(LIMITS, control) is None


def test_a_real_group_of_version_2_counts_time_and_kills_all(tmp_path):
    place = next((path for path in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")) if _is_ours(path)), None)
    if place is None:
        pytest.skip("no tree of control groups of version 2 that this user may write in")
    (folder := place / f"ghosttape-test-{os.getpid()}").mkdir()
    group = Cgroup(folder, folder, folder)
    spin = subprocess.Popen(group.join(["sh", "-c", "while :; do :; done"]))
    while group.processor_s() < 0.05:
        assert spin.poll() is None
    group.remove()
    assert (spin.wait(), folder.exists()) == (-9, False)


def _is_ours(place):
    return (place / "cgroup.controllers").exists() and os.access(place / "cgroup.procs", os.W_OK)
