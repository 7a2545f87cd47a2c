"""A client of `ghosttape serve` that orders replays and keeps what it is told."""

from contextlib import asynccontextmanager

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.places import SCRIPT

OPTIONS = {"settings": {"provider": {"name": "ngram"}}, "latency": "fixed:80", "seed": 1, "limit": 4}


@asynccontextmanager
async def connected(folder):
    """A client that keeps what it is told, and has work-done progress."""
    client = LanguageClient()
    client.told = {"ghosttape/moment": [], "ghosttape/verdict": [], "ghosttape/scene": []}
    client.progress = []
    for method, kept in client.told.items():
        client.feature(method)(lambda params, kept=kept: kept.append(params))
    client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda params: None)
    client.feature(types.PROGRESS)(lambda params: client.progress.append(params))  # noqa: PLW0108 - pygls marks it
    await client.start_io(SCRIPT, "serve", "--stdio", "--provider", "ngram", cwd=folder)
    window = types.WindowClientCapabilities(work_done_progress=True)
    await client.initialize_session(types.InitializeParams(types.ClientCapabilities(window=window)))
    yield client
    await client.shutdown_session()
    await client.stop()


def command(client, name, argument):
    params = types.ExecuteCommandParams(name, [argument])
    return client.protocol.send_request_async(types.WORKSPACE_EXECUTE_COMMAND, params)
