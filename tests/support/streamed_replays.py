"""Replays against a model server that streams its answers."""

import asyncio
import json
from contextlib import asynccontextmanager
from functools import partial

from replay.run.store import Store
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

PIECES = ("return", " x", " +", " 1")


async def _streams(reader, writer, first_s, next_s):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    for number, piece in enumerate(PIECES):
        await asyncio.sleep(next_s if number else first_s)
        writer.write(b"data: " + json.dumps({"choices": [{"text": piece}]}).encode() + b"\n\n")
        await writer.drain()
    writer.write(b'data: {"choices": [{"text": "", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
    writer.close()


@asynccontextmanager
async def streaming(first_s=0.0, next_s=0.0):
    """The address of a model server that waits so long before its first piece and before each later one."""
    server = await asyncio.start_server(partial(_streams, first_s=first_s, next_s=next_s), "127.0.0.1", 0)
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
