"""A container that stays open: its first process gets its streams and open files over a socket in the project's folder."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from runners.errors import SandboxFailed
from runners.processes.open_sandbox import first_command, lasting
from runners.protocol import PROJECT, Job, Limit
from runners.sandboxes.containers.container import Container, ContainerEngine, give
from runners.toolchains.python import VENV

_FIRST_PROCESS = Path(__file__).with_name("first_process.py").read_text()
_PLACE = ".line"
_START_S = 60.0

T = TypeVar("T")


@dataclass(slots=True)
class OpenContainer:
    """A container with a process of ours as its first, the socket to it, and the thread for all calls of the engine."""

    container: Container
    calls: ThreadPoolExecutor
    line: socket.socket | None = None
    _end: asyncio.Task[bool] | None = field(default=None)

    @classmethod
    async def open(cls, engine: ContainerEngine, job: Job, streams: Sequence[int], handles: Sequence[int]) -> Self:
        """Start the job's command as process 1 if it gets open files, else as its only child. Raises `RunnerError`.

        The job must show a Python of this machine at `VENV`.
        """
        command = [f"{VENV}/bin/python", "-I", "-S", "-c", _FIRST_PROCESS, f"{PROJECT}/{_PLACE}", *first_command(job)]
        container = Container(engine, "", replace(job, limits=lasting(job.limits)), "", tuple(command))
        open_sandbox = cls(container, ThreadPoolExecutor(1, thread_name_prefix=container.name))
        said = _Said()
        try:
            with _listening(job.project) as listener:
                await open_sandbox._call(partial(container.start, said.take))
                open_sandbox.line = await _answered(listener, said)
            order = {"numbers": [0, 1, 2, *handles], "first": bool(handles)}
            socket.send_fds(open_sandbox.line, [json.dumps(order).encode()], [*streams, *handles])
        except BaseException:  # a cancellation too: the container is removed, and the error goes on
            await open_sandbox.end()
            raise
        return open_sandbox

    def _call(self, function: Callable[[], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self.calls, function)

    def give(self, folder: Path) -> None:
        """Let the container's user own a folder and all in it."""
        give(folder)

    async def processor_s(self) -> float:
        """Return the seconds of processor time that the engine has counted. Raises `SandboxFailed` if it is gone."""
        return await asyncio.to_thread(self.container.processor_s)  # which takes a second, and nobody need wait for it

    async def exceeded(self) -> Limit:
        """Return "": the engine tells nobody while a container runs; what is in it sees its own counters."""
        return ""

    async def gone(self) -> None:
        """Wait for ever: the socket to the first process is closed with the container."""
        await asyncio.Event().wait()

    async def end(self) -> bool:
        """Let go of the container, and kill and remove it; return whether the engine says that this is done."""
        if self._end is None:
            self._end = asyncio.ensure_future(self._ended())
        return await asyncio.shield(self._end)

    async def _ended(self) -> bool:
        if self.line:
            self.line.close()
        try:
            return await self._call(self.container.remove)
        finally:
            self.calls.shutdown(wait=False)


class _Said:
    """What a container says before its first process is ours: why it did not come so far."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.data = bytearray()
        self._loop = asyncio.get_running_loop()

    def take(self, stream: int, data: bytes) -> None:
        """Keep data; called by the thread that listens."""
        self.data.extend(data)
        if stream == 0:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self.ended.set)


@contextmanager
def _listening(folder: Path) -> Iterator[socket.socket]:
    """Give a socket in the folder, which goes again: what runs there later finds nothing to connect to."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.setblocking(False)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            listener.bind(f"/proc/self/fd/{handle}/{_PLACE}")  # the path of a socket must be short
            listener.listen(1)
            yield listener
        finally:
            os.close(handle)
            (folder / _PLACE).unlink(missing_ok=True)


async def _answered(listener: socket.socket, said: _Said) -> socket.socket:
    """Return the line to the container's first process. Raises `SandboxFailed` if there is none soon."""
    accepted = asyncio.ensure_future(asyncio.get_running_loop().sock_accept(listener))
    ended = asyncio.ensure_future(said.ended.wait())
    try:
        await asyncio.wait({accepted, ended}, timeout=_START_S, return_when=asyncio.FIRST_COMPLETED)
        if accepted.done():
            return accepted.result()[0]
    finally:
        for waiting in (accepted, ended):
            waiting.cancel()
    raise SandboxFailed(f"the container ended before its first process was ours: {said.data.decode(errors='replace')}")
