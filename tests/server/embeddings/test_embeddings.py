"""Embeddings from a server that speaks OpenAI's API, and from the embedded model."""

import json

import httpx
import pytest

from server.embeddings.openai import openai_embedder
from server.errors import ProviderMissing, ProviderRefused, ProviderUnreachable
from server.settings import ProviderSettings

SETTINGS = ProviderSettings(name="openai", model="small", base_url="http://127.0.0.1:1/v1", tries=2)


async def embedded(texts, answer, settings=SETTINGS):
    embedder = openai_embedder(settings, httpx.MockTransport(answer))
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.close()


async def test_texts_are_sent_in_parts_and_their_vectors_come_back_in_order():
    asked = []

    def answer(request):
        body = json.loads(request.content)
        asked.append((str(request.url), body["model"], len(body["input"])))
        rows = [{"index": at, "embedding": [len(text), 0.5]} for at, text in enumerate(body["input"])]
        return httpx.Response(200, json={"data": rows[::-1]})

    found = await embedded(["x" * (at + 1) for at in range(70)], answer)
    assert asked == [
        ("http://127.0.0.1:1/v1/embeddings", "small", 64),
        ("http://127.0.0.1:1/v1/embeddings", "small", 6),
    ]
    assert found[:, 0].tolist() == [float(at + 1) for at in range(70)]


async def test_a_busy_server_is_asked_again():
    turns = [httpx.Response(503, text="busy"), httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0]}]})]
    assert (await embedded(["a"], lambda _: turns.pop(0))).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(401, json={"error": {"message": "bad key"}}), "status 401 for embeddings: bad key"),
        (httpx.Response(200, text="<html>"), "a malformed answer for embeddings"),
        (httpx.Response(200, json={"data": []}), "0 embeddings came for 1 texts"),
    ],
)
async def test_what_is_no_answer_is_refused_with_the_reason(answer, said):
    with pytest.raises(ProviderRefused, match=said):
        await embedded(["a"], lambda _: answer)


async def test_without_a_connection_or_an_address_it_says_so():
    def answer(request):
        raise httpx.ConnectError("refused")

    with pytest.raises(ProviderUnreachable, match="no connection"):
        await embedded(["a"], answer)
    with pytest.raises(ProviderMissing, match="base_url"):
        openai_embedder(ProviderSettings(name="openai"))


async def test_the_key_goes_into_the_header_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1")

    def answer(request):
        assert request.headers["Authorization"] == "Bearer sk-very-secret-1"
        return httpx.Response(400, text="no such key: sk-very-secret-1")

    with pytest.raises(ProviderRefused) as refused:
        await embedded(["a"], answer)
    assert "very-secret" not in str(refused.value)
