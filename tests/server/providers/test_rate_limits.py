"""Limits of requests and tokens a minute, in any minute."""

import asyncio
import subprocess
import sys
import time

import httpx
import pytest
from msgspec.structs import replace

from server.context import Budget, Surroundings, choose
from server.prompt import Prompt
from server.providers import openai
from server.providers.fakes.model_server import FakeScript, FakeStatus
from server.providers.protocol import OfflineProvider, Request
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.rate_limits import LimitedProvider, RateLimits
from server.providers.wrappers.recording import RecordingProvider
from server.settings import AnswerRecord, ProviderSettings
from tests.support.provider_conformance import SUBJECTS

SERVED = {subject.id: subject for subject in SUBJECTS if subject.http}

WINDOW_S = 0.5


def request(text="x" * 32):
    context = choose(Surroundings("a.py", "python", text, ""), Budget(100, 100))
    return Request(text, "", "line", context, Prompt(text=text))


async def admitted(settings, number, window_s=WINDOW_S):
    """When each of so many requests was let through, all of which came at once."""
    limits = RateLimits.of(settings, window_s)
    times = []

    async def one():
        await limits.admit(request())
        times.append(time.monotonic())

    await asyncio.gather(*(one() for _ in range(number)))
    return sorted(times)


def most_in_a_window(times, window_s=WINDOW_S):
    return max(sum(begin <= at < begin + window_s * 0.98 for at in times) for begin in times)


async def test_no_window_has_more_requests_than_its_limit_also_where_all_come_at_once():
    times = await admitted(ProviderSettings(requests_per_minute=20), 50)
    assert most_in_a_window(times) <= 20
    assert times[-1] - times[0] < WINDOW_S * 3.5


CHILD = """
import asyncio, sys
from tests.server.providers.test_rate_limits import admitted
from server.settings import AnswerRecord, ProviderSettings
settings = ProviderSettings(requests_per_minute=20, record=AnswerRecord(path=sys.argv[1]))
print(*asyncio.run(admitted(settings, 15, 2.0)))
"""


def test_several_processes_with_one_record_have_the_limit_together(tmp_path):
    words = [sys.executable, "-c", CHILD, str(tmp_path / "answers.jsonl")]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    times = sorted(float(time) for process in processes for time in process.communicate(timeout=60)[0].split())
    assert len(times) == 45
    assert most_in_a_window(times, 2.0 - 0.2) <= 20  # a busy machine lets a process go on late
    # by hand: 2 at once, and then 18 in each 2 s; what the processes start late adds to it
    assert times[-1] - times[0] >= (45 - 2) / 18 * 2.0 - 0.2


async def test_another_model_has_a_limit_of_its_own_and_a_damaged_file_costs_a_window_at_most(tmp_path):
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"))
    one, two = (ProviderSettings(requests_per_minute=20, record=record, model=model) for model in "ab")
    await admitted(one, 20)
    began = time.monotonic()
    assert (await admitted(two, 2))[-1] - began < WINDOW_S / 4
    for path in tmp_path.glob("*.rate"):
        path.write_bytes(b"x")
    assert len(await admitted(one, 4)) == 4


async def test_no_window_has_more_tokens_than_its_limit():
    # each: 32 characters / 3.2 = 10 tokens of the prompt, and 90 of the answer
    times = await admitted(ProviderSettings(tokens_per_minute=1000, max_tokens=90), 25)
    assert most_in_a_window(times) <= 10


async def test_a_request_of_more_tokens_than_a_window_has_waits_and_is_let_through():
    times = await admitted(ProviderSettings(tokens_per_minute=80, max_tokens=90), 1)
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
        assert "".join([piece async for piece in answer])
        assert admitted == [0, 1, 2]


ANSWER = 'data: {"choices": [{"text": "ok", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


async def test_a_server_that_fails_gets_no_more_tries_in_a_window_than_its_limit():
    times = []

    def failing(asked):
        times.append(time.monotonic())
        if len(times) % 3:
            return httpx.Response(503, text="busy")
        return httpx.Response(200, text=ANSWER, headers={"Content-Type": "text/event-stream"})

    settings = ProviderSettings(name="openai", base_url="http://127.0.0.1:9/v1", requests_per_minute=20)
    inner = openai.make(settings, httpx.MockTransport(failing))
    inner.endpoint.sleep = lambda _: asyncio.sleep(0)
    provider = LimitedProvider(inner, RateLimits.of(settings, 2.0))
    for _ in range(5):
        assert "".join([piece async for piece in provider.complete(request())]) == "ok"
    assert len(times) == 15
    # by hand: 2 at once, and then 18 in each 2 s
    assert times[-1] - times[0] >= (15 - 2) / 18 * 2.0 - 0.1


class Retrying(OfflineProvider):
    """A provider whose second try is the one that is answered."""

    name = "openai"

    async def complete(self, request):
        await request.admit()
        await request.admit()
        yield "ok"


@pytest.mark.parametrize("is_recorded", [False, True])
async def test_what_a_further_try_waits_for_its_limit_is_no_part_of_the_latency(tmp_path, is_recorded):
    settings = ProviderSettings(name="openai", requests_per_minute=1)
    limits = RateLimits.of(settings, 1.0)
    file = AnswerFile(tmp_path / "answers.jsonl")
    recorded = RecordingProvider(Retrying(), lambda _: Prompt(), file, settings, "one", limits=limits)
    provider = recorded if is_recorded else LimitedProvider(Retrying(), limits)
    began = time.perf_counter()
    pieces = [piece async for piece in provider.complete(request())]
    wall = (time.perf_counter() - began) * 1000
    assert wall > 900
    assert pieces[-1].at < wall - 800
