"""Limits of requests and tokens a minute, in any minute."""

import asyncio
from functools import partial

import httpx
import pytest
from msgspec.structs import replace

from server.context import Budget, Surroundings, choose
from server.prompt import Prompt
from server.providers import openai
from server.providers.protocol import AnswerText, OfflineProvider, Request, answer_text
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.rate_limits import LimitedProvider, RateLimits
from server.providers.wrappers.recording import RecordingProvider
from server.settings import AnswerRecord, ProviderSettings
from tests.support.fakes.model_server import FakeScript, FakeStatus
from tests.support.provider_conformance import SUBJECTS

SERVED = {subject.id: subject for subject in SUBJECTS if subject.http}

WINDOW_S = 60.0
NOTICED_S = 1e-3


def request(text="x" * 32):
    context = choose(Surroundings("a.py", "python", text, ""), Budget(100, 100))
    return Request(text, "", "line", context, Prompt(text=text))


@pytest.fixture
def limits_of(virtual_time):
    """A function that gives the limits of some settings, by the clock of the test."""
    return partial(RateLimits.of, window_s=WINDOW_S, now=virtual_time)


@pytest.fixture
def admitted(virtual_time):
    """A function: when (s) each of so many requests was let through, all of which came at once, to one or other of several limits."""

    async def times_of(number, *limits):
        times = []

        async def one(limit):
            await limit.admit(request())
            times.append(virtual_time())

        await asyncio.gather(*(one(limits[index % len(limits)]) for index in range(number)))
        return sorted(times)

    return times_of


def most_in_a_window(times):
    return max(sum(begin <= at < begin + WINDOW_S - NOTICED_S for at in times) for begin in times)


async def test_no_window_has_more_requests_than_its_limit_also_where_all_come_at_once(admitted, limits_of):
    times = await admitted(50, limits_of(ProviderSettings(requests_per_minute=20)))
    assert most_in_a_window(times) <= 20
    # by hand: 2 at once, and then 18 in each window
    assert times[-1] - times[0] == pytest.approx((50 - 2) / 18 * WINDOW_S, abs=NOTICED_S)


async def test_those_who_write_to_one_record_have_the_limit_together(admitted, limits_of, tmp_path):
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"))
    settings = ProviderSettings(requests_per_minute=20, record=record)
    times = await admitted(45, *(limits_of(settings) for _ in range(3)))
    assert most_in_a_window(times) <= 20
    assert times[-1] - times[0] >= (45 - 2) / 18 * WINDOW_S - NOTICED_S


async def test_another_model_has_a_limit_of_its_own_and_a_damaged_file_costs_a_window_at_most(
    admitted, limits_of, virtual_time, tmp_path
):
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"))
    one, two = (ProviderSettings(requests_per_minute=20, record=record, model=model) for model in "ab")
    await admitted(20, limits_of(one))
    began = virtual_time()
    assert (await admitted(2, limits_of(two)))[-1] == pytest.approx(began, abs=NOTICED_S)
    for path in tmp_path.glob("*.rate"):
        path.write_bytes(b"x")
    assert len(await admitted(4, limits_of(one))) == 4
    assert virtual_time() - began <= WINDOW_S


async def test_no_window_has_more_tokens_than_its_limit(admitted, limits_of):
    # each: 32 characters / 3.2 = 10 tokens of the prompt, and 90 of the answer
    times = await admitted(25, limits_of(ProviderSettings(tokens_per_minute=1000, max_tokens=90)))
    assert most_in_a_window(times) <= 10


async def test_a_request_of_more_tokens_than_a_window_has_waits_and_is_let_through(admitted, limits_of):
    times = await admitted(1, limits_of(ProviderSettings(tokens_per_minute=80, max_tokens=90)))
    assert len(times) == 1


def test_without_limits_there_is_nothing_to_wait_for():
    assert RateLimits.of(ProviderSettings()) is None


@pytest.mark.parametrize("name", SERVED)
async def test_each_try_of_a_question_is_admitted_also_those_that_the_server_refused(name):
    script = FakeScript(["ok"], first=[FakeStatus(503), FakeStatus(503)])
    async with SERVED[name].open(script, tries=3) as bench:
        admitted = []

        async def admit():
            admitted.append(len(bench.source.asked))

        answer = bench.provider.complete(replace(bench.request(), admit=admit))
        assert answer_text([piece async for piece in answer])
        assert admitted == [0, 1, 2]


ANSWER = 'data: {"choices": [{"text": "ok", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


async def test_a_server_that_fails_gets_no_more_tries_in_a_window_than_its_limit(limits_of, virtual_time):
    times = []

    def failing(asked):
        times.append(virtual_time())
        if len(times) % 3:
            return httpx.Response(503, text="busy")
        return httpx.Response(200, text=ANSWER, headers={"Content-Type": "text/event-stream"})

    settings = ProviderSettings(name="openai", base_url="http://127.0.0.1:9/v1", requests_per_minute=20)
    inner = openai.make(settings, httpx.MockTransport(failing))
    inner.endpoint.sleep = lambda _: asyncio.sleep(0)
    provider = LimitedProvider(inner, limits_of(settings))
    for _ in range(5):
        assert answer_text([piece async for piece in provider.complete(request())]) == "ok"
    assert len(times) == 15
    # by hand: 2 at once, and then 18 in each window
    assert times[-1] - times[0] == pytest.approx((15 - 2) / 18 * WINDOW_S, abs=NOTICED_S)


class Retrying(OfflineProvider):
    """A provider whose second try is the one that is answered."""

    name = "openai"

    async def complete(self, request):
        await request.admit()
        await request.admit()
        yield AnswerText("ok")


@pytest.mark.parametrize("is_recorded", [False, True])
async def test_what_a_further_try_waits_for_its_limit_is_no_part_of_the_latency(
    limits_of, virtual_time, tmp_path, is_recorded
):
    settings = ProviderSettings(name="openai", requests_per_minute=1)
    limits = limits_of(settings)
    file = AnswerFile(tmp_path / "answers.jsonl")
    recorded = RecordingProvider(
        Retrying(), lambda _: Prompt(), file, settings, "one", limits=limits, clock=virtual_time
    )
    provider = recorded if is_recorded else LimitedProvider(Retrying(), limits, clock=virtual_time)
    began = virtual_time()
    pieces = [piece async for piece in provider.complete(request())]
    assert virtual_time() - began == pytest.approx(WINDOW_S, abs=NOTICED_S)
    assert pieces[-1].at == pytest.approx(0, abs=NOTICED_S)
