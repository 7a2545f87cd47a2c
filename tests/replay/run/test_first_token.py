"""A replay against a model server that streams: the record says when the first token came."""

import asyncio
import json

import pytest

from replay.run.store import Store
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

FIRST_S, NEXT_S = 0.2, 0.1
PIECES = ("return", " x", " +", " 1")


async def _streams(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    for number, piece in enumerate(PIECES):
        await asyncio.sleep(NEXT_S if number else FIRST_S)
        writer.write(b"data: " + json.dumps({"choices": [{"text": piece}]}).encode() + b"\n\n")
        await writer.drain()
    writer.write(b'data: {"choices": [{"text": "", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
    writer.close()


@pytest.fixture
async def base_url():
    server = await asyncio.start_server(_streams, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    server.close()


def suggestions(folder):
    with Store.open(folder) as store:
        return [record.suggestion for record in store.records() if record.suggestion]


async def played(base_url, folder, **options):
    settings = {"provider": {"name": "openai", "base_url": base_url, "model": "m"}}
    tape = Typist().type("def f(x):\n    return x + 1\n").tape()
    chosen = options_of(settings=settings, tests=False, sandbox="none", **options)
    await run([tape], folder, chosen, cache=folder.parent / "cache")
    return suggestions(folder)


@pytest.mark.parametrize("policy", ["blocks", "pause:50"])
async def test_it_stands_in_the_record_of_an_answer_that_was_streamed(base_url, tmp_path, policy):
    first = await played(base_url, tmp_path / "run", latency="measured", policy=policy, limit=3)
    known = [one for one in first if one.first_token is not None]
    assert known
    assert all(1000 * FIRST_S <= one.first_token <= one.latency - 900 * NEXT_S for one in known)
    assert await played(base_url, tmp_path / "run", latency="measured", policy=policy, limit=3) == first


async def test_it_is_not_known_where_the_latency_is_not_measured(base_url, tmp_path):
    found = await played(base_url, tmp_path / "run", latency="fixed:80", policy="blocks", limit=2)
    assert found
    assert {one.first_token for one in found} == {None}
