from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import SandboxMissing
from runners.limits import seccomp
from runners.processes.launch import launch_job
from runners.processes.open_sandbox import OpenProcessSandbox
from runners.protocol import PROJECT, Completed, Job, environment
from runners.sandboxes import host_files, memory_files

_SCRIPT = Path(__file__).with_name("unshare.sh")
_ENTER = Path(__file__).with_name("enter.py")
_GATE = "/sys/.gate"
_NAMESPACES = ("--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup")


@dataclass(frozen=True, slots=True)
class Unshare:
    """The same walls as bubblewrap's, built by a script with util-linux, which every Linux has."""

    name: str = "unshare"

    async def run(self, job: Job) -> Completed:
        """Run the job; raise `SandboxMissing` without util-linux, `SandboxFailed` if namespaces are not allowed."""
        _check_programs()
        with seccomp.opened() as filter_, memory_files.text(_script(job, filter_)) as script:
            handles = [handle for handle in (filter_, script) if handle is not None]
            before = [*_namespaces(network=job.network), f"/proc/self/fd/{script}", *_with_environment(job)]
            return await launch_job(job, lambda inner: [*before, *inner], handles=handles)

    def fault(self) -> str:
        """Return why it cannot be kept open here: without a filter a program could leave keys in the kernel for the next."""
        return seccomp.fault()

    async def open(self, job: Job, streams: Sequence[int], handles: Sequence[int] = ()) -> OpenProcessSandbox:
        """Start the job's command as process 1 of a sandbox that stays open; raise `SandboxMissing` without util-linux."""
        _check_programs()
        before = [*_namespaces(network=job.network), str(_SCRIPT), *_build(job), "first", _GATE, "-", "--"]

        def enclose(inner: list[str], filter_: int | None) -> list[str]:
            return [
                *before,
                *_enter(filter_, "--first", _GATE, ",".join(map(str, handles))),
                *_with_environment(job),
                *inner,
            ]

        return await OpenProcessSandbox.open(job, enclose, streams, handles)


def _check_programs() -> None:
    for program in ("unshare", "setpriv", "prlimit"):
        if shutil.which(program) is None:
            raise SandboxMissing(f"{program} is not on PATH: install the package util-linux")


def _namespaces(*, network: bool = False) -> list[str]:
    """Return the command that makes the namespaces; it dies with us, and everything in them with it."""
    return [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "unshare",
        *(kind for kind in _NAMESPACES if kind != "--net" or not network),
        "--fork",
        "--kill-child",
        "--",
        "sh",
    ]


def _script(job: Job, filter_: int | None) -> str:
    """Return the script with what it is told but for the command: it stays as process 1, whose command line can be read inside."""
    return f'set -- {shlex.join([*_build(job), "--", *_enter(filter_)])} "$@"\n{_SCRIPT.read_text()}'


def _build(job: Job) -> list[str]:
    size = str(job.limits.tmp_mb)
    return [
        *(word for says, where in host_files.links() for word in ("link", says, where)),
        *(
            word
            for mount in host_files.mounts(network=job.network)
            for word in ("mount", str(mount.source), mount.target)
        ),
        *("tmpfs", "/tmp", size, "tmpfs", "/dev/shm", size),  # noqa: S108
        *(word for mount in job.mounts for word in ("mount", str(mount.source), mount.target)),
        *("project", str(job.project), PROJECT),
        *(() if job.network else ("up", "lo", "-")),
    ]


def _enter(filter_: int | None, *first: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(_ENTER), *first, "-" if filter_ is None else str(filter_)]


def _with_environment(job: Job) -> list[str]:
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in environment(job).items())]
