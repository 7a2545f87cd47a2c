"""A cancelled request ends the work everywhere: in the service, on the thread, on the socket."""

from __future__ import annotations

import asyncio
import time

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException


async def test_cancelling_a_request_closes_the_connection_to_the_model_server(start, model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 100, 0.2
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1"))
    while not model_server.asked:
        await asyncio.sleep(0.02)
    began = time.monotonic()
    editor.client.cancel_request(types.CancelParams("q1"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asked
    await asyncio.wait_for(model_server.disconnected.wait(), 5)
    assert cancelled.value.code == -32800
    assert time.monotonic() - began < 5
    assert (await editor.explain(1, 4)).outcome == "cancelled"


async def test_a_server_that_says_goodbye_lets_go_of_what_is_under_way(start, model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 100, 0.2
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4))
    while not model_server.asked:
        await asyncio.sleep(0.02)
    editor.said_goodbye = True
    await editor.client.shutdown_async(None)
    with pytest.raises(JsonRpcException):
        await asked
    await asyncio.wait_for(model_server.disconnected.wait(), 5)
