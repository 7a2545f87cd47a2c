from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from runners.errors import SandboxMissing
from runners.launch import launch_job
from runners.protocol import PROJECT, Completed, Job, environment
from runners.sandboxes import system

_SCRIPT = Path(__file__).with_name("unshare.sh")
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
        return await launch_job(job, lambda inner: [*_enter(), *_build(job), "--", *_with_environment(job), *inner])


def _enter() -> list[str]:
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


def _with_environment(job: Job) -> list[str]:
    return ["env", "-i", *(f"{name}={value}" for name, value in environment(job).items())]
