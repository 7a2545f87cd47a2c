"""A JSON-RPC client for a child process, over its standard input and output. Messages are plain JSON values.

A replay uses it for the language server under test, the provider `lsp` for the server that it asks. It bears servers that keep to JSON-RPC
only in part: output between messages is skipped (`server.wire.framing.FrameReader`), the member `jsonrpc` may be missing, and so may a result
of null. When the process ends, every waiting request fails, and the reason contains the last lines of standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from server.api_keys import log_fault, masked
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.wire.framing import Frame, FrameReader, InvalidFrame
from server.wire.json_values import decode_any, encode_any, fault
from server.wire.parent_death import die_with_parent

RequestHandler: TypeAlias = Callable[[str, Any], Any]
"""Takes a request of the server (method, parameters) and returns the result; raises `LookupError` for an unknown method."""
NotificationHandler: TypeAlias = Callable[[str, Any], None]
"""Takes a notification of the server (method, parameters)."""
METHOD_NOT_FOUND = -32601
_CHUNK = 1 << 16
_LOOK_EVERY_S = 0.25
_GRACE_S = 2.0
"""How long to wait for the process when its output has ended, or for its output when the process has ended."""
_LOG_LINES, _LINES_IN_ERROR, _LINE_BYTES, _LONGEST_REASON = 40, 8, 2000, 1000
_LONGEST_END = 100
"""Characters of a reason before the last output."""
_log = logging.getLogger("ghosttape.server")


class RequestRejected(ProviderRefused):
    """The server answered a request with an error."""

    def __init__(self, name: str, code: Any, message: str) -> None:
        super().__init__(_reason(f"{name}: {message or 'an error without a message'} (error {code})"))
        self.code, self.message = code, message


class ServerEnded(ProviderError):  # noqa: N818 - named for what happened
    """The process ended before it answered. `lines`: the end of what it wrote on standard error, without keys."""

    def __init__(self, name: str, status: int | None, lines: Sequence[str], complaint: str = "") -> None:
        ended, last = f"{name} ended with status {status}", list(lines)
        while len(last) > 1 and len(" / ".join(last)) > _LONGEST_REASON - _LONGEST_END:
            del last[0]  # the last line says most
        why = f"; its last output: {' / '.join(last)}" if last else _quoted(complaint)
        super().__init__(_reason(ended + why))
        self.status, self.lines = status, lines


@dataclass(slots=True, eq=False)
class OutgoingRequest:
    """A request that was sent. Cancel it when nobody waits for the answer; after the answer that has no effect."""

    connection: ServerProcess
    number: int
    method: str
    future: asyncio.Future[Any]
    _is_cancelled: bool = False

    async def result(self, within_s: float) -> Any:
        """The result.

        Raises:
            RequestRejected: the server answered with an error.
            ServerEnded: it ended.
            ProviderError: it did not answer in time (the request is cancelled then), or sent no message of JSON-RPC.

        """
        try:
            async with asyncio.timeout(within_s):
                return await asyncio.shield(self.future)
        except TimeoutError as error:
            self.cancel()
            raise self.no_answer(within_s) from error

    def no_answer(self, within_s: float) -> ProviderError:
        """The error that the server did not answer in time."""
        name, why = self.connection.name, _quoted(self.connection.last_complaint)
        return ProviderError(f"{name}: no answer to {self.method} within {within_s:g} s{why}")

    def request_cancel(self) -> None:
        """Send `$/cancelRequest` once, unless the answer is here already; the server's response to the request is still waited for."""
        if not self._is_cancelled and not self.future.done():
            self.connection.notify("$/cancelRequest", {"id": self.number})
        self._is_cancelled = True

    def cancel(self) -> None:
        """Send `$/cancelRequest`, and stop waiting."""
        self.request_cancel()
        self.connection.forget(self.number)
        self.future.cancel()


@dataclass(slots=True, eq=False)
class ServerProcess:
    """A child process that speaks JSON-RPC. `name` is its name in messages. Make it with `start_process`, and close it."""

    name: str
    process: asyncio.subprocess.Process
    answer: RequestHandler
    hear: NotificationHandler
    error_messages: deque[str] = field(default_factory=lambda: deque(maxlen=3))
    """The server's last messages about its own errors."""
    _errors: deque[str] = field(default_factory=lambda: deque(maxlen=_LOG_LINES))
    _waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    _numbers: int = 0
    _living: asyncio.Task[None] | None = None
    _is_closing: bool = False

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended, or is being ended."""
        return self.process.returncode is not None or self._living is None or self._living.done()

    def request(self, method: str, params: Any) -> OutgoingRequest:
        """Send a request.

        Raises:
            ServerEnded: the process has ended.

        """
        if self.is_dead:
            raise self.exit_error()
        self._numbers += 1
        future = self._waiting[self._numbers] = asyncio.get_running_loop().create_future()
        self._send({"id": self._numbers, "method": method, **_params(params)})
        return OutgoingRequest(self, self._numbers, method, future)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification, unless the process has ended."""
        if not self.is_dead:
            self._send({"method": method, **_params(params)})

    def forget(self, number: int) -> None:
        """Stop waiting for the answer to a request."""
        self._waiting.pop(number, None)

    async def close(self, patience_s: float = _GRACE_S) -> None:
        """Send `shutdown` and `exit`, and kill the process if it has not ended after so many seconds in all; at once if this is cancelled."""
        self._is_closing = True
        ends = asyncio.get_running_loop().time() + patience_s
        try:
            if not self.is_dead:
                with contextlib.suppress(ProviderError):
                    await self.request("shutdown", None).result(patience_s)
                self.notify("exit", None)
                assert self.process.stdin is not None
                self.process.stdin.close()
            if self._living is not None:
                await asyncio.wait({self._living}, timeout=max(0.0, ends - asyncio.get_running_loop().time()))
        finally:
            await self.end()

    async def end(self) -> None:
        """Kill the process, unless it has ended, and wait until asyncio has done with it."""
        if self._living is None:
            return
        self._is_closing = False
        if not self._living.done():
            self.kill()
        await asyncio.wait({self._living})
        # Left open, its pipes complain where the event loop is closed before they are
        self.process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio gives no other way
        await asyncio.sleep(0)

    def kill(self) -> None:
        """Kill the process and those that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def exit_error(self) -> ServerEnded:
        """How the server ended, with its last lines on standard error."""
        lines = [line for line in [*self._errors][-_LINES_IN_ERROR:] if line.strip()]
        return ServerEnded(self.name, self.process.returncode, lines, self.last_complaint)

    @property
    def last_complaint(self) -> str:
        """The server's last message about an error; empty if there was none."""
        return self.error_messages[-1] if self.error_messages else ""

    def _send(self, message: Mapping[str, Any]) -> None:
        body = encode_any({"jsonrpc": "2.0", **message})
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _live(self) -> None:
        """Read the output of the process until it ends; then fail the waiting requests."""
        reading, draining = asyncio.create_task(self._read()), asyncio.create_task(self._drain_errors())
        leaving = asyncio.create_task(self._left())
        try:
            await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
            await self._wait_for({reading, leaving, draining})
        finally:
            if not (reading.done() and leaving.done() and draining.done()):
                self.kill()  # it closed its output, or a child of it holds its streams
            try:
                await leaving
                for task in (reading, draining):
                    task.cancel()
                await asyncio.gather(reading, draining, return_exceptions=True)
            finally:  # also when everything is cancelled: nobody may wait for an answer that cannot come
                await self._reaped()
                self._fail(self.exit_error())

    async def _wait_for(self, tasks: set[asyncio.Task[None]]) -> None:
        """Wait for some seconds until all is done; while the process is being closed, as long as that takes."""
        ends = asyncio.get_running_loop().time() + _GRACE_S
        while not all(task.done() for task in tasks):
            if not self._is_closing and asyncio.get_running_loop().time() >= ends:
                return
            await asyncio.wait(tasks, timeout=_LOOK_EVERY_S)

    async def _reaped(self) -> None:
        """Wait until asyncio has seen the end of a killed process: it complains with a traceback where its loop is closed before."""
        ends = asyncio.get_running_loop().time() + _GRACE_S
        while self.process.returncode is None and asyncio.get_running_loop().time() < ends:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _left(self) -> None:
        """Wait until the process has ended. asyncio also waits for other holders of its streams (cpython#119710), this does not."""
        waiting = asyncio.create_task(self.process.wait())
        while self.process.returncode is None:
            await asyncio.wait({waiting}, timeout=_LOOK_EVERY_S)
        waiting.cancel()

    def _fail(self, error: ProviderError) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)
                future.exception()  # marks it as retrieved, also if nobody waits

    async def _read(self) -> None:
        frames = FrameReader()
        assert self.process.stdout is not None
        while chunk := await self.process.stdout.read(_CHUNK):
            for frame in frames.feed(chunk):
                try:
                    self._take(frame)
                except Exception as error:  # noqa: BLE001 - whatever a message does: it is logged, and the next one is read
                    log_fault(error)

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
        if isinstance(frame, InvalidFrame):
            return _log.info("%s: %s", self.name, frame.reason)
        try:
            message = decode_any(frame)
        except (ValueError, RecursionError) as error:
            return self._fail(ProviderRefused(_reason(f"{self.name} sent a message that is not JSON: {error}")))
        if why := fault(message) or self._nothing_asked(message):
            return self._fail(ProviderRefused(_reason(f"{self.name} sent a message that is not JSON-RPC: {why}")))
        if "method" not in message:
            return self._answered(message)
        if message.get("id") is None:
            return self.hear(message["method"], message.get("params"))
        return self._reply(message["id"], message["method"], message.get("params"))

    def _nothing_asked(self, message: Mapping[str, Any]) -> str:
        """Why a message without a method is no response to a request; empty if it is one, or says that it is."""
        known = {"method", "result", "error"} & message.keys() or _number(message) in self._waiting
        return "" if known else "a message has a method, or a result, or an error"

    def _reply(self, number: Any, method: str, params: Any) -> None:
        try:
            self._send({"id": number, "result": self.answer(method, params)})
        except LookupError:
            self._send({"id": number, "error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not known here"}})

    def _answered(self, message: Mapping[str, Any]) -> None:
        future = self._waiting.pop(_number(message), None)
        if future is None or future.done():
            return  # the request was cancelled
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
            return
        refusal = error if isinstance(error, Mapping) else {"message": str(error)}
        future.set_exception(RequestRejected(self.name, refusal.get("code"), str(refusal.get("message") or "")))
        future.exception()  # marks it as retrieved, also if nobody waits


async def start_process(
    name: str,
    command: Sequence[str],
    *,
    folder: Path | None,
    env: Mapping[str, str] | None,
    answer: RequestHandler,
    hear: NotificationHandler,
    dies_with_us: bool = True,
) -> ServerProcess:
    """Start a process and read its messages. `name` is its name in messages, `folder` where it runs (None: here).

    `dies_with_us`: it is killed when we are. Otherwise it only sees its input end.

    Raises:
        ProviderMissing: the process cannot be started.

    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=env,
            start_new_session=True,  # Ctrl-C reaches us only
            preexec_fn=die_with_parent() if dies_with_us else None,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ProviderMissing(f"the language server {command[0]!r} cannot be started: {why}") from error
    connection = ServerProcess(name, process, answer, hear)
    connection._living = asyncio.create_task(connection._live())  # noqa: SLF001 - made in this module
    return connection


def _number(message: Mapping[str, Any]) -> int:
    """The number of the request that a response is to, which some servers send back as a string; 0 if it is to none."""
    number = message.get("id")
    return int(number) if isinstance(number, int) or (isinstance(number, str) and number.isdecimal()) else 0


def _params(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}


def _reason(text: str) -> str:
    """The reason of a failure. Keys are masked before it is cut, because a half of a key would not be recognised."""
    return masked(text)[:_LONGEST_REASON]


def _quoted(complaint: str) -> str:
    """A server's message about an error, as the end of a sentence."""
    return f"; it said: {complaint}" if complaint else ""


def _line_end(line: bytes) -> str:
    """The end of a line of standard error, without keys. If the start of the line is lost, so is what may be the rest of a key."""
    text = masked(line[-2 * _LINE_BYTES :].decode("utf-8", "replace").rstrip())
    whole = text if len(line) < 2 * _LINE_BYTES else text[_LINE_BYTES:]
    return whole[-_LINE_BYTES:]
