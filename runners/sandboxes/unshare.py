from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from runners import seccomp
from runners.errors import SandboxMissing
from runners.launch import launch_job
from runners.protocol import PROJECT, Completed, Job, environment
from runners.sandboxes import system

_SCRIPT = Path(__file__).with_name("unshare.sh")
_ENTER = Path(__file__).with_name("enter.py")
_NAMESPACES = ("--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup")


@dataclass(frozen=True, slots=True)
class Unshare:
    """The same walls as bubblewrap's, built by a script with util-linux, which every Linux has."""

    name: str = "unshare"

    async def run(self, job: Job) -> Completed:
        """Run the job; raise `SandboxMissing` without util-linux, `SandboxFailed` if namespaces are not allowed."""
        for program in ("unshare", "setpriv", "prlimit"):
            if shutil.which(program) is None:
                raise SandboxMissing(f"{program} is not on PATH: install the package util-linux")
        with seccomp.opened() as filter_:
            before = [*_namespaces(), *_build(job), "--", *_enter(filter_), *_with_environment(job)]
            handles = () if filter_ is None else (filter_,)
            return await launch_job(job, lambda inner: [*before, *inner], handles=handles)


def _namespaces() -> list[str]:
    """Return the command that makes the namespaces; it dies with us, and everything in them with it."""
    return [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "unshare",
        *_NAMESPACES,
        "--fork",
        "--kill-child",
        "--",
        "sh",
        str(_SCRIPT),
    ]


def _build(job: Job) -> list[str]:
    size = str(job.limits.tmp_mb)
    return [
        *(word for says, where in system.links() for word in ("link", says, where)),
        *(word for mount in system.mounts() for word in ("mount", str(mount.source), mount.target)),
        *("tmpfs", "/tmp", size, "tmpfs", "/dev/shm", size),  # noqa: S108
        *(word for mount in job.mounts for word in ("mount", str(mount.source), mount.target)),
        *("project", str(job.project), PROJECT),
    ]


def _enter(filter_: int | None) -> list[str]:
    return [sys.executable, "-I", "-S", str(_ENTER), "-" if filter_ is None else str(filter_)]


def _with_environment(job: Job) -> list[str]:
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in environment(job).items())]
