"""The embedded model itself, and the same model behind its own HTTP server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

pytest.importorskip("xllamacpp")

from server.context import Context
from server.errors import ProviderMissing
from server.providers import gguf, openai
from server.providers.protocol import Request
from server.service import Query, Service
from server.settings import ProviderSettings

CODE = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a"
SERVE = """
import sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.n_ctx, p.n_parallel, p.verbosity, p.cache_ram_mib = sys.argv[1], 2048, 1, 0, 0
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def _request(provider, before: str) -> Request:
    context = Context("a.py", "python", before, "")
    return Request(before, "", "auto", context, provider.prompt(context))


async def test_the_embedded_model_goes_on_with_the_code():
    service = Service(gguf.make(ProviderSettings(max_tokens=24)))
    found = await service.complete(Query("file:///a.py", "python", CODE, "\n", "line"))
    assert (found.outcome, found.text) == ("shown", " - b")
    assert found.tokens < 24
    await service.close()


async def test_closing_the_stream_stops_the_model_before_its_prompt_is_read():
    made = gguf.make(ProviderSettings(max_tokens=200))
    await made.start()
    stream = made.complete(_request(made, CODE * 30))
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.3)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    began = time.monotonic()
    assert "".join([piece async for piece in made.complete(_request(made, CODE))])
    assert time.monotonic() - began < 20
    await made.close()


async def test_an_answer_that_takes_too_long_is_a_failure():
    made = gguf.make(ProviderSettings(max_tokens=500, timeout_s=0.05))
    await made.start()
    with pytest.raises(Exception, match=r"no whole answer within 0\.05 s"):
        _ = [piece async for piece in made.complete(_request(made, CODE * 20))]


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text("no model")
    made = gguf.make(ProviderSettings(model=str(path)))
    with pytest.raises(ProviderMissing, match="cannot be loaded as a GGUF model"):
        asyncio.run(made.start())


async def test_a_real_llama_server_is_streamed_from_and_its_end_is_noticed():
    argv = [sys.executable, "-c", SERVE, str(gguf.bundled_model())]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        base = process.stdout.readline().strip() + "/v1"
        service = Service(openai.make(ProviderSettings(name="openai", base_url=base, max_tokens=24)))
        found = await service.complete(Query("file:///a.py", "python", CODE, "\n", "line"))
        assert (found.outcome, found.text) == ("shown", " - b")
        asked = asyncio.ensure_future(service.complete(Query("file:///a.py", "python", CODE * 20, "\n", "block")))
        await asyncio.sleep(0.3)
        process.kill()
        process.wait()
        began = time.monotonic()
        failed = await asked
        assert failed.outcome == "failed"
        assert time.monotonic() - began < 3
        await service.close()
    finally:
        process.kill()
        process.communicate()
