"""Completion as a service without LSP: context → prompt → provider → repair, with a cache of answers.

One answer is given per document version, place and hint: the same question shares the answer (in flight or kept). An
answer serves as well while the person types it as suggested. It serves no longer when a document has changed that was open when
it was given, or a file of which its prompt showed a piece. When the last one who waits for an answer is cancelled, the provider is.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from server.api_keys import log_fault, masked
from server.cache import Cache, CacheGroup, Hit, follows
from server.context import Budget, Surroundings, choose, unix
from server.errors import ProviderError, ProviderMissing, ProviderOverdue
from server.providers.protocol import AnswerPiece, AnswerText, Provider, Request, proposes_edits, summarize
from server.providers.registry import edit_providers
from server.queries import CompletionResult, Query
from server.repair.chain import normalised
from server.repair.draft import Draft
from server.repair.offer import enough, offered
from server.request_counts import stats_of
from server.settings import ContextSettings, RepairName, Settings
from syntax.languages import Language, language_of


@dataclass(slots=True, eq=False)
class _SharedRequest:
    """A question under way, and those who wait for its answer."""

    query: Query
    spot: CacheGroup
    task: asyncio.Task[None] = field(init=False)
    waiting: list[asyncio.Future[CompletionResult]] = field(default_factory=list)

    def waiters(self) -> list[asyncio.Future[CompletionResult]]:
        """Those who still wait: one may just have been cancelled."""
        return [waiter for waiter in self.waiting if not waiter.done()]


@dataclass(slots=True)
class Service:
    """Answers questions with one provider.

    `counts` can be shared with other services; `misconfigured` is called with what the provider lacks.
    """

    provider: Provider
    settings: Settings = field(default_factory=Settings)
    clock: Callable[[], float] = time.perf_counter
    _kept: Cache[CompletionResult] = field(init=False)
    _shared_requests: dict[CacheGroup, list[_SharedRequest]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    misconfigured: Callable[[ProviderMissing], None] = field(default=lambda _: None)

    def __post_init__(self) -> None:
        """Make room for the answers."""
        self._kept = Cache(self.settings.cache.entries, self.settings.cache.max_bytes)

    @property
    def budget(self) -> Budget:
        """Tokens by section: what suits the provider, but for what the settings say."""
        return _overridden(self.provider.budget, self.settings.context)

    @property
    def _rules(self) -> tuple[Sequence[RepairName], str]:
        return self.settings.repairs, self.settings.paper_rules

    async def complete(self, query: Query) -> CompletionResult:
        """Answer one question. A provider's failure is an answer too (`outcome` failed, with its `reason`)."""
        started = self.clock()
        with self._counted():
            return self._answered(self._reused(query) or await self._await_shared(query), started)

    async def complete_until_cancelled(
        self, query: Query, under_way: Callable[[], None], patience: float = 0.0
    ) -> CompletionResult:
        """Answer one question whose asker cancels it after `patience` ms, going by the provider's record where that keeps times.

        An answer that is kept here is used in any case. With a patience of 0 the provider is asked and the answer is not kept, however
        fast it is. `under_way` is called when the answer is known to be too late; then this waits to be cancelled.
        """
        started, query = self.clock(), replace(query, patience=patience)
        with self._counted():
            suggestion = self._reused(query)
            if suggestion is None and patience:
                suggestion = await self._await_shared(query)
            if suggestion is not None and suggestion.outcome != "cancelled":
                return self._answered(suggestion, started)
            if suggestion is None:
                await self._run_until_cancelled(query, under_way)
            under_way()
            await asyncio.Event().wait()
        raise AssertionError("nothing ends the wait but being cancelled")

    async def propose(self, query: Query) -> CompletionResult:
        """Ask for the next edit. The result has the raw answer (`server.edit_answers`); a provider's failure is an answer too."""
        started = self.clock()
        with self._counted():
            return self._answered(await self._proposed(query), started)

    async def _proposed(self, query: Query) -> CompletionResult:
        if not proposes_edits(self.provider):
            reason = f"provider {self.provider.name!r} proposes no edits: choose one of {', '.join(edit_providers())}"
            return CompletionResult(outcome="failed", reason=reason, provider=self.provider.name)
        request = replace(self._request(query), asks="edit", edited=tuple(query.edited), paths=query.paths)

        async def gather(pieces: _Pieces) -> None:
            async with aclosing(self.provider.complete(request)) as stream:
                async for piece in stream:
                    pieces.take(piece)

        return await self._raw_answer(request, gather)

    async def _run_until_cancelled(self, query: Query, under_way: Callable[[], None]) -> None:
        asking = asyncio.create_task(self._ask(query))
        asking.add_done_callback(_looked_at)
        try:
            await asyncio.sleep(0)
            under_way()
            await asyncio.Event().wait()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    def stats(self) -> dict[str, Any]:
        """What was asked so far: answers by where they came from and by what became of them; and what the cache holds.

        `outdated` answers were dropped for an edit elsewhere, `evicted` ones to make room; `bytes` is about what the kept ones take.
        """
        return stats_of(self.counts, self._kept, sum(map(len, self._shared_requests.values())))

    async def close(self) -> None:
        """Cancel what is under way and let go of the provider."""
        for shared in [shared for requests in self._shared_requests.values() for shared in requests]:
            shared.task.cancel()
            for waiter in shared.waiters():
                waiter.cancel()
        await self.provider.close()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self.counts["asked"] += 1
        try:
            yield
        except asyncio.CancelledError:
            self.counts["outcome cancelled"] += 1
            raise

    def _answered(self, suggestion: CompletionResult, started: float) -> CompletionResult:
        self.counts[f"cache {suggestion.cache}"] += 1
        self.counts[f"outcome {suggestion.outcome}"] += 1
        return replace(suggestion, latency=(self.clock() - started) * 1000)

    def _reused(self, query: Query) -> CompletionResult | None:
        wanted, spot = self.settings.cache, query.spot
        hit = self._kept.asked_before(spot, query.before, query.stands) if wanted.prefix else None
        if hit is not None:
            return replace(hit.answer, cache="prefix")
        hit = self._kept.typed_along(spot, query.before, query.stands) if wanted.typed else None
        return None if hit is None else _rest(hit)

    async def _await_shared(self, query: Query) -> CompletionResult:
        for shared in list(self._shared_requests.get(query.spot, ())) if self.settings.cache.inflight else ():
            if shared.task.done() or shared.task.cancelling():
                continue  # it is answered, or its last waiter left, while this one waited for another
            typed = len(query.before) - len(shared.query.before)
            if query.continues(shared.query) and (self.settings.cache.typed or not typed):
                answer = await self._join(shared)
                if not typed:
                    return replace(answer, cache="inflight")
                if follows(answer.text, query.before, typed):
                    return replace(_rest(Hit(answer, typed)), cache="inflight")
        return await self._join(self._start_shared(query))

    def _start_shared(self, query: Query) -> _SharedRequest:
        shared = _SharedRequest(query, query.spot)
        shared.task = asyncio.create_task(self._run_shared(shared))
        self._shared_requests.setdefault(shared.spot, []).append(shared)
        return shared

    async def _run_shared(self, shared: _SharedRequest) -> None:
        """Ask, and tell all who wait; by the task itself, for a callback of it would come a turn of the loop later."""
        try:
            answer = await self._ask(shared.query)
        except asyncio.CancelledError:
            for waiter in shared.waiters():
                waiter.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is waited for
            for waiter in shared.waiters():
                waiter.set_exception(error)
        else:
            self._resolve(shared, answer)
        finally:
            self._forget(shared)

    def _resolve(self, shared: _SharedRequest, answer: CompletionResult) -> None:
        """Give the answer to all waiters. An empty one is not kept: with another document open there may be something to say."""
        if answer.text and self.settings.cache.entries:
            query, elsewhere = shared.query, shared.query.elsewhere(answer.sources)
            self._kept.keep(shared.spot, query.before, elsewhere, answer, text=answer.text, size=answer.size)
        for waiter in shared.waiters():
            waiter.set_result(answer)

    async def _join(self, shared: _SharedRequest) -> CompletionResult:
        waiter: asyncio.Future[CompletionResult] = asyncio.get_running_loop().create_future()
        shared.waiting.append(waiter)
        try:
            return await waiter
        finally:
            shared.waiting.remove(waiter)
            if not shared.waiting:
                self._forget(shared)  # at once: who asks before the task has ended must not wait for it
                shared.task.cancel()

    def _forget(self, shared: _SharedRequest) -> None:
        requests = self._shared_requests.get(shared.spot, [])
        if shared in requests:
            requests.remove(shared)
        if not requests:
            self._shared_requests.pop(shared.spot, None)

    async def _raw_answer(self, request: Request, gather: Callable[[_Pieces], Awaitable[None]]) -> CompletionResult:
        """What the provider answers, as `gather` takes its pieces; its failure is an answer too."""
        sources = tuple(sorted({piece.path for piece in request.context.elsewhere}))
        start = CompletionResult(prompt=request.prompt.shown(), provider=self.provider.name, sources=sources)
        pieces = _Pieces(self.clock)
        try:
            await gather(pieces)
        except ProviderOverdue:
            return replace(_with_metadata(start, pieces), outcome="cancelled")
        except ProviderError as error:
            if isinstance(error, ProviderMissing):
                self.misconfigured(error)
            return replace(_with_metadata(start, pieces), outcome="failed", reason=masked(str(error)))
        except Exception as error:  # noqa: BLE001 - a fault of a provider is its failure, of whatever kind; it is logged
            return replace(_with_metadata(start, pieces), outcome="failed", reason=log_fault(error))
        return _with_metadata(start, pieces)

    async def _ask(self, query: Query) -> CompletionResult:
        request = self._request(query)
        draft = Draft(_language(query), query.before, query.after, "", query.stop)
        length = 0

        async def gather(pieces: _Pieces) -> None:
            nonlocal length
            length = await self._gather(request, normalised(draft), pieces, query.streamed)

        raw_answer = await self._raw_answer(request, gather)
        if raw_answer.outcome in {"failed", "cancelled"}:
            return raw_answer
        if not raw_answer.covered:
            return self._repaired(raw_answer, draft, length)
        made = self._repaired(raw_answer, replace(draft, after=query.after[raw_answer.covered :]), length)
        if made.text == raw_answer.raw:
            return replace(made, covered=raw_answer.covered)
        raw_answer = replace(raw_answer, covered=0)  # what is left of an answer may stand in for less
        return self._repaired(raw_answer, draft, length)

    def _request(self, query: Query) -> Request:
        path = query.path or query.uri.rsplit("/", 1)[-1]
        around = Surroundings(
            path,
            query.language,
            query.before,
            query.after,
            query.others,
            query.edited,
            query.files,
            query.repo,
            tuple(query.evidence),
        )
        context = choose(around, self.budget)
        others = tuple(other.text for other in query.others)
        return Request(
            query.before,
            query.after,
            query.stop,
            context,
            self.provider.prompt(context),
            others,
            uri=query.uri,
            language=query.language,
            opened=tuple(query.opened),
            sample=query.sample,
            patience=query.patience,
        )

    async def _gather(
        self, request: Request, draft: Draft, pieces: _Pieces, streamed: Callable[[str], None] | None
    ) -> int:
        """Take pieces until they go past the end of what is wanted; gives how many characters of them count."""
        seen = 0
        async with aclosing(self.provider.complete(request)) as stream:
            async for piece in stream:
                pieces.take(piece)
                text = unix(pieces.text)
                if isinstance(piece, AnswerText) and piece.text.endswith("\r"):
                    text = text[:-1]  # the other half of a line end may follow
                ends = enough(replace(draft, text=text), *self._rules, since=seen)
                if ends is not None:
                    return ends
                if streamed is not None:
                    streamed(text)
                seen = len(text)
        return len(unix(pieces.text))

    def _repaired(self, raw: CompletionResult, draft: Draft, length: int) -> CompletionResult:
        if not raw.raw.strip():
            return raw
        made = offered(replace(draft, text=raw.raw), *self._rules, length=length)
        if not made.text:
            return replace(raw, trail=made.trail, outcome="filtered", step=made.step or "")
        return replace(raw, text=made.text, covered=made.covered, trail=made.trail, outcome="shown")


class _Pieces:
    """The pieces of an answer, and how long after the question (ms) the first one with text came."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.taken: list[AnswerPiece] = []
        self.text = ""
        self._clock, self._began, self._first, self._texts = clock, clock(), 0.0, 0

    def take(self, piece: AnswerPiece) -> None:
        if isinstance(piece, AnswerText) and piece.text:
            if not self._texts:
                self._first = (self._clock() - self._began) * 1000
            self._texts += 1
            self.text += piece.text
        self.taken.append(piece)

    def first_token(self, recorded: float | None) -> float | None:
        """The time of the first piece, as a record says it or as measured; None for an answer in one piece, which tells nothing of it."""
        return (self._first if recorded is None else recorded) if self._texts > 1 else None


def _with_metadata(start: CompletionResult, pieces: _Pieces) -> CompletionResult:
    """The raw answer with what its pieces tell of it; the prompt may have been worded anew for a server that wanted that."""
    metadata = summarize(pieces.taken)
    return replace(
        start,
        raw=pieces.text,
        prompt=start.prompt if metadata.prompt is None else metadata.prompt,
        tokens=metadata.tokens,
        prompt_tokens=metadata.prompt_tokens,
        confidence=metadata.confidence,
        covered=metadata.covers or 0,
        ticket=metadata.ticket or "",
        elapsed=metadata.elapsed,
        first_token=pieces.first_token(metadata.first),
        finish=metadata.finish,
    )


def _language(query: Query) -> Language | None:
    return language_of(query.language) or language_of(query.uri)


@lru_cache(maxsize=8)
def _overridden(budget: Budget, wanted: ContextSettings) -> Budget:
    return budget.overridden(wanted)


def _rest(hit: Hit[CompletionResult]) -> CompletionResult:
    """What is left of an answer after part of it was typed."""
    return replace(hit.answer, text=hit.answer.text[hit.typed :], cache="typed", outcome="shown")


def _looked_at(task: asyncio.Task[CompletionResult]) -> None:
    """Retrieve the exception of a task that nobody waits for, so that asyncio does not log a warning."""
    if not task.cancelled():
        task.exception()
