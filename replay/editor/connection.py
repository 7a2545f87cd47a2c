"""The process of a language server, and JSON-RPC over its standard input and output."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from cattrs import Converter
from pygls.client import JsonRPCClient
from pygls.protocol import JsonRPCProtocol, default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

_ENCODER = msgspec.json.Encoder()
UNDER_WAY = "ghosttape/underway"
_LOG_LINES = 40
_LINE_BYTES = 4000
_LAST_WORDS_S = 2.0


class PlainProtocol(JsonRPCProtocol):
    """Pygls' protocol for plain JSON, without what it does with every message for types that are not used here."""

    def _send_data(self, data: Any) -> None:
        """Encode a message and write it; pygls' own way takes ten times as long."""
        if self.writer is None:
            return
        try:
            body = _ENCODER.encode(data)
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can only hold escaped
            body = json.dumps(msgspec.to_builtins(data)).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def handle_message(self, message: Any) -> None:
        """Give an answer to whoever waits for it; pygls looks at everything else."""
        if type(message) is JsonRPCResponseMessage:
            self._handle_response(message.id, message.result)
        else:
            super().handle_message(message)


class Connection(JsonRPCClient):
    """pygls' JSON-RPC client, with plain JSON as results; keeps the end of what the server writes on standard error.

    `under_way` holds, by token, what to set when our own server says that a request which it will cancel has reached its provider.
    """

    def __init__(self) -> None:
        super().__init__(protocol_cls=PlainProtocol, converter_factory=_plain)
        self.log: deque[str] = deque(maxlen=_LOG_LINES)
        self.feature("window/logMessage")(lambda *_: None)
        self.feature("window/showMessage")(lambda *_: None)
        self.feature("client/registerCapability")(lambda *_: None)
        self.under_way: dict[str, asyncio.Event] = {}

        @self.feature(UNDER_WAY)  # type: ignore[untyped-decorator] # pygls leaves it so
        def told(params: Any) -> None:
            """Our own server says that a request which is going to be given up has reached its provider."""
            event = self.under_way.get(str(params["token"]))
            if event is not None:
                event.set()

        self._draining: asyncio.Task[None] | None = None

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """Start the server in a folder. Raises OSError where that is not possible."""
        await self.start_io(*argv, env=env, cwd=folder, start_new_session=True)  # Ctrl-C is for us; it goes when we do
        self._draining = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        """Read the server's standard error, so that it can never block on it; keep the end for messages."""
        assert self._server is not None
        assert self._server.stderr is not None
        rest = b""
        while chunk := await self._server.stderr.read(1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_LINE_BYTES:]
            self.log.extend(line.decode("utf-8", "replace").rstrip() for line in lines[-_LOG_LINES:])
        if rest:
            self.log.append(rest.decode("utf-8", "replace").rstrip())

    @property
    def dead(self) -> bool:
        """Whether the server has gone."""
        return self._server is None or self._server.returncode is not None

    async def ended(self) -> None:
        """Wait until the server has gone."""
        assert self._server is not None
        await self._server.wait()

    async def release(self) -> None:
        """Wait for a server that ends and close its pipes. Left open, they complain when the event loop is closed before they are."""
        if self._server is not None:
            await self._server.wait()
            self._server._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio gives no other way
            await asyncio.sleep(0)

    def kill(self) -> None:
        """End the server at once, if it has not gone."""
        if self._server is not None and self._server.returncode is None:
            self._server.kill()

    async def last_words(self) -> str:
        """As `epitaph`, once all that the server wrote has been read; a child of its may hold its standard error open."""
        if self._draining is not None:
            await asyncio.wait({self._draining}, timeout=_LAST_WORDS_S)
        return self.epitaph()

    def epitaph(self) -> str:
        """How the server ended, with the end of what it wrote on standard error."""
        status = self._server.returncode if self._server else None
        tail = "\n".join(list(self.log)[-8:])
        return f"the language server ended with status {status}" + (f"; its last words:\n{tail}" if tail else "")


def _plain() -> Converter:
    """Pygls makes objects of JSON that has no type of its own; here it stays JSON."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call] # pygls leaves it so
    for message in (JsonRPCResponseMessage, JsonRPCNotification, JsonRPCRequestMessage):
        converter.register_structure_hook(message, lambda data, kind: kind(**data))
    return converter
