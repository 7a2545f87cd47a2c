"""JSON-RPC with a language server, over a channel.

Results stay plain JSON: no type of the protocol is needed here, and the libraries that have them take half a second to import.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replay.editor.channel import Channel, ChildProcess
from replay.errors import ConnectionEndedError, RefusedRequestError
from server.wire.framing import Frame, FrameReader, InvalidFrame
from server.wire.plain import STREAMED, UNDER_WAY, decode_any, encode_any

METHOD_NOT_FOUND = -32601
_ANSWERED_WITH_NULL = frozenset({"client/registerCapability"})


class Connection:
    """A JSON-RPC client of a server, which is a child process unless another channel is given.

    `streamed` is told what there is of an answer while it comes, with its request's token. `under_way` holds, by token, what to set when our own server says that a request which it will cancel has reached its provider.
    """

    def __init__(self, channel: Channel | None = None) -> None:
        self.under_way: dict[str, asyncio.Event] = {}
        self.streamed: Callable[[str, str], None] | None = None
        self._channel = channel or ChildProcess()
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._living: asyncio.Task[None] | None = None

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """Start the server in a folder. Raises OSError where that is not possible."""
        await self._channel.start(argv, env, folder)
        self._living = asyncio.create_task(self._live())

    def request(self, method: str, params: Any, number: str | None = None) -> asyncio.Future[Any]:
        """Send a request, with a number of its own; the future has the result.

        It fails with `RefusedRequestError` for an error of the server, and with `ConnectionEndedError` if the server ends before.
        """
        number = number or str(uuid.uuid4())
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        if self._living is None or self._living.done():
            self._fail(ConnectionEndedError("the language server has ended"))
        else:
            self._send({"id": number, "method": method, **_given(params)})
        return answer

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, **_given(params)})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = encode_any({"jsonrpc": "2.0", **message})
        self._channel.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _live(self) -> None:
        """Take the server's messages until it ends; nobody waits for an answer after that."""
        frames = FrameReader()
        try:
            while chunk := await self._channel.read():
                for frame in frames.feed(chunk):
                    self._take(frame)
        finally:
            self._fail(ConnectionEndedError("the language server has ended"))

    def _take(self, frame: Frame) -> None:
        if isinstance(frame, InvalidFrame):
            return None  # a server may print between its messages
        try:
            message = decode_any(frame)
        except (ValueError, RecursionError) as error:
            return self._fail(RefusedRequestError(f"the server sent a message that is not JSON: {error}"))
        if not isinstance(message, dict):
            return self._fail(RefusedRequestError("the server sent a message that is not JSON-RPC"))
        if "method" not in message:
            return self._answered(message)
        if message.get("id") is None:
            return self._heard(message)
        return self._reply(message)

    def _answered(self, message: Mapping[str, Any]) -> None:
        answer = self._answers.pop(str(message.get("id")), None)
        if answer is None or answer.done():
            return  # nobody waits for it any more
        error = message.get("error")
        if error is None:
            answer.set_result(message.get("result"))
        else:
            refusal = error if isinstance(error, dict) else {"message": str(error)}
            answer.set_exception(RefusedRequestError(str(refusal.get("message") or ""), refusal.get("code")))

    def _heard(self, message: Mapping[str, Any]) -> None:
        """Our own server says that a request which will be given up has reached its provider, or what there is of an answer; other news have no use."""
        params = message.get("params")
        if message["method"] == STREAMED and isinstance(params, dict) and self.streamed is not None:
            self.streamed(str(params.get("token")), str(params.get("text")))
        if message["method"] == UNDER_WAY and isinstance(params, dict):
            event = self.under_way.get(str(params.get("token")))
            if event is not None:
                event.set()

    def _reply(self, message: Mapping[str, Any]) -> None:
        method = message["method"]
        unknown = {"code": METHOD_NOT_FOUND, "message": f"{method} is not known here"}
        reply = {"result": None} if method in _ANSWERED_WITH_NULL else {"error": unknown}
        self._send({"id": message["id"], **reply})

    def _fail(self, error: Exception) -> None:
        waiting, self._answers = self._answers, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # marks it as retrieved, also if nobody waits

    @property
    def dead(self) -> bool:
        """Whether the server has gone."""
        return self._channel.dead

    async def ended(self) -> None:
        """Wait until the server has gone."""
        await self._channel.ended()

    async def release(self) -> None:
        """Wait for a server that ends, and let go of its channel."""
        if self._living is None:
            return
        await self._channel.ended()
        self._living.cancel()
        await asyncio.wait({self._living})  # a cancellation of ours goes on, and that of the task does not
        await self._channel.release()

    def kill(self) -> None:
        """End the server at once, if it has not gone."""
        self._channel.kill()

    async def last_words(self) -> str:
        """As `epitaph`, once all that the server wrote has been read."""
        await self._channel.drained()
        return self.epitaph()

    def epitaph(self) -> str:
        """How the server ended, with the end of what it wrote on standard error."""
        tail = "\n".join(self._channel.log[-8:])
        return f"the language server ended with status {self._channel.status}" + (
            f"; its last words:\n{tail}" if tail else ""
        )


def _given(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}
