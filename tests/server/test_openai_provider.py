"""The HTTP provider against a server that behaves, and against every way in which one does not."""

from __future__ import annotations

import asyncio
import json
import logging
import time

import pytest

from server.context import Context
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.prompt import Prompt
from server.providers.openai import make
from server.providers.protocol import Request
from server.settings import ProviderSettings

CONTEXT = Context("a.py", "python", "def f():\n    ", "\nprint(f())\n")


async def _answer(server, **settings) -> str:
    provider = make(ProviderSettings(name="openai", base_url=server.base_url, **settings))
    try:
        request = Request(CONTEXT.before, CONTEXT.after, "auto", CONTEXT, Prompt())
        return "".join([piece async for piece in provider.complete(request)])
    finally:
        await provider.close()


async def test_the_file_so_far_is_asked_for_and_its_continuation_streamed(model_server):
    assert await _answer(model_server, max_tokens=7) == "return 1"
    route, body, _ = model_server.asked[0]
    assert route == "/v1/completions"
    assert (body["prompt"], body["max_tokens"], body["stream"]) == (CONTEXT.before, 7, True)


async def test_a_model_known_to_fill_in_the_middle_is_asked_in_its_own_words(model_server):
    await _answer(model_server, model="Qwen2.5-Coder-7B")
    _, body, _ = model_server.asked[0]
    assert body["prompt"] == f"<|fim_prefix|>{CONTEXT.before}<|fim_suffix|>{CONTEXT.after}<|fim_middle|>"
    assert "<|endoftext|>" in body["stop"]


async def test_chat_follows_the_four_rules(model_server):
    assert await _answer(model_server, api="chat") == "return 1"
    route, body, _ = model_server.asked[0]
    assert route == "/v1/chat/completions"
    assert body["messages"][0]["content"].count("\n") == 4
    assert "<CURSOR>" in body["messages"][1]["content"]


async def test_auto_moves_to_chat_when_there_is_no_such_route(model_server):
    model_server.statuses = [(404, {}, b"not found")]
    assert await _answer(model_server) == "return 1"
    assert [route for route, _, _ in model_server.asked] == ["/v1/completions", "/v1/chat/completions"]


async def test_too_many_requests_are_tried_again_after_the_named_time(model_server):
    model_server.statuses = [(429, {"Retry-After": "0.2"}, b"{}"), (503, {}, b"busy")]
    began = time.monotonic()
    assert await _answer(model_server) == "return 1"
    assert time.monotonic() - began > 0.2
    assert len(model_server.asked) == 3


async def test_a_long_retry_after_is_a_failure_at_once(model_server):
    model_server.statuses = [(429, {"Retry-After": "60"}, b'{"error": {"message": "slow down"}}')]
    with pytest.raises(ProviderRefused, match="answered 429: slow down"):
        await _answer(model_server)
    assert len(model_server.asked) == 1


async def test_a_refusal_is_not_tried_again_and_says_why(model_server):
    model_server.statuses = [(401, {}, b'{"error": {"message": "no such key"}}')]
    with pytest.raises(ProviderRefused, match="answered 401: no such key"):
        await _answer(model_server)
    assert len(model_server.asked) == 1


async def test_a_cut_stream_is_a_failure(model_server):
    model_server.cut_after = 1
    with pytest.raises(ProviderRefused, match="middle of the answer"):
        await _answer(model_server)


async def test_a_stream_that_stalls_is_a_failure_after_the_timeout(model_server):
    model_server.delay_s = 5
    began = time.monotonic()
    with pytest.raises(ProviderError, match=r"within 0\.3 s"):
        await _answer(model_server, timeout_s=0.3)
    assert time.monotonic() - began < 3


async def test_malformed_json_is_a_failure(model_server):
    model_server.statuses = [(200, {"Content-Type": "application/json"}, b"<html>")]
    with pytest.raises(ProviderRefused, match="not JSON"):
        await _answer(model_server)


async def test_a_server_that_is_not_there_fails_within_three_seconds(model_server):
    model_server.base_url = "http://127.0.0.1:9/v1"
    began = time.monotonic()
    with pytest.raises(ProviderError, match="no connection"):
        await _answer(model_server)
    assert time.monotonic() - began < 3


async def test_the_key_goes_into_one_header_and_nowhere_else(model_server, monkeypatch, caplog):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "tell-nobody")
    caplog.set_level(logging.DEBUG)
    model_server.statuses = [(400, {}, b'{"error": "bad"}')]
    with pytest.raises(ProviderRefused) as refused:
        await _answer(model_server)
    _, body, headers = model_server.asked[0]
    assert headers["authorization"] == "Bearer tell-nobody"
    assert "tell-nobody" not in json.dumps(body) + str(refused.value) + caplog.text


async def test_closing_the_stream_closes_the_connection(model_server):
    model_server.pieces, model_server.delay_s = ["x"] * 50, 0.1
    provider = make(ProviderSettings(name="openai", base_url=model_server.base_url))
    stream = provider.complete(Request(CONTEXT.before, CONTEXT.after, "auto", CONTEXT, Prompt()))
    assert await anext(stream) == "x"
    await stream.aclose()
    await asyncio.wait_for(model_server.disconnected.wait(), 3)
    await provider.close()


def test_a_base_url_is_asked_for():
    with pytest.raises(ProviderMissing, match=r"provider\.base_url"):
        make(ProviderSettings(name="openai"))


async def test_a_stream_that_drips_for_ever_ends_with_the_timeout(model_server):
    model_server.pieces, model_server.delay_s = ["x "] * 1000, 0.05
    began = time.monotonic()
    with pytest.raises(ProviderError, match=r"no end of the answer within 0\.5 s"):
        await _answer(model_server, timeout_s=0.5, max_tokens=500)
    assert time.monotonic() - began < 5


async def test_no_more_is_taken_than_was_asked_for(model_server):
    model_server.pieces = ["x"] * 1000
    assert await _answer(model_server, max_tokens=7) == "x" * 7
