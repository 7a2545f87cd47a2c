"""HTTP providers against a real server, llama.cpp's with the embedded model, and the embedded model itself."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing

import httpx
import pytest

from server.context import Context, Snippet
from server.errors import ProviderMissing, ProviderRefused
from server.providers import gguf, registry
from server.providers.protocol import Request, answer_text, summarize
from server.settings import ProviderSettings
from tests.support.answer_pieces import text_pieces
from tests.support.llama_server import llama_server, with_fill_in_the_middle

pytestmark = pytest.mark.usefixtures("embedded")

CODE = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a"
COUNTING = "".join(f"    {number}: 'item {number}',\n" for number in range(20))
LONG = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n" for number in range(60))
KEY = "the-key-of-the-real-server"


@pytest.fixture(scope="module")
def llama():
    """A server with the bundled model, which knows no fill in the middle, and a key."""
    with llama_server(gguf.bundled_model(), KEY) as (address, _):
        yield address


@pytest.fixture(scope="module")
def filling(tmp_path_factory):
    """A server whose model has tokens of the names that `/infill` asks for."""
    model = with_fill_in_the_middle(gguf.bundled_model(), tmp_path_factory.mktemp("model") / "fim.gguf")
    with llama_server(model) as (address, _):
        yield address
    model.unlink()


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", KEY)


async def _pieces(provider, before=CODE, after="", snippets=(), **asked):
    context = Context("a.py", "python", before, after, snippets=tuple(snippets))
    request = Request(before, after, "auto", context, provider.prompt(context), **asked)
    return [piece async for piece in provider.complete(request)]


def _make(url, **settings):
    return registry.make(ProviderSettings(base_url=url, **settings))


async def test_completions_stream_with_counts_and_log_probabilities(llama):
    provider = _make(f"{llama}/v1", name="openai", max_tokens=3)
    pieces = await _pieces(provider)
    told = summarize(pieces)
    assert [piece.text.rstrip("\n") for piece in text_pieces(pieces)] == [" -", " b", ""]
    assert told.tokens == 3
    assert told.prompt_tokens > 20
    assert all(-20 < piece.logprob <= 0 for piece in text_pieces(pieces))
    assert sum(piece.logprob for piece in text_pieces(pieces)) / 3 == pytest.approx(told.confidence)
    await provider.close()


async def test_chat_streams_with_counts_and_log_probabilities(llama):
    provider = _make(f"{llama}/v1", name="openai", api="chat", max_tokens=5)
    pieces = await _pieces(provider)
    told = summarize(pieces)
    assert told.tokens == 5
    assert told.confidence < 0
    assert len(text_pieces(pieces)) >= 3
    await provider.close()


async def test_the_embedded_model_and_the_server_write_the_same(llama):
    served, embedded = _make(f"{llama}/v1", name="openai", max_tokens=8), gguf.make(ProviderSettings(max_tokens=8))
    assert answer_text(await _pieces(served)) == answer_text(await _pieces(embedded))
    await served.close()
    await embedded.close()


async def test_samples_differ_by_their_seeds_and_repeat_by_them(llama):
    provider = _make(f"{llama}/v1", name="openai", max_tokens=12, temperature=1.5, seed=5)
    first = [answer_text(await _pieces(provider, "import ", sample=sample)) for sample in range(4)]
    again = [answer_text(await _pieces(provider, "import ", sample=sample)) for sample in range(4)]
    assert len(set(first)) > 1
    assert first[1:] == again[1:]
    await provider.close()


async def test_completions_begin_as_half_a_word_was_typed_if_that_is_wanted(llama):
    provider = _make(f"{llama}/v1", name="openai", max_tokens=6, heal=True)
    assert answer_text(await _pieces(provider, "def add(a, b):\n    retu")).startswith("rn a + b")
    await provider.close()


async def test_without_its_key_the_server_refuses(llama):
    provider = _make(f"{llama}/v1", name="openai", use_key=False)
    with pytest.raises(ProviderRefused, match="answered 401: Invalid API Key"):
        await _pieces(provider)
    await provider.close()


async def test_infill_without_such_a_model_is_a_mistake_of_configuration_with_a_hint(llama):
    provider = _make(f"{llama}/v1", name="llamacpp")
    with pytest.raises(ProviderMissing, match="answered 501: Infill is not supported") as refused:
        await _pieces(provider)
    assert "Qwen2.5-Coder" in str(refused.value)
    assert f"--provider openai --base-url {llama}/v1" in str(refused.value)
    await provider.close()


async def test_infill_streams_with_counts_and_log_probabilities(filling):
    provider = _make(filling, name="llamacpp", max_tokens=6)
    pieces = await _pieces(
        provider, "def f(a):\n    ", "\nprint(f(1))\n", [Snippet("b.py", "def g():\n    return 1\n")]
    )
    told = summarize(pieces)
    written = len(text_pieces(pieces))
    assert written > 0
    assert told.tokens - written in {0, 1}  # the one that ends it has no text
    assert told.prompt_tokens > 20
    assert told.confidence < 0
    await provider.close()


async def test_infill_begins_as_half_a_word_was_typed(filling):
    provider = _make(filling, name="llamacpp", max_tokens=6)
    text = answer_text(await _pieces(provider, "def f(a):\n    retu", "\nprint(f(1))\n"))
    assert text.startswith("rn")
    await provider.close()


async def _busy(url):
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {KEY}"}) as client:
        return (await client.get("/slots")).json()[0]["is_processing"]


async def _idle_after(url):
    """Seconds until the server's only slot is free."""
    began = time.monotonic()
    while await _busy(url):
        assert time.monotonic() - began < 120, "the server goes on"
        await asyncio.sleep(0.01)
    return time.monotonic() - began


async def test_a_server_stops_writing_when_its_stream_is_closed(llama):
    provider = _make(f"{llama}/v1", name="openai", max_tokens=3000)
    context = Context("a.py", "python", COUNTING, "")
    async with aclosing(provider.complete(Request(COUNTING, "", "auto", context, provider.prompt(context)))) as stream:
        arrived = []
        async for _ in stream:
            arrived.append(time.monotonic())
            if len(arrived) == 20:
                break
        assert await _busy(llama)
    token = (arrived[-1] - arrived[4]) / 15
    assert await _idle_after(llama) < 50 * token  # of 3000
    await provider.close()


async def test_a_server_stops_reading_a_prompt_when_its_stream_is_closed(filling):
    provider = _make(filling, name="llamacpp", max_tokens=5)
    elsewhere = [Snippet("b.py", LONG)]  # of the document itself such a server takes no more than fits one batch
    asked = asyncio.ensure_future(_pieces(provider, "x = ", snippets=elsewhere))
    while not await _busy(filling):
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)
    assert not asked.done()
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert await _idle_after(filling) < 5.0  # reading all of it takes twice as long
    await provider.close()
