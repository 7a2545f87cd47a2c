"""Start a process, hold it to its limits of time and output, and end everything it started."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from runners.cgroups import Cgroup
from runners.errors import SandboxFailed
from runners.protocol import PROJECT, Completed, Job, Limit, Limits

_CHUNK = 1 << 16
_GRACE_S = 1.0
_OUTER = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
_INNER = 'echo "$0" >&2; cd -- "$1" && exec sh -c "$2"'


class _Capture:
    """Both output streams of a process, up to a number of bytes together."""

    def __init__(self, budget: int) -> None:
        self.full = asyncio.Event()
        self._budget = budget
        self._loop = asyncio.get_running_loop()
        self._data = (bytearray(), bytearray())
        self._ended = (asyncio.Event(), asyncio.Event())
        pipes = (os.pipe(), os.pipe())
        self._readers = [reader for reader, _ in pipes]
        self.writers = [writer for _, writer in pipes]
        for index, reader in enumerate(self._readers):
            os.set_blocking(reader, False)
            self._loop.add_reader(reader, self._read, index)

    def _read(self, index: int) -> None:
        chunk = os.read(self._readers[index], _CHUNK)
        self._data[index].extend(chunk[: max(0, self._budget)])
        self._budget -= len(chunk)
        if self._budget < 0:
            self.full.set()
        if not chunk:
            self._loop.remove_reader(self._readers[index])
            self._ended[index].set()

    def close_writers(self) -> None:
        """Let go of our copies, so that the streams end when the process does."""
        while self.writers:
            os.close(self.writers.pop())

    async def text(self) -> tuple[str, str]:
        """Wait shortly for the streams to end, and return what was written."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                for ended in self._ended:
                    await ended.wait()
        stdout, stderr = (bytes(data).decode("utf-8", "replace") for data in self._data)
        return stdout, stderr

    def close(self) -> None:
        self.close_writers()
        for reader in self._readers:
            self._loop.remove_reader(reader)
            os.close(reader)


async def launch(argv: list[str], env: Mapping[str, str], cwd: Path, limits: Limits) -> Completed:
    """Run `argv` in a session of its own, which is killed at the end, at a limit, and when the caller is cancelled.

    The limits of time, output and disk (what lies in `cwd`) are kept here; the others are the sandbox's to keep.
    """
    started = time.perf_counter()
    capture = _Capture(limits.output_bytes)
    try:
        out, err = capture.writers
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd, start_new_session=True
        )
        capture.close_writers()
        limit = await _watch(process, capture, cwd, limits)
        stdout, stderr = await capture.text()
    finally:
        capture.close()
    code = process.returncode or 0
    killer = -code if code < 0 else code - 128 if 128 < code <= 128 + signal.NSIG else None
    wall_ms = (time.perf_counter() - started) * 1000
    return Completed(None if killer else code, killer, stdout, stderr, wall_ms, limit)


async def _watch(process: asyncio.subprocess.Process, capture: _Capture, folder: Path, limits: Limits) -> Limit:
    """Wait for the end of the process or the first limit; either way, kill what is left."""
    watches: dict[asyncio.Task[object], Limit] = {
        asyncio.ensure_future(process.wait()): "",
        asyncio.ensure_future(asyncio.sleep(limits.wall_s)): "wall",
        asyncio.ensure_future(capture.full.wait()): "output",
        asyncio.ensure_future(_disk_full(folder, limits.disk_mb << 20)): "disk",
    }
    try:
        done, _ = await asyncio.wait(watches, return_when=asyncio.FIRST_COMPLETED)
        return next(limit for task, limit in watches.items() if task in done)
    finally:
        for task in watches:
            task.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _disk_full(folder: Path, allowed: int, every_s: float = 0.5) -> None:
    """Return once the folder holds more than `allowed` bytes."""
    while True:
        await asyncio.sleep(every_s)
        if await asyncio.to_thread(_exceeds, folder, allowed):
            return


def _exceeds(folder: Path, allowed: int) -> bool:
    for root, _, files in os.walk(folder):
        allowed -= 4096
        for file in files:
            with suppress(OSError):
                allowed -= max(4096, os.lstat(os.path.join(root, file)).st_blocks * 512)  # noqa: PTH118 - a hot loop
        if allowed < 0:
            return True
    return False


async def launch_job(job: Job, enclose: Callable[[list[str]], list[str]], folder: str = PROJECT) -> Completed:
    """Run the job's command inside what `enclose` builds around it, within its limits.

    `folder` is where the command finds the project. Raises `SandboxFailed` if the command never began.
    """
    group = Cgroup.create(job.limits)
    marker = secrets.token_hex(8)
    inner = [
        *_rlimits(job.limits, group is None, folder),
        "sh",
        "-c",
        _INNER,
        marker,
        f"{folder}/{job.cwd}",
        job.command,
    ]
    argv = enclose(inner)
    limits = replace(job.limits, output_bytes=job.limits.output_bytes + len(marker) + 1)
    try:
        done = await launch(group.join(argv) if group else argv, _OUTER, job.project, limits)
        limit = done.limit or (group.exceeded() if group else "")
    finally:
        if group:
            await asyncio.to_thread(group.remove)
    before, found, stderr = done.stderr.partition(f"{marker}\n")
    if not found:
        raise SandboxFailed(f"the sandbox ended before the command began: {before.strip() or done}")
    return replace(done, stderr=before + stderr, limit=limit)


def _rlimits(limits: Limits, bare: bool, folder: str) -> list[str]:
    """Return the command that sets limits a process at a time; all there is where control groups cannot be made."""
    command = ["prlimit", "--core=0", f"--fsize={limits.disk_mb << 20}"]
    if bare:
        command.append(f"--data={limits.memory_mb << 20}")
        if folder == PROJECT:  # only in a user namespace of its own does the kernel count this run's processes alone
            command.append(f"--nproc={limits.processes}")
    return [*command, "--"]
