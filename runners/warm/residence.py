"""A sandbox that stays open, with a process of ours as its first: told what to do, and ended from outside."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from runners import remains, rlimits, seccomp
from runners.cgroups import Cgroup
from runners.launch import OUTER
from runners.protocol import PROJECT, Job, Mount, Sandbox

FOLDER = "/warm"
INSIDE = Mount(Path(__file__).parent / "inside", FOLDER)
"""What runs inside, and where it is there."""

_LIFE_S = 36_000.0
_LINE = 64 << 20


@runtime_checkable
class Resident(Sandbox, Protocol):
    """A sandbox that can be kept open."""

    def resident(self, job: Job, inner: list[str], filter_: int | None) -> list[str]:
        """Return the command line that runs `inner` as the first process of the job's sandbox, under this filter."""
        ...


@dataclass(frozen=True, slots=True)
class Residence:
    """The outermost process of an open sandbox, and the control group of all that is in it."""

    process: asyncio.subprocess.Process
    group: Cgroup | None

    @classmethod
    async def open(cls, sandbox: Resident, job: Job, streams: Sequence[int], handles: Sequence[int] = ()) -> Self:
        """Start the job's command, which becomes the first process, on these three streams, with these open files."""
        group = Cgroup.create(job.limits)
        lasting = replace(job.limits, cpu_s=_LIFE_S)
        limited = rlimits.command(lasting, memory=group is None, processes=group is None)
        inner = [*limited, "sh", "-c", f"cd -- {PROJECT}/. && exec {job.command}"]
        try:
            with seccomp.opened() as filter_:
                argv = sandbox.resident(job, inner, filter_)
                process = await asyncio.create_subprocess_exec(
                    *(group.join(argv) if group else argv),
                    stdin=streams[0],
                    stdout=streams[1],
                    stderr=streams[2],
                    env=OUTER,
                    cwd=job.project,
                    limit=_LINE,
                    start_new_session=True,
                    pass_fds=[handle for handle in (*handles, filter_) if handle is not None],
                )
        except BaseException:
            if group:
                await asyncio.shield(asyncio.to_thread(group.remove))
            raise
        return cls(process, group)

    async def end(self) -> None:
        """Kill everything in the sandbox and see it dead, also when cancelled meanwhile; doing so twice does no harm."""
        await asyncio.shield(self._end())

    async def _end(self) -> None:
        inside = remains.children(self.process.pid)
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        await remains.gone(inside)
        if self.group:
            await asyncio.to_thread(self.group.remove)
