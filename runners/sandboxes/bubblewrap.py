from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache

import msgspec

from runners.errors import SandboxFailed, SandboxMissing
from runners.limits import seccomp
from runners.processes import leftovers
from runners.processes.launch import OUTER, launch_job
from runners.processes.open_sandbox import OpenProcessSandbox
from runners.protocol import PROJECT, Completed, Job, environment
from runners.sandboxes import host_files, memory_files

_BARE = ("/usr/bin/env", "-i")
"""bwrap becomes process 1, whose variables can be read inside: a shell before it has told it of a folder (PWD)."""

_AROUND = """
for count in max_inotify_instances:32 max_inotify_watches:16384; do
    file=/proc/sys/user/${count%:*}
    [ ! -w "$file" ] || echo "${count#*:}" >"$file"
done
mount --rbind /dev /dev || exit
mount -o remount,bind,ro,nosuid /dev 2>/dev/null || mount -o remount,bind,ro,nosuid,noexec /dev || exit
exec "$@"
"""
"""Run in namespaces around bwrap's: a run gets a part of what the kernel counts for each user of the host; and started by
root, the command is the owner of the machine's devices: it may write to them, not change their modes."""

_TRIED_S = 10.0
_NAMESPACES = ("user", "ipc", "pid", "net", "uts", "cgroup-try")


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Namespaces and a root of its own, built by `bwrap`; works for root and for ordinary users."""

    name: str = "bubblewrap"

    async def run(self, job: Job) -> Completed:
        """Run the job; raise `SandboxMissing` without bwrap, `SandboxFailed` if it could not build the sandbox."""
        program = _program()
        with seccomp.opened() as filter_, memory_files.words(_options(job)) as options:
            async with _first_process() as info_pipe:
                handles = [handle for handle in (filter_, info_pipe, options) if handle is not None]
                outer = [
                    *_around(),
                    *_BARE,
                    program,
                    "--args",
                    str(options),
                    *_filtered(filter_),
                    "--info-fd",
                    str(info_pipe),
                    "--",
                ]
                return await launch_job(job, lambda inner: [*outer, *inner], handles=handles)

    def fault(self) -> str:
        """Return why it cannot be kept open here: without a filter a program could leave keys in the kernel for the next."""
        return seccomp.fault()

    async def open(self, job: Job, streams: Sequence[int], handles: Sequence[int] = ()) -> OpenProcessSandbox:
        """Start the job's command as process 1 of a sandbox that stays open; raise `SandboxMissing` without bwrap."""
        before = [*_around(), _program(), *_options(job)]
        return await OpenProcessSandbox.open(
            job, lambda inner, filter_: [*before, *_filtered(filter_), "--as-pid-1", "--", *inner], streams, handles
        )


def _program() -> str:
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxMissing("bwrap is not on PATH: install the package bubblewrap")
    return program


def _around() -> tuple[str, ...]:
    """Return the command that runs another in namespaces around bwrap's; empty where only bwrap may make any.

    That is remembered; a machine that has no room for them right now is asked again.
    """
    try:
        return _around_here()
    except SandboxFailed:
        return ()


@cache
def _around_here() -> tuple[str, ...]:
    around = ("unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c", _AROUND, "sh")
    if shutil.which(around[0], path=OUTER["PATH"]) is None:
        return ()
    try:
        tried = subprocess.run([*around, "true"], env=OUTER, check=False, capture_output=True, timeout=_TRIED_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxFailed(f"namespaces around bwrap's cannot be made: {error}") from error
    if tried.returncode and not any(word in tried.stderr for word in (b"not permitted", b"denied")):
        raise SandboxFailed(f"namespaces around bwrap's cannot be made: {tried.stderr.decode(errors='replace')}")
    return () if tried.returncode else around


def _filtered(handle: int | None) -> list[str]:
    return [] if handle is None else ["--seccomp", str(handle)]


def _options(job: Job) -> list[str]:
    size = str(job.limits.tmp_mb << 20)
    return [
        *(f"--unshare-{kind}" for kind in _NAMESPACES if kind != "net" or not job.network),
        *("--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--uid", "65534", "--gid", "65534", "--hostname", "ghosttape", "--clearenv"),
        *(word for name, value in environment(job).items() for word in ("--setenv", name, value)),
        *(word for says, where in host_files.links() for word in ("--symlink", says, where)),
        *(
            word
            for mount in host_files.mounts(network=job.network)
            for word in ("--ro-bind", str(mount.source), mount.target)
        ),
        *("--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--size", size, "--tmpfs", "/tmp"),  # noqa: S108
        *(word for file in host_files.masked() for word in ("--ro-bind", "/dev/null", file)),
        *(word for mount in job.mounts for word in ("--ro-bind", str(mount.source), mount.target)),
        *("--bind", str(job.project), PROJECT),
        # Started by root, the command is root for the kernel's files in /proc/sys: they would be writable.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
    ]


@asynccontextmanager
async def _first_process() -> AsyncIterator[int]:
    """Give a file in which bwrap writes who is process 1, and wait at the end until that is dead, and all others with it.

    bwrap itself ends with the command; what the command left behind is killed only then.
    """
    reader, writer = os.pipe()
    try:
        yield writer
    finally:
        os.close(writer)
        os.set_blocking(reader, False)
        try:
            about = msgspec.json.decode(os.read(reader, 4096), type=dict[str, int])
        except (BlockingIOError, msgspec.DecodeError):
            about = {}
        finally:
            os.close(reader)
        if about:
            await asyncio.shield(leftovers.wait_until_dead([about["child-pid"]]))
