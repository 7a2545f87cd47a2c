"""A cancelled request ends the work everywhere: in the service, on the thread, on the socket."""

from __future__ import annotations

import asyncio
import random

import httpx
import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from server.context import Snippet
from server.providers.fixed import Fixed
from server.providers.http import openai_format
from server.providers.http.endpoint import endpoint
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings
from tests.support.answer_pieces import texts
from tests.support.waiting import PATIENCE_S, until


async def test_cancelling_a_request_closes_the_connection_to_the_model_server(start, model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 600, 600
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1"))
    await until(lambda: model_server.asked)
    editor.client.cancel_request(types.CancelParams("q1"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asked
    await asyncio.wait_for(model_server.disconnected.wait(), PATIENCE_S)
    assert cancelled.value.code == -32800
    assert (await editor.explain(1, 4)).outcome == "cancelled"


async def test_a_server_that_says_goodbye_lets_go_of_what_is_under_way(start, model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 100, 600
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4))
    await until(lambda: model_server.asked)
    editor.said_goodbye = True
    await editor.client.shutdown_async(None)
    with pytest.raises(JsonRpcException):
        await asked
    await asyncio.wait_for(model_server.disconnected.wait(), PATIENCE_S)


async def test_a_request_that_will_be_cancelled_reaches_the_provider_and_leaves_nothing_behind(start, model_server):
    """However fast the provider is: the answer to a request that its client cancels must not serve a later one."""
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    told = asyncio.Queue()
    editor.client.feature("ghosttape/underway")(lambda params: told.put_nowait(params.token))
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1", will_cancel="the-token"))
    assert await asyncio.wait_for(told.get(), PATIENCE_S) == "the-token"
    await until(lambda: model_server.asked)
    await asyncio.sleep(0.3)
    editor.client.cancel_request(types.CancelParams("q1"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asked
    assert cancelled.value.code == -32800
    await editor.ask(1, 4)
    assert (await editor.explain(1, 4)).cache == "none"
    assert len(model_server.asked) == 2


async def test_what_the_server_has_already_answers_a_request_that_will_be_cancelled_too(start, model_server):
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    answer = await editor.ask(1, 4)
    items = await editor.request(1, 4, will_cancel="the-token")
    assert items[0].insert_text == answer[0]


def _connections(port):
    """The connections of this process to a port, by state."""
    return [each.status for each in psutil.Process().net_connections("tcp") if each.raddr and each.raddr.port == port]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
async def test_a_second_cancellation_while_a_connection_closes_leaves_it_not_in_the_pool(model_server, turns):
    """More requests than the pool has room for, each cancelled twice: the next one still gets a connection."""
    model_server.pieces, model_server.delay_s = ["x"] * 20, 0.002
    settings = ProviderSettings(name="openai", base_url=model_server.base_url)
    server, draw = endpoint(settings, model_server.base_url, {}), random.Random(turns)

    async def ask():
        reader = openai_format.ChoicesReader()
        return texts([piece async for piece in server.answer("completions", {}, reader.read)])

    for _ in range(120):
        asked = asyncio.ensure_future(ask())
        await asyncio.sleep(draw.choice([0, 0.001, 0.004, 0.03]))
        asked.cancel()
        for _ in range(turns):
            await asyncio.sleep(0)
        asked.cancel()
    await until(lambda: not _connections(httpx.URL(model_server.base_url).port))
    assert await asyncio.wait_for(ask(), PATIENCE_S) == ["x"] * 20
    await server.close()


@pytest.mark.usefixtures("virtual_time")
async def test_a_service_whose_askers_leave_at_random_has_no_task_left():
    provider = Fixed("return 1\n", delay_s=0.001, piece=1)
    service, draw = Service(provider), random.Random(5)
    before = len(asyncio.all_tasks())
    for number in range(1000):
        text = "def f():\n    " + "return 1"[: number % 5]
        query = Query("file:///a.py", "python", text, "\n", others=[Snippet("b.py", str(number // 50))])
        will_cancel = draw.random() < 0.3
        asking = service.complete_until_cancelled(query, lambda: None) if will_cancel else service.complete(query)
        task = asyncio.ensure_future(asking)
        await asyncio.sleep(draw.choice([0, 0, 0.0005, 0.003]))
        if will_cancel or draw.random() < 0.8:
            task.cancel()
    await until(lambda: len(asyncio.all_tasks()) == before)
    assert service.stats()["underway"] == 0
    assert service._shared_requests == {}
    await asyncio.wait_for(service.complete(Query("file:///b.py", "python", "x", "\n")), PATIENCE_S)
