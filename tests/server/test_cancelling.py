"""A cancelled request ends the work everywhere: in the service, on the thread, on the socket."""

from __future__ import annotations

import asyncio
import random
import time

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


async def test_cancelling_a_request_closes_the_connection_to_the_model_server(start, model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 600, 0.2
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1"))
    while not model_server.asked:
        await asyncio.sleep(0.02)
    began = time.monotonic()
    editor.client.cancel_request(types.CancelParams("q1"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asked
    await asyncio.wait_for(model_server.disconnected.wait(), 60)
    assert cancelled.value.code == -32800
    assert time.monotonic() - began < 60  # an answer takes two minutes
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
    await asyncio.wait_for(model_server.disconnected.wait(), 60)


async def test_a_request_that_will_be_cancelled_reaches_the_provider_and_leaves_nothing_behind(start, model_server):
    """However fast the provider is: the answer to a request that its client cancels must not serve a later one."""
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    told = asyncio.Queue()
    editor.client.feature("ghosttape/underway")(lambda params: told.put_nowait(params.token))
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4, msg_id="q1", will_cancel="the-token"))
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


async def test_what_the_server_has_already_answers_a_request_that_will_be_cancelled_too(start, model_server):
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    answer = await editor.ask(1, 4)
    items = await editor.request(1, 4, will_cancel="the-token")
    assert items[0].insert_text == answer[0]


def _held(editor):
    """What the server's process holds: open files and sockets, threads, MB of memory."""
    child = psutil.Process(editor.client._server.pid)
    return child.num_fds(), child.num_threads(), child.memory_info().rss / 2**20


async def _stats(editor):
    return await editor.client.protocol.send_request_async("ghosttape/stats", None)


async def _storm(editor, draw, requests):
    """Ask again and again while typing, and cancel most requests at some time or other; how many were answered after all."""
    outcomes, version = [], 1000 * draw.randrange(1, 1000)
    for number in range(requests):
        version += 1
        editor.change(version, (1, 4, 1, 4 if number % 20 else 99, draw.choice("xyz")))
        outcomes.append(asyncio.ensure_future(editor.request(1, 5, msg_id=f"{version}")))
        await asyncio.sleep(draw.choice([0, 0, 0.001, 0.004, 0.03]))
        if draw.random() < 0.9:
            editor.client.cancel_request(types.CancelParams(f"{version}"))
    told = await asyncio.wait_for(asyncio.gather(*outcomes, return_exceptions=True), 300)
    assert {outcome.code for outcome in told if isinstance(outcome, Exception)} <= {-32800}
    return sum(not isinstance(outcome, Exception) for outcome in told)


async def test_a_thousand_requests_with_random_cancellations_leave_nothing_behind(start, model_server):
    model_server.pieces, model_server.delay_s = ["x", "y", "\n", "z"] * 5, 0.002
    editor = await start(
        {"provider": {"name": "openai", "base_url": model_server.base_url}, "cache": {"explanations": 20}}
    )
    editor.open("def f():\n    ")
    draw = random.Random(4)
    await _storm(editor, draw, 100)
    files, threads, memory = _held(editor)
    tasks = (await _stats(editor)).tasks
    answered = await _storm(editor, draw, 1000)
    assert 50 < answered < 950
    model_server.pieces, model_server.delay_s = ["return 1"], 0.0
    began = time.monotonic()
    editor.change(2_000_000, (1, 4, 1, 99, "return"))
    assert await editor.ask(1, 10) is not None
    assert time.monotonic() - began < 20  # the model is free for the next one
    told = await _stats(editor)
    assert (told.underway, told.waiting) == (0, 0)
    assert told.tasks <= tasks
    until = time.monotonic() + 10  # what is cancelled closes its files a little later
    while (now := _held(editor))[0] > files + 2 and time.monotonic() < until:
        await asyncio.sleep(0.1)
    assert now[0] <= files + 2
    assert now[1] <= threads
    assert now[2] - memory < 30


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
        return [piece async for piece in server.answer("completions", {}, openai_format.ChoicesReader().read) if piece]

    for _ in range(150):
        asked = asyncio.ensure_future(ask())
        await asyncio.sleep(draw.choice([0, 0.001, 0.004, 0.03]))
        asked.cancel()
        for _ in range(turns):
            await asyncio.sleep(0)
        asked.cancel()
    await asyncio.sleep(1)
    assert _connections(httpx.URL(model_server.base_url).port) == []
    assert await asyncio.wait_for(ask(), 30) == ["x"] * 20
    await server.close()


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
    await asyncio.sleep(0.1)
    assert len(asyncio.all_tasks()) == before
    assert service.stats()["underway"] == 0
    assert service._flights == {}
    await asyncio.wait_for(service.complete(Query("file:///b.py", "python", "x", "\n")), 1)
