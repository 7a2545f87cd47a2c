"""A server in which requests are cancelled at any time keeps no file, socket, thread, task or memory."""

from __future__ import annotations

import asyncio
import random
import time

import psutil
from lsprotocol import types


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
