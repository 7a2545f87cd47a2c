"""The limits that the kernel keeps for each process alone, set by `prlimit`."""

from __future__ import annotations

import math
import resource

from runners.protocol import Limits


def command(limits: Limits, *, memory: bool, processes: bool) -> list[str]:
    """Return the command that sets the limits and becomes what follows it.

    `memory` and `processes` say whether these two are wanted: control groups keep them better, and for processes it would
    count all of a user's where there is no user namespace.
    """
    cpu = math.ceil(limits.processor_s)
    wanted = {
        "core": (0, 0),
        "fsize": (limits.file_bytes, limits.file_bytes),
        "nofile": (limits.open_files, limits.open_files),
        "cpu": (cpu, cpu + 1),  # first a signal that tells why, then the end
    }
    if memory:
        wanted["data"] = (limits.memory_mb << 20, limits.memory_mb << 20)
    if processes:
        wanted["nproc"] = (limits.processes, limits.processes)
    return ["prlimit", *(_option(name, soft, hard) for name, (soft, hard) in wanted.items()), "--"]


def _option(name: str, soft: int, hard: int) -> str:
    """Return prlimit's option; nobody may ask for more than was left to us."""
    most = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    return f"--{name}={soft}:{hard}"
