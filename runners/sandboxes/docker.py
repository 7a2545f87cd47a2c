from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from runners.errors import SandboxFailed
from runners.limits import disk
from runners.processes.launch import SIGNALLED, check_free_space_after
from runners.protocol import Completed, Job, Limit
from runners.sandboxes.containers.container import Container, ContainerEngine, ContainerState, engine_at
from runners.sandboxes.containers.open_container import OpenContainer

_GRACE_S = 5.0
_CPU_EVERY_S = 0.5
_TOLD: tuple[Limit, ...] = ("processes", "memory")
"""The limits that `run.sh` can report, last line first."""

T = TypeVar("T")


class _Call(Protocol):
    """Runs a function in the thread for this container's calls."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]: ...


@dataclass(frozen=True, slots=True)
class Docker:
    """A fresh container for each job, in an image that the engine has, or in one that shows this machine's programs.

    `address` is the engine's, as in DOCKER_HOST (which says it if it is empty). The engine must run on this machine.
    """

    image: str = ""
    address: str = ""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""
        return f"docker:{self.image}" if self.image else "docker"

    def lacking(self) -> list[str]:
        """Return the limits that the engine cannot keep on this machine."""
        return self._engine().lacking()

    def _engine(self) -> ContainerEngine:
        return engine_at(self.address or os.environ.get("DOCKER_HOST", ""))

    def fault(self) -> str:
        """Return why a container cannot stay open: where a program could leave something to the next, or images vary."""
        if self.image:
            return "an image need not have what a worker is made of"
        if self._engine().has("rootless"):
            return "in a rootless engine a program can leave files in /dev"
        return "" if self._engine().has("seccomp") else "the engine has no filter of system calls"

    async def open(self, job: Job, streams: Sequence[int], handles: Sequence[int] = ()) -> OpenContainer:
        """Start the job's command in a container that stays open; raise `RunnerError`."""
        return await OpenContainer.open(self._engine(), job, streams, handles)

    async def run(self, job: Job) -> Completed:
        """Run the job; raise `SandboxMissing` without engine or image, `SandboxFailed` if the engine fails or goes away."""
        disk.check_free_space(job.project)
        room = disk.FreeSpace.of(job.project, reserved=False)  # its user is nobody
        marker = secrets.token_hex(8)
        container = Container(self._engine(), self.image, job, marker)
        written = _Written(job.limits.output_bytes, len(marker) + 1)
        # One thread for all calls: whatever happens, they come one after another, and the removal last.
        calls = ThreadPoolExecutor(1, thread_name_prefix=container.name)
        call: _Call = partial(asyncio.get_running_loop().run_in_executor, calls)
        try:
            await call(partial(container.start, written.take))
            started = time.perf_counter()
            limit, state = await _watch(job, room, written, container, call)
            wall_ms = (time.perf_counter() - started) * 1000
        finally:
            removed = await asyncio.shield(call(container.remove))
            calls.shutdown(wait=False)
        if not removed:
            raise SandboxFailed(f"the container engine does not say that {container.name} is gone")
        await written.settle()
        done = await disk.with_size_limit(_completed(written, marker, limit, state, wall_ms), job)
        if done.exit != 0 and not done.limit:
            check_free_space_after(done, job, room)
        return done


class _Written:
    """What a container wrote on both streams, up to a number of bytes together; the first of standard error are not counted.

    Those are the marker, which the engine may hand on after much of what was written later on the other stream.
    """

    def __init__(self, budget: int, uncounted: int) -> None:
        self.full = asyncio.Event()
        self.ended = asyncio.Event()
        self._budget = budget
        self._uncounted = {1: 0, 2: uncounted}
        self._data = {1: bytearray(), 2: bytearray()}
        self._loop = asyncio.get_running_loop()

    def take(self, stream: int, data: bytes) -> None:
        """Keep data; called by the thread that listens."""
        if stream == 0:
            return self._tell(self.ended)
        free = min(self._uncounted[stream], len(data))
        self._uncounted[stream] -= free
        self._data[stream].extend(data[: free + max(0, self._budget)])
        self._budget -= len(data) - free
        return self._tell(self.full) if self._budget < 0 else None

    def _tell(self, event: asyncio.Event) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(event.set)

    async def settle(self) -> None:
        """Wait shortly for what is still on its way."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), _GRACE_S)

    def texts(self) -> tuple[str, str]:
        """Return both streams as text."""
        stdout, stderr = (bytes(data).decode("utf-8", "replace") for data in self._data.values())
        return stdout, stderr


async def _watch(
    job: Job, room: disk.FreeSpace, written: _Written, container: Container, call: _Call
) -> tuple[Limit, ContainerState | None]:
    """Wait for the end of the container, or for the first limit."""
    watches: dict[asyncio.Task[Any], Limit] = {
        asyncio.ensure_future(_end(written, lambda: call(container.ended))): "",
        asyncio.ensure_future(asyncio.sleep(job.limits.wall_s)): "wall",
        asyncio.ensure_future(_overspent(lambda: call(container.processor_s), job.limits.processor_s)): "cpu",
        asyncio.ensure_future(written.full.wait()): "output",
        asyncio.ensure_future(disk.wait_until_too_large(job.project, job.limits.disk_mb << 20, room)): "disk",
    }
    try:
        await asyncio.wait(watches, return_when=asyncio.FIRST_COMPLETED)
        task, limit = next((task, limit) for task, limit in watches.items() if task.done())
        ended = task.result()
        return limit, None if limit else ended
    finally:
        for task in watches:
            task.cancel()
        await asyncio.gather(*watches, return_exceptions=True)


async def _overspent(spent: Callable[[], Awaitable[float]], allowed_s: float) -> None:
    """Return once the container has used more processor time than it may."""
    while await spent() <= allowed_s:  # noqa: ASYNC110 - another process knows
        await asyncio.sleep(_CPU_EVERY_S)


async def _end(
    written: _Written, ended: Callable[[], Awaitable[ContainerState | None]], every_s: float = 0.05
) -> ContainerState:
    """Wait for the line to be cut (the init holds it as long as anything lives), and ask what happened."""
    await written.ended.wait()
    while (state := await ended()) is None:  # noqa: ASYNC110 - another process knows
        await asyncio.sleep(every_s)
    return state


def _completed(written: _Written, marker: str, limit: Limit, state: ContainerState | None, wall_ms: float) -> Completed:
    stdout, stderr = written.texts()
    before, found, stderr = stderr.partition(f"{marker}\n")
    if not found:
        raise SandboxFailed(f"the container ended before the command began: {(before + stdout).strip() or state}")
    met: Limit = "memory" if state and state.out_of_memory else ""
    for one in _TOLD:  # from the last line upwards
        if stderr.endswith(line := f"{marker}{one}\n"):
            stderr, met = stderr.removesuffix(line), one
    status = state.status if state else 128 + signal.SIGKILL
    killer = status - 128 if 128 < status <= 128 + signal.NSIG else None
    limit = limit or met or SIGNALLED.get(killer or 0, "")
    return Completed(None if killer else status, killer, stdout, before + stderr, wall_ms, limit)
