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


async def test_a_doomed_request_reaches_the_provider_and_leaves_nothing_behind(start, model_server):
    """However fast the provider is: the answer to a request that its client cancels must not serve a later one."""
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    told = asyncio.Queue()
    editor.client.feature("ghosttape/underway")(lambda params: told.put_nowait(params.token))
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1", doomed="the-token"))
    assert await asyncio.wait_for(told.get(), 5) == "the-token"
    while not model_server.asked:
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)
    editor.client.cancel_request(types.CancelParams("q1"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asked
    assert cancelled.value.code == -32800
    await editor.ask(1, 4)
    assert (await editor.explain(1, 4)).cache == "none"
    assert len(model_server.asked) == 2


async def test_what_the_server_has_already_answers_a_doomed_request_too(start, model_server):
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    answer = await editor.ask(1, 4)
    items = await editor.request(1, 4, doomed="the-token")
    assert items[0].insert_text == answer[0]
