"""What is particular to Ollama and to Anthropic, and the dates of Retry-After."""

from __future__ import annotations

import time

import pytest

from server.context import Context
from server.providers import anthropic, ollama
from server.providers.http.refusals import retry_after_s
from server.providers.protocol import Request, answer_text
from server.settings import ProviderSettings
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus

NOW = 1_767_225_600.0
"""2026-01-01, 00:00:00 UTC."""


async def _asked(module, script, before="def f():\n    ", **settings):
    """The answer, and the bodies of the requests; several texts before the cursor are one request each."""
    name = module.__name__.rsplit(".", 1)[-1]
    texts = []
    async with FakeModelServer(DIALECTS[name], script) as server:
        provider = module.make(ProviderSettings(name=name, model="m", base_url=server.url, **settings))
        for each in [before] if isinstance(before, str) else before:
            context = Context("a.py", "python", each, "\n")
            request = Request(each, "\n", "auto", context, provider.prompt(context))
            texts.append(answer_text([piece async for piece in provider.complete(request)]))
        await provider.close()
        return texts[-1], [asked.body for asked in server.asked]


def _windows(bodies):
    return [body["options"]["num_ctx"] for body in bodies]


async def test_ollama_is_told_how_much_it_has_to_take_in():
    assert _windows((await _asked(ollama, FakeScript()))[1]) == [4096]
    assert _windows((await _asked(ollama, FakeScript(), max_tokens=5000))[1]) == [8192]
    assert _windows((await _asked(ollama, FakeScript(), "x" * 40_000, api="chat"))[1]) == [32768]


async def test_what_ollama_is_to_take_in_never_shrinks_as_it_would_load_the_model_again():
    _, bodies = await _asked(ollama, FakeScript(), ["x", "x" * 12_000, "x"])
    assert _windows(bodies) == [4096, 8192, 8192]


async def test_ollamas_options_can_be_set():
    _, bodies = await _asked(ollama, FakeScript(), options={"num_ctx": 2048, "top_k": 5})
    assert (bodies[0]["options"]["num_ctx"], bodies[0]["options"]["top_k"]) == (2048, 5)
    assert bodies[0]["options"]["num_predict"] == 64


@pytest.mark.parametrize(
    ("before", "pieces", "text"),
    [
        ("    return ", [" a + b"], "a + b"),
        ("    return ", [" ", " a"], " a"),
        ("    return  ", [" ", "", " a", " b"], "a b"),
        ("    return ", ["a", " b"], "a b"),
        ("    return", [" a"], " a"),
        ("    ", ["  a"], "  a"),
    ],
)
async def test_blanks_that_were_cut_from_a_prefilled_turn_are_not_said_twice(before, pieces, text):
    answer, bodies = await _asked(anthropic, FakeScript(pieces), before, prefill=True)
    assert answer == text
    last = bodies[0]["messages"][-1]
    assert (last["role"] == "assistant") is bool(before.strip())


async def test_without_prefill_an_answer_begins_as_it_began():
    assert (await _asked(anthropic, FakeScript([" a + b"]), "    return "))[0] == " a + b"
    refused = FakeStatus(400, message="Prefilling assistant messages is not supported for this model.")
    assert (await _asked(anthropic, FakeScript([" a"], first=[refused]), "    return ", prefill=True))[0] == " a"


@pytest.fixture
def new_york(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("Thu, 01 Jan 2026 00:00:01 -0000", 1.0),
        ("Thu Jan  1 00:00:01 2026", 1.0),
        ("Thu, 01 Jan 2026 00:00:01 GMT", 1.0),
        ("Thu, 01 Jan 2026 00:00:01 +9999999999999", None),
        ("Mon, 01 Jan 0001 00:00:00 -0000", 0.0),
        ("nan", None),
        ("inf", None),
        ("-5", None),
        ("²", None),
        ("", None),
        ("1.5", 1.5),
    ],
)
def test_a_date_without_a_zone_is_one_of_greenwich_and_what_means_nothing_says_nothing(new_york, value, wait):
    assert retry_after_s({"retry-after": value}, NOW) == wait
