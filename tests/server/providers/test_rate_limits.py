"""Limits of requests and tokens a minute, in any minute."""

import asyncio
import subprocess
import sys
import time

from server.context import Budget, Surroundings, choose
from server.prompt import Prompt
from server.providers.protocol import Request
from server.providers.wrappers.rate_limits import RateLimits
from server.settings import AnswerRecord, ProviderSettings

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
