"""Completion as a service that stands alone: context → prompt → provider → repair, and answers used again.

One answer is given per document version, place and hint: the same question shares the answer (in flight or kept). An
answer serves as well while the person types it as suggested. When the last one who waits for an answer is cancelled, the
provider is.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from server.context import Snippet, Surroundings, choose, unix
from server.errors import ProviderError
from server.keys import masked
from server.providers.protocol import Provider, Request
from server.repair import stop as stopping
from server.repair.chain import Step, covered, emptied_by, repair
from server.repair.draft import Draft
from server.settings import Settings, Stop
from syntax.languages import Language, language_of

Outcome: TypeAlias = Literal["shown", "empty", "filtered", "failed", "cancelled"]
Reuse: TypeAlias = Literal["none", "typed", "prefix", "inflight"]


@dataclass(frozen=True, slots=True)
class Query:
    """One question of an editor: where, and the texts as they are then."""

    uri: str
    language: str
    before: str
    after: str
    stop: Stop = "auto"
    others: Sequence[Snippet] = ()
    edited: Sequence[Snippet] = ()

    def sees(self, other: Query) -> bool:
        """Whether both are about the same place but for what stands before the cursor."""
        return (self.uri, self.language, self.stop, self.after) == (other.uri, other.language, other.stop, other.after)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An answer and how it came about. `covered` counts the characters right of the cursor that it replaces.

    `latency` is in ms of wall time, from the question to this answer.
    """

    text: str = ""
    covered: int = 0
    raw: str = ""
    prompt: str = ""
    trail: tuple[Step, ...] = ()
    outcome: Outcome = "empty"
    step: str = ""
    reason: str = ""
    cache: Reuse = "none"
    provider: str = ""
    tokens: int = 0
    latency: float = 0.0


@dataclass(slots=True)
class _Flight:
    query: Query
    task: asyncio.Task[Suggestion]
    waiting: int = 0


@dataclass(slots=True)
class Service:
    """Answers questions with one provider."""

    provider: Provider
    settings: Settings = field(default_factory=Settings)
    clock: Callable[[], float] = time.perf_counter
    _kept: OrderedDict[Query, Suggestion] = field(default_factory=OrderedDict)
    _flights: list[_Flight] = field(default_factory=list)

    async def complete(self, query: Query) -> Suggestion:
        """Answer one question. A provider's failure is an answer too (`outcome` failed, with its `reason`)."""
        started = self.clock()
        suggestion = self._reused(query) or await self._flown(query)
        return replace(suggestion, latency=(self.clock() - started) * 1000)

    async def complete_in_vain(self, query: Query, under_way: Callable[[], None]) -> Suggestion:
        """Answer one question whose asker will cancel it: only what is at hand; else ask the provider and be cancelled.

        `under_way` is called when the provider is being asked. Its answer is not kept, however fast it is.
        """
        started = self.clock()
        suggestion = self._reused(query)
        if suggestion is not None:
            return replace(suggestion, latency=(self.clock() - started) * 1000)
        asking = asyncio.create_task(self._ask(query))
        try:
            await asyncio.sleep(0)
            under_way()
            await asyncio.Event().wait()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        raise AssertionError("nothing ends the wait but being cancelled")

    async def close(self) -> None:
        """Cancel what is under way and let go of the provider."""
        for flight in list(self._flights):
            flight.task.cancel()
        await self.provider.close()

    def _reused(self, query: Query) -> Suggestion | None:
        exact = self._kept.get(query)
        if exact is not None:
            self._kept.move_to_end(query)
            return replace(exact, cache="prefix")
        for kept in reversed(self._kept):
            rest = _typed_on(kept, self._kept[kept], query)
            if rest is not None:
                return rest
        return None

    async def _flown(self, query: Query) -> Suggestion:
        for flight in list(self._flights):
            if flight.task.cancelling():
                continue  # its last waiter left while this one waited for another
            if flight.query == query or _leads_to(flight.query, query):
                answer = await self._join(flight)
                if flight.query == query:
                    return replace(answer, cache="inflight")
                rest = _typed_on(flight.query, answer, query)
                if rest is not None:
                    return replace(rest, cache="inflight")
        return await self._join(self._launch(query))

    def _launch(self, query: Query) -> _Flight:
        flight = _Flight(query, asyncio.create_task(self._ask(query)))
        self._flights.append(flight)
        flight.task.add_done_callback(lambda task: self._land(flight))
        return flight

    def _land(self, flight: _Flight) -> None:
        self._forget(flight)
        if flight.task.cancelled() or flight.task.exception() is not None:
            return
        answer = flight.task.result()
        if answer.outcome != "failed" and self.settings.cache.entries:
            self._kept[flight.query] = answer
            while len(self._kept) > self.settings.cache.entries:
                self._kept.popitem(last=False)

    async def _join(self, flight: _Flight) -> Suggestion:
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._forget(flight)  # at once: who asks before the task has ended must not wait for it
                flight.task.cancel()

    def _forget(self, flight: _Flight) -> None:
        if flight in self._flights:
            self._flights.remove(flight)

    async def _ask(self, query: Query) -> Suggestion:
        request = self._request(query)
        start = Suggestion(prompt=request.prompt.shown(), provider=self.provider.name)
        draft = Draft(_language(query), query.before, query.after, "", query.stop)
        pieces: list[str] = []
        try:
            await self._gather(request, draft, pieces)
        except ProviderError as error:
            return replace(start, raw="".join(pieces), tokens=len(pieces), outcome="failed", reason=masked(str(error)))
        return self._repaired(replace(start, raw="".join(pieces), tokens=len(pieces)), draft)

    def _request(self, query: Query) -> Request:
        budget = self.provider.budget.overridden(self.settings.context)
        path = query.uri.rsplit("/", 1)[-1]
        around = Surroundings(path, query.language, query.before, query.after, query.others, query.edited)
        context = choose(around, budget)
        others = tuple(other.text for other in query.others)
        return Request(query.before, query.after, query.stop, context, self.provider.prompt(context), others)

    async def _gather(self, request: Request, draft: Draft, pieces: list[str]) -> None:
        async with aclosing(self.provider.complete(request)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if self._has_enough(draft, pieces):
                    return

    def _has_enough(self, draft: Draft, pieces: Sequence[str]) -> bool:
        """Whether what was streamed goes past the end of what is wanted, so that the rest need not be waited for."""
        if "stop" not in self.settings.repairs:
            return False
        text = unix("".join(pieces))
        if not stopping.is_worth_asking(text, unix(pieces[-1])):
            return False
        return stopping.is_finished(replace(draft, text=text))

    def _repaired(self, raw: Suggestion, draft: Draft) -> Suggestion:
        if not raw.raw.strip():
            return raw
        text, trail = repair(replace(draft, text=raw.raw), self.settings.repairs)
        if not text:
            return replace(raw, trail=trail, outcome="filtered", step=emptied_by(trail) or "")
        taken = covered(replace(draft, text=text))
        return replace(raw, text=text, covered=taken, trail=trail, outcome="shown")


def _language(query: Query) -> Language | None:
    return language_of(query.language) or language_of(query.uri)


def _leads_to(earlier: Query, query: Query) -> bool:
    return earlier.sees(query) and query.before.startswith(earlier.before)


def _typed_on(earlier: Query, answer: Suggestion, query: Query) -> Suggestion | None:
    """What is left of an answer after part of it was typed; None when something else was."""
    if not (_leads_to(earlier, query) and answer.text):
        return None
    typed = query.before[len(earlier.before) :]
    if not typed or not answer.text.startswith(typed) or not answer.text[len(typed) :].strip():
        return None
    return replace(answer, text=answer.text[len(typed) :], cache="typed", outcome="shown")
