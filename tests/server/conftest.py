"""A server as an editor starts it: the console script, over standard input and output."""

from __future__ import annotations

import asyncio
import json

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.language_server import Editor, ModelServer, _converter
from tests.support.preloaded import preloaded_script


@pytest.fixture
async def start():
    """Start a server with settings, and take the client through its greeting; closed in the end."""
    started: list[Editor] = []

    async def begin(settings=None, options=None, encodings=("utf-16",), root=None, **more) -> Editor:
        client = LanguageClient(converter_factory=_converter)
        editor = Editor(client)
        await client.start_io(preloaded_script(), "serve", "--stdio", "--settings", json.dumps(settings or {}))
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
