"""Public fakes for providers: a model server on a real socket, and llama.cpp's engine in this process.

Both follow a `FakeScript`, which sets their answers and their faults, and both keep the requests that they received.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tests.support.fakes.dialects import Dialect


@dataclass(frozen=True, slots=True)
class FakeStatus:
    """An error status. `headers` are added. If `body` is None, the body is the protocol's own, with `message` in it."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "no"
    body: bytes | None = None


@dataclass(slots=True)
class FakeScript:
    """What a fake does. Times are in seconds, positions count pieces."""

    pieces: Sequence[str] = ("return", " 1")
    logprobs: Sequence[float] | None = None
    prompt_tokens: int = 7
    think_s: float = 0.0
    """Time before the status line."""
    delay_s: float = 0.0
    """Time before each piece."""
    first: list[FakeStatus | None] = field(default_factory=list)
    """Statuses of the first requests, one each; None closes the connection without a response."""
    cut_after: int | None = None
    """Close the connection after so many pieces."""
    error_after: int | None = None
    """Send an error after so many pieces."""
    garbage_after: int | None = None
    """Send what is not JSON after so many pieces."""
    ends: bool = True
    """Send the end of the answer; False: the stream stops without it."""
    bytes_a_write: int | None = None
    """Write so many bytes at a time; None: a whole event."""

    def written(self, stops: Sequence[str], limit: int) -> Iterator[str]:
        """The pieces as a model server sends them: up to a stop sequence, and up to the limit."""
        text = ""
        for piece in self.pieces[:limit]:
            ends = [at for stop in stops if (at := (text + piece).find(stop)) >= 0]
            if ends:
                yield (text + piece)[len(text) : min(ends)]
                return
            text += piece
            yield piece

    def logprob(self, number: int) -> float | None:
        """The log-probability of a piece."""
        return self.logprobs[number] if self.logprobs is not None and number < len(self.logprobs) else None


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request as it arrived."""

    route: str
    body: dict[str, Any]
    headers: dict[str, str]


class _Gone(Exception):  # noqa: N818 - the client left, which is not an error of the fake
    pass


@dataclass(slots=True)
class FakeModelServer:
    """A model server on loopback with one dialect. Use it as an asynchronous context manager."""

    dialect: Dialect
    script: FakeScript = field(default_factory=FakeScript)
    asked: list[ReceivedRequest] = field(default_factory=list)
    written: int = 0
    """Pieces that were sent, over all requests."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client closes its connection before the end of its answer."""
    _listening: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_server(self._met, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listening is not None
        self._listening.close()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        assert self._listening is not None
        return f"http://127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answered(reader, writer):
                pass
        except asyncio.IncompleteReadError:
            pass  # the client does not use the connection any more
        except (_Gone, ConnectionError):
            self.gone.set()
        finally:
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays open."""
        asked = await _request(reader)
        self.asked.append(asked)
        if self.script.first:
            return await self._refused(writer, self.script.first.pop(0))
        await _pause(reader, self.script.think_s)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {self.dialect.kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        request = self.dialect.parse(asked.route, asked.body)
        await self._write(writer, self.dialect.begin(asked.route, self.script.prompt_tokens))
        count = 0
        for count, text in enumerate(self.script.written(request.stops, request.limit), 1):
            await _pause(reader, self.script.delay_s)
            if not await self._goes_on(writer, count - 1):
                return False
            await self._write(writer, self.dialect.piece(asked.route, text, self.script.logprob(count - 1)))
            self.written += 1
        if self.script.ends:
            reason = "length" if count == request.limit else "stop"
            await self._write(writer, self.dialect.end(asked.route, reason, count, self.script.prompt_tokens))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _goes_on(self, writer: asyncio.StreamWriter, number: int) -> bool:
        """Send a fault before a piece, if the script has one there; return whether the answer goes on."""
        script = self.script
        if number == script.error_after:
            await self._write(writer, self.dialect.error("out of memory"))
        if number == script.garbage_after:
            await self._write(writer, b"data: {not json\n\n" if "event" in self.dialect.kind else b"{not json\n")
        return number not in {script.error_after, script.garbage_after, script.cut_after}

    async def _refused(self, writer: asyncio.StreamWriter, status: FakeStatus | None) -> bool:
        if status is None:
            return False
        body = self.dialect.refusal(status.message) if status.body is None else status.body
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **status.headers}
        lines = [f"HTTP/1.1 {status.code} X", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()
        return True

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        step = self.script.bytes_a_write or max(len(data), 1)
        for start in range(0, len(data), step):
            chunk = data[start : start + step]
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
            if self.script.bytes_a_write:
                await asyncio.sleep(0)


async def _request(reader: asyncio.StreamReader) -> ReceivedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *rest = head.split("\r\n")
    headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rest if row)}
    body = await reader.readexactly(int(headers["content-length"]))
    return ReceivedRequest(first.split()[1], json.loads(body), headers)


async def _pause(reader: asyncio.StreamReader, seconds: float) -> None:
    """Wait, unless the client leaves meanwhile."""
    if not seconds:
        return
    try:
        await asyncio.wait_for(reader.read(1), seconds)
    except TimeoutError:
        return
    raise _Gone


@dataclass(slots=True)
class FakeEngine:
    """llama.cpp in this process with the interface of `xllamacpp.Server`: chunks go to a callback, which returns true to stop it."""

    script: FakeScript = field(default_factory=FakeScript)
    asked: list[dict[str, Any]] = field(default_factory=list)
    written: int = 0
    running: threading.Lock = field(default_factory=threading.Lock)
    """One request at a time, as with one slot."""

    def handle_completions(
        self, question: dict[str, Any], heard: Callable[[dict[str, Any]], bool] | None = None
    ) -> dict[str, Any]:
        """Answer a request, piece by piece if there is a callback."""
        with self.running:
            self.asked.append(question)
            for chunk in self._chunks(question):
                if heard is not None and heard(chunk):
                    break
        return {}

    def _chunks(self, question: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        script, count = self.script, 0
        if script.first:
            status = script.first.pop(0)
            yield {"error": {"code": status.code if status else 500, "message": status.message if status else "gone"}}
            return
        time.sleep(script.think_s)
        for count, text in enumerate(script.written(question.get("stop", ()), question["max_tokens"]), 1):
            time.sleep(script.delay_s)
            if count - 1 == script.error_after:
                yield {"error": {"code": 500, "message": "out of memory"}}
                return
            self.written += 1
            known = script.logprob(count - 1)
            logprobs = {"logprobs": {"content": [{"logprob": known}]}} if known is not None else {}
            yield {"choices": [{"text": text, "finish_reason": None, **logprobs}]}
        usage = {"completion_tokens": count, "prompt_tokens": script.prompt_tokens}
        yield {"choices": [{"text": "", "finish_reason": "stop"}], "usage": usage}
