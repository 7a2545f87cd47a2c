"""A sandbox that stays open: process 1 in it is ours (`inside/supervisor.py`) and runs one program after the other."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from runners.errors import SandboxFailed
from runners.limits import disk
from runners.processes.capture import Capture
from runners.processes.open_sandbox import OpenSandbox, ReusableSandbox
from runners.protocol import Completed, Job, Limit, Limits

_CONTROL = "GHOSTTAPE_CONTROL"
_MESSAGE = 1 << 16
_OWN_MB = 64
_START_S = 60.0
_CPU_EVERY_S = 0.5
_NO_ROOM = re.compile("No space left on device|ENOSPC")
# What sends these is a limit, or someone who could be one.
_BY_LIMITS = (signal.SIGKILL, signal.SIGXCPU, signal.SIGXFSZ)


@dataclass(slots=True)
class SupervisedSandbox:
    """One open sandbox, and the channel to its process 1.

    `fit` is false once it must not run another program: it is gone, or a program changed what cannot be changed back.
    """

    project: Path
    open_sandbox: OpenSandbox
    control: socket.socket
    capture: Capture
    fit: bool = True

    @classmethod
    async def open(cls, sandbox: ReusableSandbox, job: Job) -> Self:
        """Start the job's command, which becomes a supervisor, and wait until it is ready. Raises `SandboxFailed`."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        capture = Capture(_MESSAGE)
        with theirs:
            outside = Path("/proc/self/ns/pid").readlink()  # noqa: ASYNC240 - asks the kernel, not a disk
            limits = replace(job.limits, memory_mb=job.limits.memory_mb + _OWN_MB)
            job = replace(job, env={**job.env, _CONTROL: f"{theirs.fileno()}:{outside}"}, limits=limits)
            try:
                with open(os.devnull) as null:  # noqa: ASYNC230, PTH123 - no disk
                    streams = (null.fileno(), *capture.writers)
                    open_sandbox = await sandbox.open(job, streams, [theirs.fileno()])
            except BaseException:  # a cancellation too: what was opened is closed, and the error goes on
                ours.close()
                capture.close()
                raise
        capture.close_writers()
        session = cls(job.project, open_sandbox, ours, capture)
        try:
            async with asyncio.timeout(_START_S):
                ready = await session._began()
        except TimeoutError:
            ready = None
        except BaseException:  # a cancellation too: the sandbox ends, and the error goes on
            await asyncio.shield(session.close())
            raise
        if ready is None:
            said = " ".join(await capture.text()).strip()
            await session.close()
            raise SandboxFailed(f"a warm worker did not begin: {said}")
        return session

    async def _began(self) -> dict[str, Any] | None:
        """Return the first thing that process 1 says, None if it is gone or never came."""
        reply, gone = asyncio.ensure_future(self._reply()), asyncio.ensure_future(self.open_sandbox.gone())
        try:
            await asyncio.wait([reply, gone], return_when=asyncio.FIRST_COMPLETED)
            return reply.result() if reply.done() else None
        finally:
            reply.cancel()
            gone.cancel()

    async def run(self, variables: Mapping[str, str], limits: Limits) -> Completed | None:
        """Run one program; return None if how it ended is not certain, or such that a fresh sandbox should say.

        Raises `SandboxFailed` when the disk is full.
        """
        started, room = time.perf_counter(), disk.FreeSpace.of(self.project)
        capture = Capture(limits.output_bytes)
        order = {"variables": dict(variables), "cpu_s": math.ceil(limits.processor_s)}
        try:
            socket.send_fds(self.control, [json.dumps(order).encode()], capture.writers)
            capture.close_writers()
            status, limit = await self._watch(capture, limits, room)
            stdout, stderr = await capture.text()
        except OSError:  # the sandbox is gone
            self.fit = False
            return None
        finally:
            capture.close()
        wall_ms = (time.perf_counter() - started) * 1000
        if limit:
            return Completed(None, signal.SIGKILL, stdout, stderr, wall_ms, limit)
        if status is None:
            self.fit = False
            return None
        code = os.waitstatus_to_exitcode(status)
        if code:
            disk.check_free_space(self.project)
        room.look()
        no_room = code and room.was_short(limits.disk_mb << 20) and _NO_ROOM.search(stdout + stderr)
        if -code in _BY_LIMITS or no_room:
            return None
        return _completed(code, stdout, stderr, wall_ms)

    async def _watch(self, capture: Capture, limits: Limits, room: disk.FreeSpace) -> tuple[int | None, Limit]:
        """Wait for the end of the program, or the first limit, at which the session ends; return its status and the limit.

        Raises `SandboxFailed` when the disk is full.
        """
        reply = asyncio.ensure_future(self._reply())
        watches: dict[asyncio.Future[Any], Limit] = {
            asyncio.ensure_future(asyncio.sleep(limits.wall_s)): "wall",
            asyncio.ensure_future(self._overspent(limits.processor_s)): "cpu",
            asyncio.ensure_future(capture.full.wait()): "output",
            asyncio.ensure_future(disk.wait_until_too_large(self.project, limits.disk_mb << 20, room)): "disk",
        }
        try:
            done, _ = await asyncio.wait([reply, *watches], return_when=asyncio.FIRST_COMPLETED)
            if reply not in done:
                first, limit = next((watch, limit) for watch, limit in watches.items() if watch in done)
                # What waits for a process that the kernel has ended waits for ever: then the time is not what it ran out of.
                met = await self.open_sandbox.exceeded() == "memory"
                if not await self.close():
                    raise SandboxFailed("nobody says that a warm worker which met a limit is gone")
                first.result()
                return None, "" if met else limit
            if (answer := reply.result()) is None:
                return None, ""
            self.fit = not answer["traces"]
            inside = answer["met"]
            met = bool(await self.open_sandbox.exceeded()) if inside is None else inside
            return (None if met else answer["status"]), ""
        finally:
            for task in (reply, *watches):
                task.cancel()

    async def _overspent(self, allowed_s: float) -> None:
        """Return once the program has used more processor time than it may."""
        before = await self.open_sandbox.processor_s()
        while await self.open_sandbox.processor_s() - before <= allowed_s:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(_CPU_EVERY_S)

    async def _reply(self) -> dict[str, Any] | None:
        """Return what process 1 says next, None if it is gone."""
        message = b""
        with suppress(ConnectionError):
            message = await asyncio.get_running_loop().sock_recv(self.control, _MESSAGE)
        return json.loads(message) if message else None

    async def close(self) -> bool:
        """End everything in the sandbox, and return whether it is surely dead; doing so twice does no harm."""
        self.fit = False
        with suppress(OSError):
            self.control.shutdown(socket.SHUT_RDWR)  # process 1 ends at that, also where nobody else can end it
        try:
            return await self.open_sandbox.end()
        finally:
            if self.control.fileno() >= 0:
                self.control.close()
                self.capture.close()


def _completed(code: int, stdout: str, stderr: str, wall_ms: float) -> Completed:
    """Return what `runners.processes.launch` makes of an end: a status above 128 is the signal that ended a shell's command."""
    killer = -code if code < 0 else code - 128 if 128 < code <= 128 + signal.NSIG else None
    return Completed(None if killer else code, killer, stdout, stderr, wall_ms)
