"""JSON-RPC with a child process over its standard input and output, from the client's side: plain JSON goes in and out.

What the process writes is read whatever it is (`server.wire.Frames`): a server that prints something between its messages is
understood all the same. When it ends, all that waits for it fails with the end of what it wrote on standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from server import messages
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.keys import masked
from server.providers.language_server.orphans import goes_with_us
from server.wire import Broken, Frame, Frames

Answer: TypeAlias = Callable[[str, Any], Any]
"""Gives the result of a request of the server's (method, parameters); raises `LookupError` for a method that it does not know."""
Hear: TypeAlias = Callable[[str, Any], None]
"""Is told of each notification of the server's (method, parameters)."""
_UNKNOWN_METHOD = -32601
_CHUNK = 1 << 16
_LOOK_EVERY_S = 0.25
_GRACE_S = 2.0
"""How long the rest of a process is waited for, once a part of it has ended."""
_LOG_LINES, _TOLD_LINES, _LINE_BYTES, _LONGEST_REASON = 40, 6, 2000, 1000
_log = logging.getLogger("ghosttape.server")


class Rejection(ProviderRefused):
    """The server answered a request with an error."""

    def __init__(self, name: str, code: Any, told: str) -> None:
        super().__init__(_reason(f"{name}: {told or 'an error without a message'} (error {code})"))
        self.code, self.told = code, told


@dataclass(slots=True, eq=False)
class Pending:
    """A request that was sent. Cancel it when nobody waits for it any more; that does no harm to one that was answered."""

    connection: Connection
    number: int
    method: str
    future: asyncio.Future[Any]

    async def result(self, within_s: float) -> Any:
        """The result.

        Raises:
            Rejection: the server answered with an error.
            ProviderError: the server ended, or did not answer in time (the request is cancelled then).

        """
        try:
            async with asyncio.timeout(within_s):
                await self.connection.drain()
                return await asyncio.shield(self.future)
        except TimeoutError as error:
            self.cancel()
            name, why = self.connection.name, self.connection.complaint()
            raise ProviderError(f"{name}: no answer to {self.method} within {within_s:g} s{why}") from error

    def cancel(self) -> None:
        """Tell the server that nobody wants the answer (`$/cancelRequest`)."""
        if self.connection.forget(self.number) and not self.connection.is_dead:
            self.connection.notify("$/cancelRequest", {"id": self.number})
        self.future.cancel()


@dataclass(slots=True, eq=False)
class Connection:
    """A child process that speaks JSON-RPC. `name` is how messages call it; open it with `opened`, and close it."""

    name: str
    process: asyncio.subprocess.Process
    answer: Answer
    hear: Hear
    complaints: deque[str] = field(default_factory=lambda: deque(maxlen=3))
    """What the server last told the person of its own trouble."""
    _errors: deque[str] = field(default_factory=lambda: deque(maxlen=_LOG_LINES))
    _waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    _numbers: int = 0
    _living: asyncio.Task[None] | None = None

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended, or is being ended."""
        return self.process.returncode is not None or self._living is None or self._living.done()

    def request(self, method: str, params: Any) -> Pending:
        """Send a request.

        Raises:
            ProviderError: the process has ended.

        """
        if self.is_dead:
            raise ProviderError(self.epitaph())
        self._numbers += 1
        future = self._waiting[self._numbers] = asyncio.get_running_loop().create_future()
        self._send({"id": self._numbers, "method": method, **_params(params)})
        return Pending(self, self._numbers, method, future)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; to a process that has ended nothing is sent."""
        if not self.is_dead:
            self._send({"method": method, **_params(params)})

    def forget(self, number: int) -> bool:
        """Wait for the answer to a request no more; whether it was still to come."""
        return self._waiting.pop(number, None) is not None

    async def drain(self) -> None:
        """Wait until the process has taken in most of what was sent."""
        assert self.process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended: whoever waits for an answer hears of that
            await self.process.stdin.drain()

    async def close(self, patience_s: float = _GRACE_S) -> None:
        """Say goodbye (`shutdown`, `exit`), and end the process if it does not go by itself."""
        if not self.is_dead:
            with contextlib.suppress(ProviderError):
                await self.request("shutdown", None).result(patience_s)
            self.notify("exit", None)
            assert self.process.stdin is not None
            self.process.stdin.close()
        await self.end(patience_s)

    async def end(self, patience_s: float = 0.0) -> None:
        """Wait until the process is gone, and end it after so many seconds."""
        if self._living is None:
            return
        await asyncio.wait({self._living}, timeout=patience_s)
        if not self._living.done():
            self.kill()
        await asyncio.wait({self._living})

    def kill(self) -> None:
        """End the process, and those that it started, at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def epitaph(self) -> str:
        """How the server ended, with the end of what it wrote on standard error."""
        told = " / ".join(line for line in [*self._errors][-_TOLD_LINES:] if line.strip())
        last = f"; its last words: {told}" if told else self.complaint()
        return _reason(f"{self.name} ended with status {self.process.returncode}{last}")

    def complaint(self) -> str:
        """What the server last complained of, as the end of a sentence."""
        return f"; it said: {self.complaints[-1]}" if self.complaints else ""

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()  # in ASCII: halves of characters come through
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _live(self) -> None:
        """Read what the process writes until it ends; then fail all that still waits for it."""
        reading, draining = asyncio.create_task(self._read()), asyncio.create_task(self._drain_errors())
        leaving = asyncio.create_task(self._left())
        try:
            await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({reading, leaving, draining}, timeout=_GRACE_S)
        finally:
            if not (reading.done() and leaving.done() and draining.done()):
                self.kill()  # it does not listen any more, or a child of it holds its streams
            try:
                await leaving
                for task in (reading, draining):
                    task.cancel()
                await asyncio.gather(reading, draining, return_exceptions=True)
            finally:  # also when all is cancelled at once: nobody shall wait for an answer that cannot come
                self._fail(ProviderError(self.epitaph()))

    async def _left(self) -> None:
        """Wait until the process has ended; asyncio alone would wait for whoever holds its streams, too (cpython#119710)."""
        waiting = asyncio.create_task(self.process.wait())
        while self.process.returncode is None:
            await asyncio.wait({waiting}, timeout=_LOOK_EVERY_S)
        waiting.cancel()

    def _fail(self, error: ProviderError) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)
                future.exception()  # looked at, also if nobody waits any more

    async def _read(self) -> None:
        frames = Frames()
        assert self.process.stdout is not None
        while chunk := await self.process.stdout.read(_CHUNK):
            for frame in frames.feed(chunk):
                try:
                    self._take(frame)
                except Exception as error:  # noqa: BLE001 - whatever a server sends, the next message is read
                    _log.warning("%s: a message of it could not be handled: %s", self.name, _reason(repr(error)))

    async def _drain_errors(self) -> None:
        assert self.process.stderr is not None
        rest = b""
        while chunk := await self.process.stderr.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-2 * _LINE_BYTES :]
            self._errors.extend(map(_line_end, lines[-_LOG_LINES:]))
        if rest:
            self._errors.append(_line_end(rest))

    def _take(self, frame: Frame) -> None:
        if isinstance(frame, Broken):
            return _log.warning("%s: %s", self.name, frame.reason)
        try:
            message = messages.anything(frame)
        except (ValueError, RecursionError) as error:
            return self._fail(ProviderRefused(_reason(f"{self.name} sent what is not JSON: {error}")))
        if fault := messages.fault(message):
            return self._fail(ProviderRefused(_reason(f"{self.name} sent what is no message of JSON-RPC: {fault}")))
        if "method" not in message:
            return self._answered(message)
        if message.get("id") is None:
            return self.hear(message["method"], message.get("params"))
        return self._reply(message["id"], message["method"], message.get("params"))

    def _reply(self, number: Any, method: str, params: Any) -> None:
        try:
            self._send({"id": number, "result": self.answer(method, params)})
        except LookupError:
            told = {"code": _UNKNOWN_METHOD, "message": f"{method} is not known here"}
            self._send({"id": number, "error": told})

    def _answered(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        future = self._waiting.pop(number, None) if isinstance(number, int) else None
        if future is None or future.done():
            return  # of a request that was cancelled
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
            return
        told = error if isinstance(error, Mapping) else {"message": str(error)}
        future.set_exception(Rejection(self.name, told.get("code"), str(told.get("message") or "")))
        future.exception()  # looked at, also if nobody waits any more


async def opened(
    command: Sequence[str], *, folder: Path | None, env: Mapping[str, str], answer: Answer, hear: Hear
) -> Connection:
    """Start a process and listen to it.

    Raises:
        ProviderMissing: it cannot be started.

    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=dict(env),
            start_new_session=True,  # Ctrl-C is for us; it goes when we do
            preexec_fn=goes_with_us(),
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ProviderMissing(f"the language server {command[0]!r} cannot be started: {why}") from error
    connection = Connection(Path(command[0]).name, process, answer, hear)
    connection._living = asyncio.create_task(connection._live())  # noqa: SLF001 - its own module's
    return connection


def _params(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}


def _reason(text: str) -> str:
    """What is told of a failure: keys are masked before it is cut, for no half of one would be known again."""
    return masked(text)[:_LONGEST_REASON]


def _line_end(line: bytes) -> str:
    """The end of a line of standard error, without keys; where its start is lost, so is all that may be the rest of a key."""
    text = masked(line[-2 * _LINE_BYTES :].decode("utf-8", "replace").rstrip())
    whole = text if len(line) < 2 * _LINE_BYTES else text[_LINE_BYTES:]
    return whole[-_LINE_BYTES:]
