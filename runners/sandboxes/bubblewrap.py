from __future__ import annotations

import shutil
from dataclasses import dataclass

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
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxMissing("bwrap is not on PATH: install the package bubblewrap")
        return await launch_job(job, lambda inner: [program, *_options(job), "--", *inner])


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
        *(word for mount in job.mounts for word in ("--ro-bind", str(mount.source), mount.target)),
        *("--bind", str(job.project), PROJECT),
        # Started by root, the command is root for the kernel's files in /proc/sys: they would be writable.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
    ]
