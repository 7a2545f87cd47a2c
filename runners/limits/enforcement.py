"""Which limits of a run are enforced on this machine, for this user and with what is installed."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

from runners.limits import seccomp
from runners.limits.cgroups import Cgroup
from runners.protocol import Limits


@dataclass(frozen=True, slots=True)
class LimitEnforcement:
    """A limit, whether it holds for the run as a whole (`ok`), and how it is enforced."""

    limit: str
    ok: bool
    how: str


def enforced_limits() -> tuple[LimitEnforcement, ...]:
    """Return what is kept in the sandboxes `bubblewrap` and `unshare`; made by making a control group, and removing it."""
    group = Cgroup.create(Limits())
    if group:
        group.remove()
    counted = group is not None and group.cpu is not None
    return (
        *(LimitEnforcement(name, ok=True, how=how) for name, how in _ALWAYS.items()),
        _memory(group is not None),
        _processes(group is not None),
        LimitEnforcement("processor time", counted, "control group" if counted else "rlimit, for each process alone"),
        _calls(),
    )


_ALWAYS = {
    "wall time": "by ghosttape",
    "output": "by ghosttape",
    "size of the project": "by ghosttape, which looks 4 to 20 times a second, and at the end",
    "size of /tmp and /dev/shm": "file systems of their own",
    "size of one file": "rlimit",
    "open files": "rlimit, for each process alone",
}


def _memory(grouped: bool) -> LimitEnforcement:
    return LimitEnforcement(
        "memory", grouped, "control group" if grouped else "rlimit, for each process alone; /tmp is not counted"
    )


def _processes(grouped: bool) -> LimitEnforcement:
    if grouped:
        return LimitEnforcement("processes", ok=True, how="control group")
    if os.geteuid() == 0:
        return LimitEnforcement(
            "processes", ok=False, how="not at all: control groups are not writable, and root has no rlimit for it"
        )
    return LimitEnforcement("processes", ok=True, how="rlimit, in a user namespace of the run's own")


def _calls() -> LimitEnforcement:
    if reason := seccomp.fault():
        return LimitEnforcement("calls to the kernel", ok=False, how=f"not filtered: {reason}")
    return LimitEnforcement("calls to the kernel", ok=True, how=f"a seccomp filter for {platform.machine()}")
