"""What is particular to OpenAI's API: its forms of a question, and servers that know only some of it."""

from __future__ import annotations

import pytest

from server.context import Context
from server.errors import ProviderMissing, ProviderRefused
from server.providers.openai import make
from server.providers.protocol import Request, answer_text, summarize
from server.settings import ProviderSettings
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus

CONTEXT = Context("a.py", "python", "def f():\n    ", "\nprint(f())\n")


@pytest.fixture
async def server():
    async with FakeModelServer(DIALECTS["openai"]) as fake:
        yield fake


async def _pieces(server, provider=None, **settings):
    made = provider or make(ProviderSettings(name="openai", base_url=f"{server.url}/v1", **settings))
    try:
        request = Request(CONTEXT.before, CONTEXT.after, "auto", CONTEXT, made.prompt(CONTEXT))
        return [piece async for piece in made.complete(request)]
    finally:
        if provider is None:
            await made.close()


async def test_the_file_so_far_is_asked_for_and_its_continuation_streamed(server):
    assert answer_text(await _pieces(server, max_tokens=7)) == "return 1"
    asked = server.asked[0]
    assert asked.route == "/v1/completions"
    assert (asked.body["prompt"], asked.body["max_tokens"], asked.body["stream"]) == (CONTEXT.before, 7, True)


async def test_a_model_known_to_fill_in_the_middle_is_asked_in_its_own_words(server):
    await _pieces(server, model="Qwen2.5-Coder-7B")
    body = server.asked[0].body
    assert body["prompt"] == f"<|fim_prefix|>{CONTEXT.before}<|fim_suffix|>{CONTEXT.after}<|fim_middle|>"
    assert "<|endoftext|>" in body["stop"]


async def test_a_server_that_fills_in_itself_gets_the_suffix_in_a_field(server):
    await _pieces(server, model="Qwen2.5-Coder-7B", api="suffix")
    body = server.asked[0].body
    assert (body["prompt"], body["suffix"]) == (CONTEXT.before, CONTEXT.after)


async def test_chat_follows_the_four_rules(server):
    assert answer_text(await _pieces(server, api="chat")) == "return 1"
    asked = server.asked[0]
    assert asked.route == "/v1/chat/completions"
    rules, question = asked.body["messages"]
    assert [f"\n{number}. " in rules["content"] for number in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
    assert "<CURSOR>" in question["content"]


async def test_auto_moves_to_chat_when_there_is_no_such_route(server):
    server.script = FakeScript(first=[FakeStatus(404, message="not found")])
    provider = make(ProviderSettings(name="openai", base_url=f"{server.url}/v1"))
    assert provider.continues
    pieces = await _pieces(server, provider)
    assert answer_text(pieces) == "return 1"
    assert not provider.continues
    assert "<CURSOR>" in summarize(pieces).prompt
    assert summarize(await _pieces(server, provider)).prompt is None
    routes = [asked.route for asked in server.asked]
    assert routes == ["/v1/completions", "/v1/chat/completions", "/v1/chat/completions"]
    await provider.close()


@pytest.mark.parametrize("model", ["", "m", "deepseek-chat"])
@pytest.mark.parametrize("told", ["The model `{}` does not exist (loading)", "no such Model: {}"])
async def test_a_model_that_is_not_there_yet_is_no_reason_to_chat(server, model, told):
    server.script = FakeScript(first=[FakeStatus(404, message=told.format(model))])
    provider = make(ProviderSettings(name="openai", model=model, base_url=f"{server.url}/v1"))
    with pytest.raises(ProviderRefused, match="answered 404"):
        await _pieces(server, provider)
    assert answer_text(await _pieces(server, provider)) == "return 1"
    assert provider.continues
    assert [asked.route for asked in server.asked] == ["/v1/completions"] * 2
    await provider.close()


async def test_a_model_that_says_it_only_chats_is_chatted_with(server):
    message = "This is a chat model and not supported in the v1/completions endpoint."
    server.script = FakeScript(first=[FakeStatus(404, message=message)])
    assert answer_text(await _pieces(server, model="m")) == "return 1"
    assert server.asked[-1].route == "/v1/chat/completions"


async def test_auto_chats_for_good_only_when_a_chat_was_answered(server):
    server.script = FakeScript(first=[FakeStatus(404, message="not found"), FakeStatus(404, message="not found")])
    provider = make(ProviderSettings(name="openai", base_url=f"{server.url}/v1"))
    with pytest.raises(ProviderRefused, match="answered 404"):
        await _pieces(server, provider)
    assert provider.continues
    await _pieces(server, provider)
    assert server.asked[-1].route == "/v1/completions"
    await provider.close()


async def test_a_route_that_was_chosen_is_not_left(server):
    server.script = FakeScript(first=[FakeStatus(404, message="not found")])
    with pytest.raises(ProviderRefused, match="answered 404"):
        await _pieces(server, api="completions")


@pytest.mark.parametrize("name", ["logprobs", "stream_options", "seed"])
async def test_what_a_server_does_not_know_is_left_out_and_not_sent_again(server, name):
    server.script = FakeScript(first=[FakeStatus(400, message=f"Unrecognized request argument supplied: {name}")])
    provider = make(ProviderSettings(name="openai", base_url=f"{server.url}/v1"))
    for _ in range(2):
        assert answer_text(await _pieces(server, provider)) == "return 1"
    assert [name in asked.body for asked in server.asked] == [True, False, False]
    await provider.close()


@pytest.mark.parametrize("message", ["temperature must be between 0 and 2", "prompt is not supported", "no"])
async def test_a_mistake_of_the_person_is_not_left_out_but_told(server, message):
    server.script = FakeScript(first=[FakeStatus(400, message=message)])
    with pytest.raises(ProviderRefused, match=f"answered 400: {message}"):
        await _pieces(server)
    assert len(server.asked) == 1


async def test_a_long_prompt_may_have_four_stop_sequences_at_most(server):
    await _pieces(server, template="codestral")
    assert len(server.asked[0].body.get("stop", [])) <= 4


def test_a_base_url_is_asked_for():
    with pytest.raises(ProviderMissing, match=r"provider\.base_url"):
        make(ProviderSettings(name="openai"))
