from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import msgspec

from runners import remains, seccomp
from runners.errors import SandboxMissing
from runners.launch import launch_job
from runners.protocol import PROJECT, Completed, Job, environment
from runners.sandboxes import system

_NAMESPACES = ("user", "ipc", "pid", "net", "uts", "cgroup-try")


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Namespaces and a root of its own, built by `bwrap`; works for root and for ordinary users."""

    name: str = "bubblewrap"

    async def run(self, job: Job) -> Completed:
        """Run the job; raise `SandboxMissing` without bwrap, `SandboxFailed` if it could not build the sandbox."""
        program = _program()
        with seccomp.opened() as filter_:
            async with _first_process() as told:
                handles = [handle for handle in (filter_, told) if handle is not None]
                options = [*_options(job), *_filtered(filter_), "--info-fd", str(told)]
                return await launch_job(job, lambda inner: [program, *options, "--", *inner], handles=handles)

    def resident(self, job: Job, inner: list[str], filter_: int | None = None) -> list[str]:
        """Return the command line that runs `inner` as process 1 of the job's sandbox (runners/warm keeps it alive).

        `filter_` is the open file of `seccomp.opened()`, to be handed on to the process.
        """
        return [_program(), *_options(job), *_filtered(filter_), "--as-pid-1", "--", *inner]


def _program() -> str:
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxMissing("bwrap is not on PATH: install the package bubblewrap")
    return program


def _filtered(handle: int | None) -> list[str]:
    return [] if handle is None else ["--seccomp", str(handle)]


def _options(job: Job) -> list[str]:
    size = str(job.limits.tmp_mb << 20)
    return [
        *(f"--unshare-{kind}" for kind in _NAMESPACES),
        *("--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--uid", "65534", "--gid", "65534", "--hostname", "ghosttape", "--clearenv"),
        *(word for name, value in environment(job).items() for word in ("--setenv", name, value)),
        *(word for says, where in system.links() for word in ("--symlink", says, where)),
        *(word for mount in system.mounts() for word in ("--ro-bind", str(mount.source), mount.target)),
        *("--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--size", size, "--tmpfs", "/tmp"),  # noqa: S108
        *(word for file in system.masked() for word in ("--ro-bind", "/dev/null", file)),
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
        with suppress(BlockingIOError, msgspec.DecodeError):
            about = msgspec.json.decode(os.read(reader, 4096), type=dict[str, int])
            await asyncio.shield(remains.gone([about["child-pid"]]))
        os.close(reader)
