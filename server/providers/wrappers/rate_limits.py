"""How many requests and tokens a minute a provider gets. Waiting for that is not a part of any latency."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from aiolimiter import AsyncLimiter

from server.context.budget import CHARACTERS_A_TOKEN
from server.providers.protocol import AnswerMetadata, Request
from server.providers.wrappers.answer_file import with_time
from server.providers.wrappers.wrapper import ProviderWrapper
from server.settings import ProviderSettings

_MINUTE_S = 60.0
_BURST = 0.1
"""The share of a minute's allowance that may be used at once; the rest comes evenly, so that no minute has more than its allowance."""


class _Allowance:
    """An amount a minute, for any minute: a bucket of a tenth of it, into which nine tenths flow in a minute.

    60 a minute: 6 at once, and then one each 1.11 s.
    """

    def __init__(self, a_minute: float, window_s: float = _MINUTE_S) -> None:
        burst = max(1.0, a_minute * _BURST)
        flow = max(a_minute - burst, 0.0) or burst
        self._burst, self._limiter = burst, AsyncLimiter(burst, burst * window_s / flow)

    async def take(self, amount: float) -> None:
        """Wait until there is so much; what is more than fits into the bucket is taken in parts."""
        while amount > 0:
            part = min(amount, self._burst)
            await self._limiter.acquire(part)
            amount -= part


@dataclass(slots=True)
class RateLimits:
    """The limits of one provider. Its tokens are estimated before a request: those of the prompt by its characters, and the longest answer."""

    requests: _Allowance | None
    tokens: _Allowance | None
    max_tokens: int

    @classmethod
    def of(cls, settings: ProviderSettings, window_s: float = _MINUTE_S) -> RateLimits | None:
        """The limits that the settings name; None if they name none. Tests take a shorter window than a minute (s)."""
        requests, tokens = (
            None if limit is None else _Allowance(limit, window_s)
            for limit in (settings.requests_per_minute, settings.tokens_per_minute)
        )
        return cls(requests, tokens, settings.max_tokens) if requests or tokens else None

    async def admit(self, request: Request) -> None:
        """Wait until a request may be sent."""
        if self.tokens is not None:
            await self.tokens.take(len(request.prompt.shown()) / CHARACTERS_A_TOKEN + self.max_tokens)
        if self.requests is not None:
            await self.requests.take(1)


@dataclass(slots=True)
class LimitedProvider(ProviderWrapper):
    """A provider that is not asked more often than its limits allow. The pieces of its answers say when they came after the question was sent."""

    limits: RateLimits
    clock: Callable[[], float] = field(default=time.perf_counter)

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer."""
        await self.limits.admit(request)
        began = self.clock()
        async with aclosing(self.inner.complete(request)) as pieces:
            async for piece in pieces:
                yield with_time(piece, (self.clock() - began) * 1000)
        yield AnswerMetadata(at=(self.clock() - began) * 1000)
