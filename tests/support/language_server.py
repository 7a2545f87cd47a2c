"""A server as an editor starts it: the console script, over standard input and output; and a model server behind it."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient

from server.lsp.params import CompletionParams


def console_script() -> str:
    beside = Path(sys.executable).with_name("ghosttape")
    return str(beside) if beside.exists() else shutil.which("ghosttape") or "ghosttape"


def _members(params):
    names = {
        "stop": "stop",
        "willCancel": "will_cancel",
        "sample": "sample",
        "streams": "streams",
        "evidence": "evidence",
    }
    return {wire: value for wire, name in names.items() if (value := getattr(params, name, None))}


def _converter():
    made = default_converter()
    plain = made.get_unstructure_hook(types.InlineCompletionParams)
    made.register_unstructure_hook(types.InlineCompletionParams, lambda params: {**plain(params), **_members(params)})
    return made


class Editor:
    """A real client with the few words that the tests need."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.said_goodbye = False
        self.shown: list[str] = []
        self.greeted: types.InitializeResult | None = None
        client.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.shown.append(params.message))

    def open(self, text: str, uri: str = "file:///a.py", language: str = "python") -> None:
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )

    def change(self, version: int, *edits, uri: str = "file:///a.py") -> None:
        """Each edit is (line, character, line, character, text)."""
        changes = [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(edit[0], edit[1]), types.Position(edit[2], edit[3])), edit[4]
            )
            for edit in edits
        ]
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    def request(
        self,
        line: int,
        character: int,
        stop: str = "auto",
        uri: str = "file:///a.py",
        *,
        msg_id=None,
        will_cancel="",
        sample=0,
        streams="",
        evidence=(),
    ):
        params = CompletionParams(
            types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
            types.TextDocumentIdentifier(uri),
            types.Position(line, character),
            None,
            stop,
            will_cancel,
            sample,
            streams=streams,
            evidence=evidence,
        )
        return self.client.protocol.send_request_async("textDocument/inlineCompletion", params, msg_id)

    async def ask(self, line: int, character: int, stop: str = "auto", uri: str = "file:///a.py", **more):
        """(text, range end's character) of the item; None when nothing is offered."""
        items = await self.request(line, character, stop, uri, **more)
        return (items[0].insert_text, items[0].range.end.character) if items else None

    def explain(self, line: int, character: int, uri: str = "file:///a.py"):
        where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return self.client.protocol.send_request_async("ghosttape/explain", where)

    async def state(self, uri: str = "file:///a.py"):
        return await self.client.protocol.send_request_async("ghosttape/state", {"textDocument": {"uri": uri}})


class ModelServer:
    """Answers every completion with `pieces`, one event each, `delay_s` apart; or with `status` and `body`."""

    def __init__(self) -> None:
        self.pieces, self.delay_s = ["return", " 1"], 0.0
        self.statuses: list[tuple[int, dict, bytes]] = []
        self.cut_after: int | None = None
        self.ending = True
        self.asked: list[tuple[str, dict, dict]] = []
        self.disconnected = asyncio.Event()
        self.base_url = ""

    async def handle(self, reader, writer) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.disconnected.set()
        finally:
            writer.close()

    async def _answer(self, reader, writer) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = head.split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in rest if line)}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.asked.append((first.split()[1], body, headers))
        if self.statuses:
            status, extra, text = self.statuses.pop(0)
            lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(text)}", *(f"{k}: {v}" for k, v in extra.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode() + text)
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for number, piece in enumerate(self.pieces):
            if number == self.cut_after:
                return
            await self._wait(reader)
            writer.write(_event({"choices": [_choice(piece, first)]}))
            await writer.drain()
        if self.ending:
            writer.write(_event({"choices": [{"text": "", "finish_reason": "stop"}]}) + b"data: [DONE]\n\n")
            await writer.drain()

    async def _wait(self, reader) -> None:
        if not self.delay_s:
            return
        try:
            await asyncio.wait_for(reader.read(1), self.delay_s)
        except TimeoutError:
            return
        raise ConnectionResetError


def _choice(piece: str, request: str) -> dict:
    return {"delta": {"content": piece}} if "chat" in request else {"text": piece}


def _event(value: dict) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


@asynccontextmanager
async def starting(script):
    """Give a function that starts a server with settings and takes the client through its greeting; all are closed in the end."""
    started: list[Editor] = []

    async def begin(settings=None, options=None, encodings=("utf-16",), root=None, **more) -> Editor:
        client = LanguageClient(converter_factory=_converter)
        editor = Editor(client)
        await client.start_io(script, "serve", "--stdio", "--settings", json.dumps(settings or {}))
        started.append(editor)
        general = types.GeneralClientCapabilities(position_encodings=list(encodings))
        capabilities = types.ClientCapabilities(general=general, **more)
        params = types.InitializeParams(capabilities=capabilities, initialization_options=options, root_uri=root)
        editor.greeted = await client.initialize_session(params)
        return editor

    yield begin
    for editor in started:
        if editor.said_goodbye:
            editor.client.exit(None)
        else:
            await editor.client.shutdown_session()
        await editor.client.stop()


@pytest.fixture
async def model_server():
    server = ModelServer()
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.base_url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    yield server
    listening.close()
