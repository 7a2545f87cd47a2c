"""What code in a sandbox can use up, and that nothing of it is left over."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from contextlib import suppress

import psutil
import pytest

from runners.errors import SandboxFailed
from runners.limits import disk
from runners.limits.cgroups import Cgroup
from runners.project import ProjectPlan, prepare
from runners.protocol import Job, Limits
from runners.sandboxes import AUTO, fault, make
from tests.support.places import ROOT
from tests.support.waiting import PATIENCE_S, until

FORK_BOMB = "bomb() { bomb | bomb & }; bomb; sleep 1"


@pytest.fixture
def word():
    return f"word-{uuid.uuid4().hex}"


async def test_an_endless_loop_is_stopped(run, alive, word):
    done = await run(f"while :; do :; done # {word}", wall_s=0.5)
    assert (done.limit, done.signal, alive(word)) == ("wall", signal.SIGKILL, False)
    # On a busy machine a sandbox takes seconds to be built and taken down; had the loop not been seen to begin, it were 30 s.
    assert 500 <= done.wall_ms < 20_000


async def test_endless_output_is_stopped_and_kept_only_up_to_the_limit(run):
    done = await run("yes", output_bytes=100_000)
    assert done.limit == "output"
    assert len(done.stdout) == 100_000


async def test_output_on_both_streams_counts_together(run):
    done = await run("yes & yes >&2", output_bytes=100_000)
    assert (done.limit, len(done.stdout) + len(done.stderr) <= 100_000) == ("output", True)


async def test_a_fork_bomb_is_bounded(run, alive, word):
    done = await run(f"{FORK_BOMB} # {word}", processes=32, wall_s=10.0)
    assert "fork" in done.stderr
    assert not alive(word)


async def test_a_hog_of_memory_is_ended(run, python):
    done = await run("python -c 'x = b\"a\" * (1 << 30)'", python, memory_mb=128)
    assert done.limit == "memory" or "MemoryError" in done.stderr
    assert done.exit != 0


@pytest.mark.parametrize("sandbox", AUTO, indirect=True)
async def test_node_runs_within_limits_set_a_process_at_a_time(run, monkeypatch, missing):
    if not shutil.which("node", path="/usr/bin"):
        missing("node is not in /usr/bin")
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    done = await run("node -p 6*7", memory_mb=512)
    assert (done.stdout, done.exit) == ("42\n", 0)


@pytest.mark.parametrize("sandbox", AUTO, indirect=True)
async def test_memory_is_limited_without_control_groups(run, python, monkeypatch):
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    done = await run("python -c 'x = b\"a\" * (1 << 30)'", python, memory_mb=128)
    assert "MemoryError" in done.stderr


async def test_temporary_folders_are_small(run):
    done = await run(
        "head -c 20000000 /dev/zero >/tmp/big; head -c 20000000 /dev/zero >/dev/shm/big; wc -c /tmp/big /dev/shm/big",
        tmp_mb=8,
    )
    assert done.stderr.count("No space left") == 2


async def test_a_project_that_grows_without_end_is_stopped(run):
    command = "n=0; while :; do head -c 4000000 /dev/zero >file-$n; n=$((n + 1)); done"
    assert (await run(command, disk_mb=64)).limit == "disk"


async def test_a_project_that_is_too_large_at_the_end_is_told_however_quickly_it_grew(run, monkeypatch):
    monkeypatch.setattr(disk, "LOOKS_S", (60.0, 60.0))  # so late that nobody looks while the command runs
    done = await run("for n in 1 2 3; do head -c 4000000 /dev/zero >file-$n; done; echo done", disk_mb=8, wall_s=50.0)
    assert (done.stdout, done.exit, done.limit) == ("done\n", 0, "disk")


async def test_an_orphan_that_left_the_session_is_killed(run, alive, word):
    done = await run(f"setsid sh -c 'sleep 600; echo {word}' >/dev/null 2>&1 & sleep 0.2; echo done")
    assert (done.stdout, done.exit, done.limit) == ("done\n", 0, "")
    assert done.wall_ms < 1000 * PATIENCE_S  # the orphan sleeps for 600 s
    assert not alive(word)


async def test_an_orphan_that_holds_the_output_does_not_hold_the_run(run, alive, word):
    done = await run(f"setsid sh -c 'sleep 600; echo {word}' & echo done")
    assert (done.stdout, done.exit, done.limit, alive(word)) == ("done\n", 0, "", False)
    assert done.wall_ms < 1000 * PATIENCE_S


async def test_a_cancelled_run_leaves_nothing(run, alive, word):
    task = asyncio.ensure_future(run(f"sleep 600; echo {word}"))
    while not alive(word):
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(f"sleep 600; echo {word}")


async def test_a_killed_ghosttape_leaves_nothing(sandbox, tmp_path, alive, word):
    code = (
        "import asyncio, sys; from pathlib import Path; from runners.protocol import Job; from runners.sandboxes import make;"
        "asyncio.run(make(sys.argv[1]).run(Job(Path(sys.argv[2]), 'touch began; sleep 6000; echo ' + sys.argv[3][::-1])))"
    )
    with subprocess.Popen([sys.executable, "-c", code, sandbox.name, tmp_path, word[::-1]], cwd=ROOT) as process:
        while not (tmp_path / "began").exists():  # a bwrap that waits for its maps yet does not end with its parent
            await asyncio.sleep(0.02)
        assert alive(word)
        process.kill()
    await until(lambda: not alive(word))


async def test_the_status_and_the_signal_are_told_apart(run):
    done = await run("exit 3")
    assert (done.exit, done.signal) == (3, None)
    done = await run("kill -SEGV $$")
    assert (done.exit, done.signal) == (None, signal.SIGSEGV)


async def test_many_runs_at_once_do_not_meet(sandbox, tmp_path):
    async def one(number):
        (folder := tmp_path / str(number)).mkdir()
        return (await sandbox.run(Job(folder, f"echo {number}; ls; touch mine"))).stdout

    assert await asyncio.gather(*(one(n) for n in range(6))) == [f"{n}\n" for n in range(6)]


async def test_control_groups_are_removed(run):
    if not (group := Cgroup.create(Limits())):
        pytest.skip("this user may not write control groups; runs have rlimits then, which other tests hold")
    parent, own = group.memory.parent, f"ghosttape-{os.getpid()}-*"
    group.remove()
    await run("true")
    assert list(parent.glob(own)) == []


async def test_without_a_sandbox_what_stays_in_the_session_is_killed(tmp_path, alive, word):
    done = await make("none").run(Job(tmp_path, f"sh -c 'sleep 600; echo {word}' & echo done"))
    assert done.stdout == "done\n"
    assert not alive(word)


async def test_a_command_that_kills_itself_is_told_from_a_sandbox_that_was_killed(run):
    done = await run("kill -KILL $$")
    assert (done.exit, done.signal, done.limit) == (None, signal.SIGKILL, "")


@pytest.fixture
def walled(sandbox):
    if sandbox.name not in AUTO:
        pytest.skip("a container engine starts its processes, not we: test_docker.py kills those")
    return sandbox


async def test_a_sandbox_that_was_killed_is_not_the_commands_fault(walled, tmp_path):
    task = asyncio.ensure_future(walled.run(Job(tmp_path, "touch began; sleep 600")))
    await kill_once_begun(tmp_path / "began")
    with pytest.raises(SandboxFailed, match="SIGKILL"):
        await task


async def test_a_run_whose_sandbox_was_killed_is_done_once_more_and_then_left_to_the_machine(
    walled, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    project = await prepare({"a": ""}, ProjectPlan("system", command="touch began; sleep 600"), walled, tmp_path, str)
    task = asyncio.ensure_future(project.run({}))
    for copy in ("copy-0", "copy-1"):
        await kill_once_begun(project.workspace.folder / copy / "began")
    assert (await task).verdict_class == "infrastructure"
    project.close()


async def kill_once_begun(sign):
    """Wait for a file that the command makes, remove it, and kill the sandbox around the command.

    Only the one that was started in this project: the tests' container engine is a child of this process too, and an `unshare`.
    """
    while not sign.exists():
        await asyncio.sleep(0.02)
    sign.unlink()
    children = [child for child in psutil.Process().children() if child.name() in {"bwrap", "unshare"}]
    (around,) = [child for child in children if child.cwd() == str(sign.parent)]
    around.kill()


async def test_processor_time_is_limited_without_control_groups(run, monkeypatch):
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    done = await run("while :; do :; done", cpu_s=1.0)
    assert done.limit == "cpu"


async def test_files_have_a_size_that_they_cannot_exceed(run):
    done = await run("head -c 9000000 /dev/zero >big", file_mb=4)
    assert (done.limit, done.exit == 0) == ("disk", False)


async def test_orphans_are_dead_at_the_end_without_control_groups(walled, tmp_path, monkeypatch, alive, word):
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    for _ in range(5):
        await walled.run(Job(tmp_path, f"setsid sh -c 'sleep 600; echo {word}' >/dev/null 2>&1 & sleep 0.05"))
        assert not alive(word)


async def test_without_a_sandbox_what_left_the_session_is_killed_even_without_control_groups(
    tmp_path, alive, word, monkeypatch
):
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    await make("none").run(Job(tmp_path, f"setsid sh -c 'sleep 600; echo {word}' >/dev/null 2>&1 & sleep 0.2"))
    assert not alive(word)


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """A workspace on a file system of 12 MiB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    (place := tmp_path / "small").mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", place], check=False)
    if mounted.returncode:
        pytest.skip("this root may not mount a file system, as in a container")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize(
    ("command", "disk_mb", "verdict_class"),
    [
        ("head -c 1000000 /dev/zero >little", 512, "passed"),
        ("head -c 20000000 /dev/zero >much", 512, "infrastructure"),
        ("head -c 20000000 /dev/zero >much || { rm much; false; }", 512, "infrastructure"),
        ("for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero >part-$n; done", 4, "output"),
    ],
)
async def test_a_full_disk_is_the_machines_fault_unless_the_command_filled_it(
    command, disk_mb, verdict_class, bubblewrap, small_disk
):
    plan = ProjectPlan("system", command=command, limits=Limits(disk_mb=disk_mb))
    project = await prepare({"a": "x"}, plan, bubblewrap, small_disk, str)
    result = await project.run({})
    project.close()
    assert result.verdict_class == verdict_class, result


async def test_nothing_is_blamed_for_a_disk_that_was_full_before(bubblewrap, small_disk, tmp_path):
    project = await prepare({"a": "x"}, ProjectPlan("system", command="exit 1"), bubblewrap, tmp_path, str)
    with suppress(OSError):
        (small_disk / "others").write_bytes(bytes(20 << 20))
    result = await project.run({"b": "y"})
    assert (result.verdict_class, "No space" in result.message or "full" in result.message) == ("infrastructure", True)
    project.close()


INOTIFY = """
import ctypes
number = 0
while number < 1000 and ctypes.CDLL(None).inotify_init() >= 0:
    number += 1
print(number)
"""


async def test_a_run_gets_a_part_of_what_the_kernel_counts_for_each_user(python, tmp_path, missing):
    if reason := fault("unshare"):
        missing(reason)
    (project := tmp_path / "project").mkdir()
    (project / "watch.py").write_text(INOTIFY)
    limits = Limits(open_files=2000)
    job = Job(project, "python watch.py", env=python.env, mounts=python.mounts, limits=limits)
    done = await make("unshare").run(job)
    assert 8 <= int(done.stdout) <= 32, done


def test_a_folder_that_may_not_be_looked_into_counts_with_what_is_in_it(tmp_path):
    (locked := tmp_path / "locked").mkdir()
    (locked / "file").write_bytes(bytes(64 << 10))
    locked.chmod(0o300)
    script = f"from pathlib import Path; from runners.limits import disk; print(disk.exceeds(Path({str(tmp_path)!r}), 32 << 10))"
    command = [sys.executable, "-c", script]
    if os.geteuid() == 0:  # who owns it, and cannot look past its mode
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, locked.stat().st_mode & 0o777) == ("True\n", 0o300), done
