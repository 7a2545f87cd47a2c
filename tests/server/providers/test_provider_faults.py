"""Servers that say too much, too little, too late, or something else altogether: what comes of it, for every provider."""

from __future__ import annotations

import asyncio
import json

import pytest

from server.errors import ProviderError, ProviderRefused
from server.providers.http.endpoint import Endpoint
from server.providers.http.event_stream import EVENT_BYTES
from server.providers.protocol import answer_text, summarize
from tests.support.answer_pieces import text_pieces
from tests.support.fakes.model_server import FakeScript, FakeStatus
from tests.support.provider_conformance import SUBJECTS, Context
from tests.support.waiting import PATIENCE_S, until

SERVED = {subject.id: subject for subject in SUBJECTS if subject.http}
NAMES = tuple(SERVED)
LEADING = ("openai-chat", "llamacpp", "anthropic")
"""Those whose servers say something before the first piece."""


def _open(name, *args, **settings):
    return SERVED[name].open(FakeScript(*args), **settings)


def _said(bench, *events, done=False):
    """An answer of one's own, in the form of the server."""
    if "event" in bench.source.dialect.kind:
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n" * done
    else:
        body = "".join(f"{json.dumps(event)}\n" for event in events)
    bench.source.script.first.append(_whole(bench, body.encode()))


def _whole(bench, body):
    return FakeStatus(200, {"Content-Type": bench.source.dialect.kind}, body=body)


def _deaf(dialect):
    """The same dialect of a server that knows nothing of stop sequences."""

    class Deaf(type(dialect)):
        def parse(self, route, body):
            told = super().parse(route, body)
            return type(told)(told.prompt, told.limit, told.seed, told.temperature, ())

    return Deaf()


@pytest.mark.parametrize("name", NAMES)
async def test_the_limit_of_the_first_piece_is_not_met_by_what_comes_before_it(name, skipping_time):
    async with SERVED[name].open(FakeScript(delay_s=600), first_s=30) as bench:
        asked = asyncio.ensure_future(bench.answer())
        await until(lambda: bench.source.asked)
        await asyncio.sleep(0.05)  # what comes before the first piece arrives
        await skipping_time.skip(31)
        with pytest.raises(ProviderError, match="no answer within 30 s"):
            await asked
        await asyncio.wait_for(bench.source.gone.wait(), PATIENCE_S)


@pytest.mark.parametrize("name", NAMES)
async def test_a_connection_cut_before_the_first_piece_is_tried_again(name):
    async with SERVED[name].open(FakeScript(cut_after=0), tries=3) as bench:
        with pytest.raises(ProviderRefused, match="cut off"):
            await bench.answer()
        assert len(bench.source.asked) == 3


@pytest.mark.parametrize("name", LEADING)
async def test_a_server_that_says_in_its_stream_that_it_is_busy_is_tried_again(name):
    async with _open(name, ["ok"]) as bench:
        dialect = bench.source.dialect
        route = "/v1/chat/completions" if name == "openai-chat" else ""
        bench.source.script.first.append(_whole(bench, dialect.begin(route, 7) + dialect.error("busy")))
        assert await bench.answer() == "ok"
        assert len(bench.source.asked) == 2


async def test_a_wait_that_is_too_long_is_told_with_what_would_wait_for_it():
    async with _open("openai", ["ok"]) as bench:
        bench.source.script.first = [FakeStatus(429, {"Retry-After": "100"}, "slow down")]
        told = r"answered 429: slow down \(it asks to wait 100 s, more than longest_wait_s = 2\)"
        with pytest.raises(ProviderRefused, match=told):
            await bench.answer()
        assert bench.slept == []


async def test_a_route_that_is_not_there_is_told_with_the_usual_mistake():
    async with _open("openai-chat") as bench:
        bench.source.script.first = [FakeStatus(404, body=b"not found"), FakeStatus(404, message="no model m")]
        with pytest.raises(
            ProviderRefused, match=r"404: not found \(the request was for /v1/chat/completions: is a /v1 missing"
        ):
            await bench.answer()
        with pytest.raises(ProviderRefused, match=r"no model m$"):
            await bench.answer()


@pytest.mark.parametrize("code", [200, 403])
async def test_a_web_page_in_place_of_an_answer_is_told_by_its_first_words(code):
    page = (
        b"<!DOCTYPE html><html><head><title>Sign in</title><style>b {}</style></head><body>to the proxy" + b" x" * 999
    )
    async with _open("openai-chat") as bench:
        bench.source.script.first = [FakeStatus(code, {"Content-Type": "text/html"}, body=page)]
        with pytest.raises(
            ProviderRefused, match=r"127\.0\.0\.1:\d+ answered .* web page.*: Sign in to the proxy"
        ) as told:
            await bench.answer()
        assert len(str(told.value)) < 250


async def test_an_error_in_a_stream_that_will_not_pass_is_told_at_once():
    async with _open("openai", ["ok"]) as bench:
        _said(bench, {"error": {"message": "the prompt is too long", "type": "invalid_request_error", "code": 400}})
        with pytest.raises(ProviderRefused, match="too long"):
            await bench.answer()
        assert len(bench.source.asked) == 1


@pytest.mark.parametrize("name", ["openai", "openai-chat"])
async def test_done_is_an_end_also_without_a_reason(name):
    async with _open(name) as bench:
        _said(bench, {"choices": [{"text": "abc"}]}, done=True)
        assert await bench.answer() == "abc"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("pieces", "answer"),
    [(["a", "<e", "nd", "> c"], "a"), (["a<e", "x<"], "a<ex<"), (["ab<end>"], "ab"), (["a", "<en"], "a<en")],
)
async def test_stop_sequences_hold_where_the_server_knows_none(name, pieces, answer):
    async with _open(name, pieces, [-0.5] * 4) as bench:
        bench.source.dialect = _deaf(bench.source.dialect)
        given = await bench.pieces(stops=("<end>", "</s>", "1", "2", "3", "4"))
        assert answer_text(given) == answer
        if SERVED[name].logprobs:
            assert {piece.logprob for piece in text_pieces(given)} == {-0.5}


async def test_all_tries_together_take_no_longer_than_one_answer_may(skipping_time):
    async with _open("openai", ["ok"], timeout_s=200, tries=200) as bench:
        bench.source.script.first = [None] * 200
        bench.provider.endpoint.sleep = lambda _: skipping_time.skip(150)
        with pytest.raises(ProviderError, match="no answer within 200 s"):
            await bench.answer()
        assert len(bench.source.asked) == 2  # at 0 and 150 s: the third would begin at 300 s


async def test_a_wait_that_the_server_asked_for_is_not_part_of_the_time_for_an_answer(skipping_time):
    async with _open("openai", ["ok"], timeout_s=200, longest_wait_s=900) as bench:
        bench.source.script.first = [FakeStatus(429, {"Retry-After": "800"})]
        bench.provider.endpoint.sleep = skipping_time.skip
        assert await bench.answer() == "ok"


@pytest.mark.parametrize("name", NAMES)
async def test_a_piece_of_any_size_gives_an_answer_of_some(name):
    async with _open(name, ["a" + "x" * 94_000, "y"]) as bench:
        assert await bench.answer() == "a" + "x" * 1023
    async with _open(name, ["a" + "x" * 94_000], max_tokens=1000) as bench:
        assert len(await bench.answer()) == 16_000


@pytest.mark.parametrize("name", ["openai", "ollama"])
async def test_an_event_without_an_end_is_refused(name):
    async with _open(name) as bench:
        bench.source.script.first.append(_whole(bench, b"data: " + b"x" * (EVENT_BYTES + 1)))
        with pytest.raises(ProviderRefused, match="more than 4 MiB"):
            await bench.answer()


@pytest.mark.parametrize("name", NAMES)
async def test_half_a_character_in_the_file_is_replaced_and_two_halves_are_put_together(name):
    async with _open(name, ["ok"]) as bench:
        assert await bench.answer(context=Context("a.py", "python", "x = '\ud83d", "'\ny = '\ud83d\ude00'\n")) == "ok"
        told = str(bench.source.asked[0].body)
        assert "x = '\ufffd" in told.replace("\\", "")
        if name not in {"openai", "ollama-raw"}:
            assert "😀" in told


KEY = "sk-MARKED-0123456789"
CHOICE = {"text": "a", "finish_reason": "stop"}
ODD = [
    ("openai", {"choices": [CHOICE | {"logprobs": {"content": 5}}]}),
    ("openai", {"choices": [CHOICE | {"logprobs": {"content": [{"logprob": f"Bearer {KEY}"}]}}]}),
    ("openai", {"choices": [CHOICE | {"logprobs": {"token_logprobs": 5}}]}),
    ("openai", {"choices": [CHOICE | {"logprobs": {"token_logprobs": [None, "x", True]}}]}),
    ("openai", {"choices": [CHOICE], "usage": {"completion_tokens": True, "prompt_tokens": -1}}),
    ("llamacpp", {"content": "a", "stop": True, "completion_probabilities": [{"logprob": None}]}),
    ("llamacpp", {"content": "a", "stop": True, "completion_probabilities": [{"logprob": f"Bearer {KEY}"}]}),
    ("llamacpp", {"content": "a", "stop": True, "completion_probabilities": 7}),
    ("llamacpp", {"content": "a", "stop": True, "tokens_predicted": "many", "tokens_evaluated": {"a": 1}}),
    ("ollama", {"response": "a", "done": True, "logprobs": [{"logprob": f"Bearer {KEY}"}]}),
    ("ollama", {"response": "a", "done": True, "logprobs": 3}),
    ("ollama", {"response": "a", "done": True, "logprobs": [{"logprob": 10**400}]}),
    ("ollama", {"response": "a", "done": True, "eval_count": "x", "prompt_eval_count": 1.5}),
    ("anthropic", {"type": "message", "content": [{"text": 7}, {"text": "a"}], "usage": {"output_tokens": "x"}}),
]


@pytest.mark.parametrize(("name", "event"), ODD)
async def test_what_is_told_of_an_answer_in_another_form_is_passed_over(name, event):
    async with _open(name, logprobs=True) if SERVED[name].logprobs else _open(name) as bench:
        _said(bench, event)
        pieces = await bench.pieces()
        told = summarize(pieces)
        assert answer_text(pieces) == "a"
        assert (told.tokens, told.prompt_tokens, told.confidence) == (1, None, None)


@pytest.mark.parametrize(
    ("name", "event"), [("anthropic", {"type": "message", "content": 5}), ("openai", {"choices": 5}), ("ollama", [1])]
)
async def test_an_answer_in_another_form_is_refused(name, event):
    async with _open(name) as bench:
        _said(bench, event)
        with pytest.raises(ProviderRefused, match="the answer"):
            await bench.answer()


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, AttributeError, OverflowError])
async def test_what_a_reader_stumbles_over_is_a_malformed_answer_and_is_not_said_again(error):
    async with _open("openai") as bench:
        endpoint: Endpoint = bench.provider.endpoint

        def read(event):
            raise error(KEY)

        body = {"prompt": "", "max_tokens": 9, "model": "m"}
        with pytest.raises(ProviderRefused, match="malformed answer") as refused:
            [piece async for piece in endpoint.answer("completions", body, read)]
        assert KEY not in str(refused.value)
