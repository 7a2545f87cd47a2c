"""Start a process, enforce its limits, and end everything that it started."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from runners.errors import SandboxFailed
from runners.limits import disk, rlimits
from runners.limits.cgroups import Cgroup
from runners.limits.processes import in_thread, is_refused, none_left, says_refused
from runners.processes import child_watcher, leftovers
from runners.processes.capture import Capture
from runners.protocol import PROJECT, Completed, Job, Limit, Limits

OUTER = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
_INNER = 'echo "$0" >&2; cd -- "$1" && exec sh -c "$2"'
_STILL = '[ "$PPID" = "$1" ] && shift && exec "$@"'
_LOOK_EVERY_S = 0.2
_START_S = 30.0
SIGNALLED: dict[int, Limit] = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "disk"}
_NO_ROOM = re.compile("No space left on device|ENOSPC")


@dataclass(frozen=True, slots=True)
class _Start:
    """The command, its folder and limits, open files for it, the control group that it enters, and the free disk space.

    The wall time counts from the first output, at the latest from `start_s` seconds after the start.
    """

    argv: list[str]
    env: Mapping[str, str]
    cwd: Path
    limits: Limits
    handles: Sequence[int] = ()
    group: Cgroup | None = None
    start_s: float = 0.0
    room: disk.FreeSpace | None = None


async def launch(argv: list[str], env: Mapping[str, str], cwd: Path, limits: Limits) -> Completed:
    """Run `argv` in a session of its own, which is killed at the end, at a limit, and when the caller is cancelled.

    The limits of wall time, output and disk (the files in `cwd`) are enforced here; the sandbox enforces the others.
    Raises `SandboxFailed` when the file system of `cwd` is full.
    """
    return (await _launch(_Start(argv, env, cwd, limits)))[0]


async def _launch(start: _Start) -> tuple[Completed, int]:
    """Run to the end or to a limit; return also how the outermost process ended."""
    started = time.perf_counter()
    capture = Capture(start.limits.output_bytes)
    try:
        process = await _process(start, capture)
        limit = await _watch(process, capture, start)
        stdout, stderr = await capture.text()
    finally:
        capture.close()
    code = process.returncode or 0
    killer = -code if code < 0 else code - 128 if 128 < code <= 128 + signal.NSIG else None
    wall_ms = (time.perf_counter() - started) * 1000
    return Completed(None if killer else code, killer, stdout, stderr, wall_ms, limit), code


async def _process(start: _Start, capture: Capture) -> asyncio.subprocess.Process:
    out, err = capture.writers
    child_watcher.install()
    try:
        process = await asyncio.create_subprocess_exec(
            *start.argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=start.env,
            cwd=start.cwd,
            pass_fds=start.handles,
            start_new_session=True,
        )
    except OSError as error:
        if is_refused(error):
            raise none_left() from error
        raise
    capture.close_writers()
    return process


async def _watch(process: asyncio.subprocess.Process, capture: Capture, start: _Start) -> Limit:
    """Wait for the end of the process or the first limit, then kill the remaining processes and wait until they are dead."""
    limits = start.limits
    watches: dict[asyncio.Task[object], Limit] = {
        asyncio.ensure_future(process.wait()): "",
        asyncio.ensure_future(_late(capture, start.start_s, limits.wall_s)): "wall",
        asyncio.ensure_future(_overspent(start.group, limits.processor_s)): "cpu",
        asyncio.ensure_future(_out_of_memory(start.group)): "memory",
        asyncio.ensure_future(capture.full.wait()): "output",
        asyncio.ensure_future(disk.wait_until_too_large(start.cwd, limits.disk_mb << 20, start.room)): "disk",
    }
    try:
        done, _ = await asyncio.wait(watches, return_when=asyncio.FIRST_COMPLETED)
        first, limit = next((task, limit) for task, limit in watches.items() if task in done)
        first.result()
        return limit
    finally:
        for task in watches:
            task.cancel()
        inside = leftovers.children(process.pid)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for child in inside:  # a process that a sandbox has just started may not be set to die with the sandbox yet
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        await process.wait()
        await leftovers.wait_until_dead(inside)


async def _late(capture: Capture, start_s: float, wall_s: float) -> None:
    """Return once the time is over. The time that a busy machine takes to build a sandbox does not count."""
    with suppress(TimeoutError):
        await asyncio.wait_for(capture.begun.wait(), start_s)
    await asyncio.sleep(wall_s)


async def _overspent(group: Cgroup | None, allowed_s: float) -> None:
    """Return once the run has used more processor time than it may."""
    while group is None or group.processor_s() <= allowed_s:  # noqa: ASYNC110 - the kernel tells nobody
        await asyncio.sleep(_LOOK_EVERY_S)


async def _out_of_memory(group: Cgroup | None) -> None:
    """Return once the kernel has killed a process that ran out of memory: its parent could wait for it for ever."""
    while group is None or group.exceeded() != "memory":  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_EVERY_S)


def dies_with_parent(argv: list[str]) -> list[str]:
    """Return a command line that dies with this process from its first moment, before a sandbox can ask for this.

    The shell checks that this process still existed when the kernel got the request. Without util-linux, `argv` is unchanged.
    """
    if shutil.which("setpriv", path=OUTER["PATH"]) is None:
        return argv
    return ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", _STILL, "sh", str(os.getpid()), *argv]


async def launch_job(
    job: Job,
    enclose: Callable[[list[str]], list[str]],
    folder: str = PROJECT,
    handles: Sequence[int] = (),
) -> Completed:
    """Run the job's command in the sandbox that `enclose` builds, within its limits.

    `folder` is the project's path for the command; `handles` are open files for the sandbox. Raises `SandboxFailed` if the command never
    began, if the sandbox (not the command in it) was killed, or if the disk was full; `NoProcesses` if no process can be started.
    """
    disk.check_free_space(job.project)
    room = disk.FreeSpace.of(job.project)
    group = Cgroup.create(job.limits)
    marker = secrets.token_hex(8)
    walled = folder == PROJECT
    limited = rlimits.command(job.limits, memory=group is None, processes=group is None and walled)
    argv = enclose([*limited, "sh", "-c", _INNER, marker, f"{folder}/{job.cwd}", job.command])
    start = _Start(
        dies_with_parent(group.join(argv) if group else argv),
        OUTER,
        job.project,
        replace(job.limits, output_bytes=job.limits.output_bytes + len(marker) + 1),
        handles,
        group,
        _START_S,
        room,
    )
    try:
        done, code = await _launch(start)
        limit = done.limit or (group.exceeded() if group else "") or SIGNALLED.get(done.signal or 0, "")
    finally:
        if group:  # also when cancelled once more
            await asyncio.shield(in_thread(group.remove))
    before, found, stderr = done.stderr.partition(f"{marker}\n")
    if not found and says_refused(before):
        raise none_left(before.strip())
    if not found:
        raise SandboxFailed(f"the sandbox ended before the command began: {before.strip() or done}")
    if walled and code < 0 and limit in {"", "processes"}:
        raise SandboxFailed(f"the sandbox, not the command in it, was ended by {signal.Signals(-code).name}")
    done = await disk.with_size_limit(replace(done, stderr=before + stderr, limit=limit), job)
    if done.exit != 0 and not done.limit:
        check_free_space_after(done, job, room)
    return done


def check_free_space_after(done: Completed, job: Job, room: disk.FreeSpace) -> None:
    """Raise `SandboxFailed` if the disk is full, or if it was nearly full and the command reported a full disk.

    The report alone is not enough.
    """
    disk.check_free_space(job.project)
    room.look()
    if room.was_short(job.limits.disk_mb << 20) and _NO_ROOM.search(done.stdout + done.stderr):
        raise SandboxFailed(
            f"the file system of {job.project} had only {room.lowest >> 20} MiB left, less than the {job.limits.disk_mb} MiB of a run"
        )
