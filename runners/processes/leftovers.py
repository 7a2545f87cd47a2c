"""Processes that are left over when a run has ended."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PATIENCE_S = 5.0


def children(pid: int) -> list[int]:
    """Return the processes that this one has started itself, and that are still there."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


async def wait_until_dead(pids: Iterable[int]) -> None:
    """Wait until these processes, which were killed, are dead (for the first of a sandbox: with all others in it)."""
    deadline = time.monotonic() + _PATIENCE_S
    for pid in pids:
        while _runs(pid) and time.monotonic() < deadline:  # noqa: ASYNC110 - not ours to wait for
            await asyncio.sleep(0.002)


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] not in "ZX"
    return False


def kill_marked(variable: str) -> None:
    """Kill every process that still has this NAME=VALUE in its environment, until there is none.

    That is as far as one can go without walls: a process can forget its environment.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while (found := _marked(variable.encode())) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _marked(variable: bytes) -> list[int]:
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if variable in (process / "environ").read_bytes().split(b"\0"):
                pids.append(int(process.name))
    return pids
