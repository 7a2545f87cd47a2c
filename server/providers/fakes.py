"""Public fakes of what providers talk to: a model server on a real socket, and llama.cpp's engine in this process.

Both act by a `Script`, which says what they answer and in which way they misbehave; both keep what they were asked.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from server.providers.tongues import Tongue


@dataclass(frozen=True, slots=True)
class Status:
    """An answer that is no success. `headers` are added; a body of None is the protocol's own with `message` in it."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "no"
    body: bytes | None = None


@dataclass(slots=True)
class Script:
    """What a fake does. Times are seconds, positions count pieces."""

    pieces: Sequence[str] = ("return", " 1")
    logprobs: Sequence[float] | None = None
    prompt_tokens: int = 7
    think_s: float = 0.0
    """Passes before the status line."""
    delay_s: float = 0.0
    """Passes before each piece."""
    first: list[Status | None] = field(default_factory=list)
    """Statuses of the first requests, one each; None closes the connection without a word."""
    cut_after: int | None = None
    """Closes the connection after so many pieces."""
    error_after: int | None = None
    garbage_after: int | None = None
    ends: bool = True
    """Says that the answer is over; without it the stream just stops."""
    bytes_a_write: int | None = None

    def written(self, stops: Sequence[str], limit: int) -> Iterator[str]:
        """The pieces as a model server gives them: not past a stop sequence, not more than the limit."""
        told = ""
        for piece in self.pieces[:limit]:
            ends = [at for stop in stops if (at := (told + piece).find(stop)) >= 0]
            if ends:
                yield (told + piece)[len(told) : min(ends)]
                return
            told += piece
            yield piece

    def logprob(self, number: int) -> float | None:
        """The log-probability of a piece."""
        return self.logprobs[number] if self.logprobs is not None and number < len(self.logprobs) else None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    route: str
    body: dict[str, Any]
    headers: dict[str, str]


class _Gone(Exception):  # noqa: N818 - the client left, which is no error of the fake
    pass


@dataclass(slots=True)
class FakeServer:
    """A model server on loopback that speaks one tongue. Use it as an asynchronous context manager."""

    tongue: Tongue
    script: Script = field(default_factory=Script)
    asked: list[Asked] = field(default_factory=list)
    written: int = 0
    """Pieces that were sent, over all requests."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client closes its connection before its answer is over."""
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
            pass  # a connection that is not used any more
        except (_Gone, ConnectionError):
            self.gone.set()
        finally:
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays open."""
        asked = await _request(reader)
        self.asked.append(asked)
        if self.script.first:
            return await self._refused(writer, self.script.first.pop(0))
        await _pause(reader, self.script.think_s)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {self.tongue.kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        told = self.tongue.told(asked.route, asked.body)
        await self._write(writer, self.tongue.begin(asked.route, self.script.prompt_tokens))
        count = 0
        for count, text in enumerate(self.script.written(told.stops, told.limit), 1):
            await _pause(reader, self.script.delay_s)
            if not await self._goes_on(writer, count - 1):
                return False
            await self._write(writer, self.tongue.piece(asked.route, text, self.script.logprob(count - 1)))
            self.written += 1
        if self.script.ends:
            reason = "length" if count == told.limit else "stop"
            await self._write(writer, self.tongue.end(asked.route, reason, count, self.script.prompt_tokens))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _goes_on(self, writer: asyncio.StreamWriter, number: int) -> bool:
        """Misbehave before a piece, if the script says so; whether there is more to come."""
        script = self.script
        if number == script.error_after:
            await self._write(writer, self.tongue.error("out of memory"))
        if number == script.garbage_after:
            await self._write(writer, b"data: {not json\n\n" if "event" in self.tongue.kind else b"{not json\n")
        return number not in {script.error_after, script.garbage_after, script.cut_after}

    async def _refused(self, writer: asyncio.StreamWriter, status: Status | None) -> bool:
        if status is None:
            return False
        body = self.tongue.refusal(status.message) if status.body is None else status.body
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


async def _request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *rest = head.split("\r\n")
    headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rest if row)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Asked(first.split()[1], json.loads(body), headers)


async def _pause(reader: asyncio.StreamReader, seconds: float) -> None:
    """Wait, unless the client goes meanwhile."""
    if not seconds:
        return
    try:
        await asyncio.wait_for(reader.read(1), seconds)
    except TimeoutError:
        return
    raise _Gone


@dataclass(slots=True)
class FakeEngine:
    """llama.cpp in this process, as `xllamacpp.Server` is asked: chunks go to a callback, which stops it by returning true."""

    script: Script = field(default_factory=Script)
    asked: list[dict[str, Any]] = field(default_factory=list)
    written: int = 0
    running: threading.Lock = field(default_factory=threading.Lock)
    """One request at a time, as with one slot."""

    def handle_completions(
        self, question: dict[str, Any], heard: Callable[[dict[str, Any]], bool] | None = None
    ) -> dict[str, Any]:
        """Answer a request, piece by piece if there is someone to hear it."""
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
            told = {"logprobs": {"content": [{"logprob": known}]}} if known is not None else {}
            yield {"choices": [{"text": text, "finish_reason": None, **told}]}
        usage = {"completion_tokens": count, "prompt_tokens": script.prompt_tokens}
        yield {"choices": [{"text": "", "finish_reason": "stop"}], "usage": usage}
