"""How many requests and tokens a minute a provider gets, over all processes that write to one record. Waiting for that is not a part of any latency."""

from __future__ import annotations

import asyncio
import hashlib
import struct
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock
from msgspec.structs import replace

from server.context.budget import CHARACTERS_A_TOKEN
from server.errors import ProviderError
from server.providers.protocol import AnswerMetadata, AnswerPiece, Request
from server.providers.wrappers.wrapper import ProviderWrapper
from server.settings import ProviderSettings

_MINUTE_S = 60.0
_BURST = 0.1
"""The share of a minute's allowance that may be used at once; the rest comes evenly, so that no minute has more than its allowance."""


class _Spent:
    """The time (s since 1970) at which all that was taken so far has flowed in again: in this process, or in a file that several share."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._until = path, 0.0

    def advance(self, step: Callable[[float], float]) -> None:
        """Replace the time by what `step` makes of it, as one action over all processes.

        Raises:
            ProviderError: the file cannot be written.

        """
        if self._path is None:
            self._until = step(self._until)
            return
        try:
            with FileLock(f"{self._path}.lock"):
                self._path.write_bytes(struct.pack("<d", step(self._read())))
        except OSError as error:
            raise ProviderError(f"{self._path} cannot be written: {error.strerror}") from error

    def _read(self) -> float:
        with suppress(FileNotFoundError, struct.error):  # none yet, or cut off by a kill
            return float(struct.unpack("<d", self._path.read_bytes())[0]) if self._path else 0.0
        return 0.0


class _Allowance:
    """An amount a minute, for any minute: a bucket of a tenth of it, into which nine tenths flow in a minute.

    60 a minute: 6 at once, and then one each 1.11 s (generic cell rate algorithm, ITU-T I.371: one number is all that processes share).
    """

    def __init__(
        self,
        a_minute: float,
        window_s: float = _MINUTE_S,
        path: Path | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._burst = max(1.0, a_minute * _BURST)
        self._s_each = window_s / (max(a_minute - self._burst, 0.0) or self._burst)
        self._spent, self._turn, self._now = _Spent(path), asyncio.Lock(), now

    async def take(self, amount: float) -> None:
        """Wait until there is so much, in order of coming; for more than fits into the bucket, until it is full, and then later ones wait."""
        async with self._turn:
            while (wait_s := self._taken(amount)) > 0:  # noqa: ASYNC110 - other processes take too, and set no event here
                await asyncio.sleep(wait_s)

    def seconds(self, amount: float) -> float:
        """How long it takes until so much has flowed in: the longest that its takers wait together, when nothing is there at first."""
        return amount * self._s_each

    def _taken(self, amount: float) -> float:
        """Take an amount and give 0, or take nothing and give the seconds until there may be so much."""
        wait_s = 0.0

        def step(spent: float) -> float:
            nonlocal wait_s
            now = self._now()
            wait_s = max(0.0, spent - now - (self._burst - min(amount, self._burst)) * self._s_each)
            return spent if wait_s else max(spent, now) + amount * self._s_each

        self._spent.advance(step)
        return wait_s


@dataclass(slots=True)
class RateLimits:
    """The limits of one provider. Its tokens are estimated before a request: those of the prompt by its characters, and the longest answer."""

    requests: _Allowance | None
    tokens: _Allowance | None
    max_tokens: int

    @classmethod
    def of(
        cls, settings: ProviderSettings, window_s: float = _MINUTE_S, now: Callable[[], float] = time.time
    ) -> RateLimits | None:
        """The limits that the settings name; None if they name none. Tests take another window than a minute (s), and another clock (s since 1970).

        All processes that record a model's answers in one file have them together: their state lies beside it.
        """
        wanted = {"requests": settings.requests_per_minute, "tokens": settings.tokens_per_minute}
        requests, tokens = (
            None if limit is None else _Allowance(limit, window_s, _shared(settings, what), now)
            for what, limit in wanted.items()
        )
        return cls(requests, tokens, settings.max_tokens) if requests or tokens else None

    def seconds(self, requests: float, tokens: float) -> float:
        """How long (s) so many requests with so many tokens, as estimated, wait at most: 60 requests at 60 a minute 66.7 s."""
        asked = ((self.requests, requests), (self.tokens, tokens))
        return max(0.0 if allowance is None else allowance.seconds(amount) for allowance, amount in asked)

    async def admission(self, request: Request) -> AdmittedTries:
        """Wait until a request may be sent, and give what lets each further try of it through."""
        await self.admit(request)
        return AdmittedTries(self, request)

    async def admit(self, request: Request) -> None:
        """Wait until a request may be sent."""
        if self.tokens is not None:
            await self.tokens.take(len(request.prompt.shown()) / CHARACTERS_A_TOKEN + self.max_tokens)
        if self.requests is not None:
            await self.requests.take(1)


@dataclass(slots=True)
class AdmittedTries:
    """Lets the tries of one request through: the first at once, for it has been admitted, and each further one when the limits allow it."""

    limits: RateLimits
    request: Request
    waited_ms: float = 0.0
    """How long the further tries have waited for the limits."""
    _tries: int = 0

    async def __call__(self) -> None:
        """Wait until one more try may be sent."""
        self._tries += 1
        if self._tries > 1:
            clock = asyncio.get_running_loop().time
            began = clock()
            await self.limits.admit(self.request)
            self.waited_ms += (clock() - began) * 1000


def _shared(settings: ProviderSettings, what: str) -> Path | None:
    """The file in which processes share what they took; None where answers are not recorded, as in an editor."""
    if not settings.record.path:
        return None
    model = hashlib.sha256(f"{settings.name}\0{settings.base_url}\0{settings.model}".encode()).hexdigest()[:12]
    return Path(settings.record.path).with_name(f"{what}-{model}.rate")


@dataclass(slots=True)
class LimitedProvider(ProviderWrapper):
    """A provider that is not asked more often than its limits allow. The pieces of its answers say when they came after the question was sent."""

    limits: RateLimits
    clock: Callable[[], float] = field(default=time.perf_counter)

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer."""
        admission = await self.limits.admission(request)
        began = self.clock()
        taken: Callable[[], float] = lambda: (self.clock() - began) * 1000 - admission.waited_ms  # noqa: E731
        async with aclosing(self.inner.complete(replace(request, admit=admission))) as pieces:
            async for piece in pieces:
                yield replace(piece, at=taken())
        yield AnswerMetadata(at=taken())
