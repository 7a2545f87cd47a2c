"""Limits of requests and tokens a minute, in any minute."""

import asyncio
import time

from server.context import Budget, Surroundings, choose
from server.prompt import Prompt
from server.providers.protocol import Request
from server.providers.wrappers.rate_limits import RateLimits
from server.settings import ProviderSettings

WINDOW_S = 0.5


def request(text="x" * 32):
    context = choose(Surroundings("a.py", "python", text, ""), Budget(100, 100))
    return Request(text, "", "line", context, Prompt(text=text))


async def admitted(settings, number):
    """When each of so many requests was let through, all of which came at once."""
    limits = RateLimits.of(settings, WINDOW_S)
    times = []

    async def one():
        await limits.admit(request())
        times.append(time.monotonic())

    await asyncio.gather(*(one() for _ in range(number)))
    return sorted(times)


def most_in_a_window(times):
    return max(sum(begin <= at < begin + WINDOW_S * 0.98 for at in times) for begin in times)


async def test_no_window_has_more_requests_than_its_limit_also_where_all_come_at_once():
    times = await admitted(ProviderSettings(requests_per_minute=20), 50)
    assert most_in_a_window(times) <= 20
    assert times[-1] - times[0] < WINDOW_S * 3.5


async def test_no_window_has_more_tokens_than_its_limit():
    # each: 32 characters / 3.2 = 10 tokens of the prompt, and 90 of the answer
    times = await admitted(ProviderSettings(tokens_per_minute=1000, max_tokens=90), 25)
    assert most_in_a_window(times) <= 10


async def test_a_request_of_more_tokens_than_a_window_has_waits_and_is_let_through():
    times = await admitted(ProviderSettings(tokens_per_minute=80, max_tokens=90), 1)
    assert len(times) == 1


def test_without_limits_there_is_nothing_to_wait_for():
    assert RateLimits.of(ProviderSettings()) is None
