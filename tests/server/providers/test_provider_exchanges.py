"""Exchanges with servers that cannot run here, as their API descriptions show them: tests/server/providers/exchanges."""

from __future__ import annotations

import importlib
import json
import tomllib
from pathlib import Path

import httpx
import pytest

from server.context import Context
from server.errors import ProviderError
from server.providers.protocol import Request, answer_text, summarize
from server.settings import ProviderSettings

CASES = sorted((Path(__file__).parent / "exchanges").glob("*.toml"))


class Transport(httpx.AsyncBaseTransport):
    """Checks each request against its exchange, and gives the bytes of its answer, a few at a time."""

    def __init__(self, exchanges) -> None:
        self.left = list(exchanges)

    async def handle_async_request(self, request):
        exchange = self.left.pop(0)
        body = json.loads(await request.aread())
        assert request.url.path == exchange["route"]
        assert {name: body.get(name) for name in exchange["asked"]} == exchange["asked"]
        assert not set(exchange.get("lacks", ())) & set(body)
        assert {name: request.headers.get(name) for name in exchange.get("headers", {})} == exchange.get("headers", {})
        if "last" in exchange:
            assert body["messages"][-1] == exchange["last"]
        headers = {"content-type": exchange["type"]}
        return httpx.Response(exchange.get("status", 200), headers=headers, stream=_Bytes(exchange["body"].encode()))


class _Bytes(httpx.AsyncByteStream):
    def __init__(self, data) -> None:
        self.data = data

    async def __aiter__(self):
        for start in range(0, len(self.data), 7):
            yield self.data[start : start + 7]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_an_exchange_is_read_as_its_api_says(path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
    case = tomllib.loads(path.read_text("utf-8"))
    settings, expected = case["settings"], case["expected"]
    before = settings.pop("context", "def add(a, b):\n    ")
    transport = Transport(case["exchange"])
    provider = importlib.import_module(f"server.providers.{settings['name']}").make(
        ProviderSettings(**settings), transport
    )
    context = Context("a.py", "python", before, "\nprint(add(1, 2))\n")
    request = Request(before, context.after, "auto", context, provider.prompt(context))
    pieces, reason = [], ""
    try:
        async for piece in provider.complete(request):
            pieces += [piece]
    except ProviderError as error:
        reason = str(error)
    told = summarize(pieces)
    assert not transport.left
    assert expected.get("fails", "") in reason
    assert bool(reason) == ("fails" in expected)
    assert answer_text(pieces) == expected.get("text", "")
    counted = {"tokens": told.tokens, "prompt_tokens": told.prompt_tokens, "confidence": told.confidence}
    assert {name: counted[name] for name in counted if name in expected} == {
        name: expected[name] for name in counted if name in expected
    }
    await provider.close()


async def test_what_a_model_refused_is_not_sent_to_it_again():
    case = tomllib.loads((Path(__file__).parent / "exchanges/openai-new-parameters.toml").read_text("utf-8"))
    last = case["exchange"][-1]
    transport = Transport([*case["exchange"], last])
    provider = importlib.import_module("server.providers.openai").make(ProviderSettings(**case["settings"]), transport)
    context = Context("a.py", "python", "def add(a, b):\n    ", "")
    request = Request(context.before, "", "auto", context, provider.prompt(context))
    for _ in range(2):
        assert answer_text([piece async for piece in provider.complete(request)]) == "return a + b"
    assert not transport.left
    await provider.close()
