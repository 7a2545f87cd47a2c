"""Limits for a whole run by control groups, if this process may make groups.

Version 1 has a tree for each kind; version 2 has one tree, in which a group's parent must have the kinds enabled for its children
(https://docs.kernel.org/admin-guide/cgroup-v2.html, "Delegation").
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Self

from runners.protocol import Limit, Limits

CONTROL = Path("/sys/fs/cgroup")
_KINDS = ("memory", "pids")
_JOIN = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit; shift; done; shift; exec "$@"'
_OURS = re.compile(r"ghosttape-(?P<process>\d+)-\d+")
_numbers = count()


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The groups of one run: for memory, for processes, and for processor time (None if the kernel has no such group).

    In version 2 they are the same.
    """

    memory: Path
    processes: Path
    cpu: Path | None

    @classmethod
    def create(cls, limits: Limits, control: Path = CONTROL) -> Self | None:
        """Make the groups; return None if that is not possible (the caller then uses rlimits)."""
        if (number := next(_numbers)) == 0:
            _sweep(control)
        if (places := _places(control)) is None:
            return None
        name = f"ghosttape-{os.getpid()}-{number}"
        memory, processes, cpu = (place and place / name for place in places)
        assert memory and processes  # noqa: PT018
        group = cls(memory, processes, cpu)
        try:
            group._make(limits)
        except OSError:
            group.remove()
            return None
        return group

    def _make(self, limits: Limits) -> None:
        for folder in self._folders():
            folder.mkdir()
        memory = str(limits.memory_mb << 20)
        one = self.memory == self.processes
        (self.memory / ("memory.max" if one else "memory.limit_in_bytes")).write_text(memory)
        (self.processes / "pids.max").write_text(str(limits.processes))
        # Exists only if swap is accounted; in version 2 it counts swap only.
        swap, most = ("memory.swap.max", "0") if one else ("memory.memsw.limit_in_bytes", memory)
        for file, value in ((swap, most), *((("memory.oom.group", "1"),) if one else ())):
            with suppress(OSError):
                (self.memory / file).write_text(value)

    def _folders(self) -> list[Path]:
        return list(dict.fromkeys(path for path in (self.memory, self.processes, self.cpu) if path))

    def join(self, argv: list[str]) -> list[str]:
        """Return a command line that enters the groups and then becomes `argv`."""
        return ["/bin/sh", "-c", _JOIN, "sh", *map(str, self._folders()), "--", *argv]

    def exceeded(self) -> Limit:
        """Return the limit that the kernel enforced during the run, if any."""
        if any(_counter(self.memory / file, "oom_kill") for file in ("memory.oom_control", "memory.events")):
            return "memory"
        return "processes" if _counter(self.processes / "pids.events", "max") else ""

    def processor_s(self) -> float:
        """Return the seconds of processor time that the run has used; 0.0 if they are not counted."""
        if self.cpu is None:
            return 0.0
        with suppress(OSError, ValueError):
            return int((self.cpu / "cpuacct.usage").read_text()) / 1e9
        return _counter(self.cpu / "cpu.stat", "usage_usec") / 1e6

    def remove(self, patience_s: float = 5.0) -> None:
        """Kill the processes left in the groups (without a sandbox: also those outside of our session), and remove the groups."""
        deadline = time.monotonic() + patience_s
        with suppress(OSError):
            (self.processes / "pids.max").write_text("0")  # without forks, no new process can escape the kill
        for folder in self._folders():
            while folder.exists() and not _removed(folder) and time.monotonic() < deadline:
                _kill_all(folder)
                time.sleep(0.002)


def _places(control: Path) -> tuple[Path, Path, Path | None] | None:
    """Return the folders in which groups for memory, processes and processor time can be made."""
    if (control / "cgroup.controllers").exists():
        place = _unified(control)
        return (place, place, place) if place else None
    cpu = _own("cpuacct", control)
    return _own("memory", control), _own("pids", control), cpu if os.access(cpu, os.W_OK) else None


def _own(kind: str, control: Path) -> Path:
    """Return the group of this process (version 1), so that limits of this process apply to what it starts."""
    for kinds, path in _memberships():
        own = control / kind / path.lstrip("/")
        if kind in kinds.split(",") and own.is_dir():
            return own
    return control / kind


def _memberships() -> Iterator[tuple[str, str]]:
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            yield kinds, path


def _unified(control: Path) -> Path | None:
    """Return the nearest group (version 2) from our own upwards that we may write to and whose children can have limits.

    Our own group cannot have such children while this process is in it, unless it is the root; a user's session has a suitable group
    further up.
    """
    path = next((path for kinds, path in _memberships() if not kinds), "/")
    own = control / path.lstrip("/")
    for place in (own, *own.parents) if own.is_dir() else (control,):
        if not place.is_relative_to(control) or not os.access(place / "cgroup.procs", os.W_OK):
            return None
        if _enabled(place):
            return place
    return None


def _enabled(place: Path) -> bool:
    """Enable limits for the children of a group, and return whether that worked."""
    subtree = place / "cgroup.subtree_control"
    with suppress(OSError):
        if set(_KINDS) <= set(subtree.read_text().split()):
            return os.access(place, os.W_OK)
        subtree.write_text(" ".join(f"+{kind}" for kind in _KINDS))
        return set(_KINDS) <= set(subtree.read_text().replace("+", "").split())
    return False


def _sweep(control: Path) -> None:
    """Remove groups that a killed ghosttape left behind."""
    for parent in {place for place in _places(control) or () if place}:
        for folder in parent.glob("ghosttape-*"):
            if (ours := _OURS.fullmatch(folder.name)) and not Path("/proc", ours["process"]).exists():
                _removed(folder)


def _kill_all(folder: Path) -> None:
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
        return
    with suppress(OSError):
        for process in (folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:  # EBUSY until the kernel has removed the processes
        return False
    return True


def _counter(file: Path, name: str) -> int:
    with suppress(OSError):
        for line in file.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0
