"""Sandboxes that stay open: a process of ghosttape is the first one inside, gets orders, and is ended from outside."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from runners.limits import rlimits, seccomp
from runners.limits.cgroups import Cgroup
from runners.limits.processes import in_thread
from runners.processes import child_watcher, leftovers
from runners.processes.launch import OUTER
from runners.protocol import PROJECT, Job, Limit, Limits, Sandbox

_LIFE_S = 36_000.0


class OpenSandbox(Protocol):
    """A sandbox that is open."""

    def give(self, folder: Path) -> None:
        """Let what runs in it use the files of a folder that it shows as if it had made them itself."""
        ...

    async def processor_s(self) -> float:
        """Return the seconds of processor time that everything in it has used so far; 0.0 where nobody counts them."""
        ...

    async def exceeded(self) -> Limit:
        """Return the limit on all of it that the kernel has enforced so far, as far as that can be seen from outside."""
        ...

    async def gone(self) -> None:
        """Return once nothing can begin in it any more, as its outermost process has ended; never where nobody sees that."""
        ...

    async def end(self) -> bool:
        """Kill everything in it, also when cancelled meanwhile, and return whether all is surely dead; twice does no harm."""
        ...


@runtime_checkable
class ReusableSandbox(Sandbox, Protocol):
    """A sandbox that can be kept open."""

    def fault(self) -> str:
        """Return why it cannot be kept open here, "" if it can. Takes time where another process is asked."""
        ...

    async def open(self, job: Job, streams: Sequence[int], handles: Sequence[int] = ()) -> OpenSandbox:
        """Start the job's command, which becomes the first process, on these three streams, with these open files.

        A command without open files besides its streams may be the first's only child instead. Raises `RunnerError`.
        """
        ...


def lasting(limits: Limits) -> Limits:
    """Return the limits of an open sandbox: of processor time, each program in it gets its own."""
    return replace(limits, cpu_s=_LIFE_S)


def first_command(job: Job) -> list[str]:
    """Return the command line of the first process."""
    return ["sh", "-c", f"cd -- {PROJECT}/. && exec {job.command}"]


@dataclass(frozen=True, slots=True)
class OpenProcessSandbox:
    """The outermost process of an open sandbox, and the control group of all that is in it."""

    process: asyncio.subprocess.Process
    group: Cgroup | None

    @classmethod
    async def open(
        cls,
        job: Job,
        enclose: Callable[[list[str], int | None], list[str]],
        streams: Sequence[int],
        handles: Sequence[int],
    ) -> Self:
        """Start what `enclose` builds around the first process; it is given the open file of the filter to install."""
        group = Cgroup.create(job.limits)
        limited = rlimits.command(lasting(job.limits), memory=group is None, processes=group is None)
        child_watcher.install()
        try:
            with seccomp.opened() as filter_:
                argv = enclose([*limited, *first_command(job)], filter_)
                process = await asyncio.create_subprocess_exec(
                    *(group.join(argv) if group else argv),
                    stdin=streams[0],
                    stdout=streams[1],
                    stderr=streams[2],
                    env=OUTER,
                    cwd=job.project,
                    start_new_session=True,
                    pass_fds=[handle for handle in (*handles, filter_) if handle is not None],
                )
        except BaseException:  # a cancellation too: the control group is removed, and the error goes on
            if group:
                await asyncio.shield(in_thread(group.remove))
            raise
        return cls(process, group)

    def give(self, folder: Path) -> None:
        """Do nothing: inside it is the same user."""

    async def processor_s(self) -> float:
        """Return the seconds of processor time that the group has used."""
        return self.group.processor_s() if self.group else 0.0

    async def exceeded(self) -> Limit:
        """Return the limit that the kernel has enforced on the group, if any."""
        return self.group.exceeded() if self.group else ""

    async def gone(self) -> None:
        """Wait for the outermost process. What is left inside, if that was killed while it began, waits for it for ever."""
        await self.process.wait()

    async def end(self) -> bool:
        """Kill everything in the sandbox and see it dead."""
        await asyncio.shield(self._end())
        return True

    async def _end(self) -> None:
        inside = leftovers.children(self.process.pid)
        for kill, pid in ((os.killpg, self.process.pid), *((os.kill, child) for child in inside)):
            if self.process.returncode is None:
                with suppress(ProcessLookupError):
                    kill(pid, signal.SIGKILL)
        await self.process.wait()
        await leftovers.wait_until_dead(inside)
        if self.group:
            await in_thread(self.group.remove)
