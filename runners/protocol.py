"""What runs where, within which limits, and how it ended: the seam between projects and sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

Limit = Literal["", "wall", "cpu", "memory", "processes", "output", "disk"]

PROJECT = "/project"
"""Where a sandbox shows the project."""

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - inside the sandbox, a file system of its own
        "TMPDIR": "/tmp",  # noqa: S108
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "1",
        "NO_COLOR": "1",
        "ASAN_OPTIONS": "detect_leaks=0",  # the leak checker stops its own threads with ptrace, which is not allowed
    }
)
"""The whole environment of a command, but for what its job adds: the same on every machine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use."""

    wall_s: float = 30.0
    """Seconds from start to end."""
    memory_mb: int = 2048
    """Mebibytes of memory of all its processes together, swap included."""
    processes: int = 256
    """Processes and threads at the same time."""
    output_bytes: int = 4 << 20
    """Bytes written to standard output and standard error together."""
    tmp_mb: int = 256
    """Mebibytes in `/tmp`, and as many again in `/dev/shm`."""
    disk_mb: int = 512
    """Mebibytes that the project's folder may hold at any time."""
    cpu_s: float | None = None
    """Seconds of processor time, of all processors together; None: four times `wall_s`."""
    file_mb: int | None = None
    """Mebibytes of one file, holes included; None: `disk_mb`."""
    open_files: int = 4096
    """Open files of one process."""

    @property
    def processor_s(self) -> float:
        """Seconds of processor time, of all processors together."""
        return 4 * self.wall_s if self.cpu_s is None else self.cpu_s

    @property
    def file_bytes(self) -> int:
        """The size that no file may exceed."""
        return (self.disk_mb if self.file_mb is None else self.file_mb) << 20


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of this machine, shown read-only at an absolute path in the sandbox."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Job:
    """One shell command in one project folder."""

    project: Path
    """The folder on this machine; the sandbox shows it writable at `PROJECT`."""
    command: str
    """A command line for `sh`."""
    cwd: str = "."
    """Where the command starts, relative to the project."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables besides `ENVIRONMENT`."""
    mounts: tuple[Mount, ...] = ()
    """More folders of this machine, shown read-only."""
    limits: Limits = Limits()
    network: bool = False
    """Whether it has the network of this machine, loopback included: only where the user has allowed it."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended."""

    exit: int | None
    """Its exit status; None if a signal ended it."""
    signal: int | None
    """The signal that ended it; None if it exited."""
    stdout: str
    stderr: str
    wall_ms: float
    limit: Limit = ""
    """The limit at which it was ended; "" if none was reached."""


class Sandbox(Protocol):
    """A place in which untrusted code can run."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""
        ...

    async def run(self, job: Job) -> Completed:
        """Run the job to its end; nothing of it is alive afterwards.

        Raises `SandboxFailed` if it never began, or if the machine, not the job, put an end to it.
        """
        ...


def environment(job: Job) -> dict[str, str]:
    """Return all variables that the job's command sees."""
    return {**ENVIRONMENT, **job.env}
