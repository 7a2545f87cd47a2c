"""Memory and process limits by control groups (version 1), where this process may make them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Self

from runners.protocol import Limit, Limits

CONTROL = Path("/sys/fs/cgroup")
_JOIN = 'echo $$ >"$0/cgroup.procs" && echo $$ >"$1/cgroup.procs" && shift && exec "$@"'
_numbers = count()


@dataclass(frozen=True, slots=True)
class Cgroup:
    """One pair of groups for one run."""

    memory: Path
    processes: Path

    @classmethod
    def create(cls, limits: Limits, control: Path = CONTROL) -> Self | None:
        """Make the groups, or return None where that is not possible (the caller then falls back on rlimits)."""
        if (number := next(_numbers)) == 0:
            _sweep(control)
        name = f"ghosttape-{os.getpid()}-{number}"
        group = cls(_parent("memory", control) / name, _parent("pids", control) / name)
        try:
            group.memory.mkdir()
            group.processes.mkdir()
            (group.memory / "memory.limit_in_bytes").write_text(str(limits.memory_mb << 20))
            (group.processes / "pids.max").write_text(str(limits.processes))
        except OSError:
            group.remove()
            return None
        with suppress(OSError):  # only there when swap is accounted
            (group.memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_mb << 20))
        return group

    def join(self, argv: list[str]) -> list[str]:
        """Return a command line that enters the groups and then becomes `argv`."""
        return ["/bin/sh", "-c", _JOIN, str(self.memory), str(self.processes), *argv]

    def exceeded(self) -> Limit:
        """Return the limit that the kernel enforced during the run, if any."""
        if _counter(self.memory / "memory.oom_control", "oom_kill"):
            return "memory"
        return "processes" if _counter(self.processes / "pids.events", "max") else ""

    def remove(self, patience_s: float = 2.0) -> None:
        """Kill what is left in the groups (without a sandbox, whatever left our session) and remove them."""
        deadline = time.monotonic() + patience_s
        for folder in (self.memory, self.processes):
            while folder.exists() and not _removed(folder) and time.monotonic() < deadline:
                _kill_all(folder)
                time.sleep(0.002)


def _sweep(control: Path) -> None:
    """Remove groups that a killed ghosttape left behind."""
    for kind in ("memory", "pids"):
        for folder in _parent(kind, control).glob("ghosttape-*"):
            if not Path("/proc", folder.name.split("-")[1]).exists():
                _removed(folder)


def _kill_all(folder: Path) -> None:
    with suppress(OSError):
        for process in (folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:  # EBUSY until the kernel has buried the processes
        return False
    return True


def _parent(kind: str, control: Path) -> Path:
    """Return the group this process is in, so that limits set on us hold for what we start."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            own = control / kind / path.lstrip("/")
            if kind in kinds.split(",") and own.is_dir():
                return own
    return control / kind


def _counter(file: Path, name: str) -> int:
    with suppress(OSError):
        for line in file.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0
