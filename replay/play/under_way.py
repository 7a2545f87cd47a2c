"""The requests that are under way: whose answer comes next, which are given up, and what of those still comes to the server."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence

from replay.play.flights import PendingRequest, moment_ended
from replay.play.instructions import Answer, MomentEnded
from replay.play.policies.policy import Policy
from replay.records import Ending
from syntax.text import Change

CANCELLED = Ending("cancelled", "as on the tape")


class UnderWay:
    """Requests without an answer yet, in the order in which they were sent. Times are virtual (ms)."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._flying: list[PendingRequest] = []
        self._landing: list[PendingRequest] = []

    @property
    def due(self) -> float:
        """When the next answer may be shown; infinite where none is awaited."""
        return min((flying.due for flying in self._flying), default=math.inf)

    def asked_elsewhere(self, doc: int, place: tuple[int, int], index: int) -> bool:
        """Whether something was asked in a document at another place than where its cursor is now, at event `index`."""
        waiting = (flying for flying in self._flying if flying.doc == doc and not flying.outlasts(index))
        asked = (flying.ask.moment.offset for flying in waiting)
        return any(place != (at, at) for at in asked)

    def lag(self, doc: int, answer: Answer, now: float) -> float:
        """In how many ms the server has itself what it gave an answer from, if that was a request that is still under way."""
        known = (flying for flying in [*self._flying, *self._landing] if flying.doc == doc)
        return max((flying.came - now for flying in known if flying.answer.raw == answer.raw), default=0.0)

    # What happens

    def send(self, flying: PendingRequest) -> None:
        """A request was sent."""
        self._flying.append(flying)

    def make_room(self, now: float) -> Iterator[MomentEnded]:
        """Give the last request up, where the policy has no more of them at a time."""
        if self._policy.pending and len(self._flying) >= self._policy.pending:
            yield self._given_up(self._flying.pop(), now, Ending("superseded"))

    def land(self, now: float) -> Generator[MomentEnded, object, PendingRequest]:
        """Take the request whose answer is due; where the policy counts them, its answer makes the older ones needless."""
        landed = min(self._flying, key=lambda flying: flying.due)
        at = self._flying.index(landed)
        older = self._flying[:at] if self._policy.pending else []
        self._flying = self._flying[len(older) : at] + self._flying[at + 1 :]
        for other in older:
            yield self._given_up(other, now, Ending("superseded", "a newer answer came first"))
        return landed

    def pass_over(self, doc: int, changes: Sequence[Change]) -> None:
        """Take a change in."""
        for flying in [*self._flying, *self._landing]:
            flying.pass_over(doc, changes)

    def strand(self, leaving: Callable[[int], bool], index: int, ended: int | None) -> bool:
        """The person left documents at event `index`, and what was asked there fits nowhere any more; whether there was any.

        The tape's own editor may have waited on, but not for a document that `ended`.
        """
        left = [flying for flying in self._flying if leaving(flying.doc)]
        stranded = [flying for flying in left if flying.doc == ended or not flying.outlasts(index)]
        for flying in stranded:
            flying.stale, flying.typed = True, None
        return bool(stranded)

    def cancel(self, now: float, ending: Ending, index: int, ended: int | None = None) -> Iterator[MomentEnded]:
        """Give up at event `index` what is under way, but for what is kept alive, and for what the tape's own editor still waited for.

        That editor waited no longer for a document that `ended` as it was asked about. A request that it cancelled is cancelled here too.
        """
        given_up = [each for each in self._flying if not each.kept and (each.doc == ended or not each.outlasts(index))]
        self._flying = [each for each in self._flying if each not in given_up]
        for flying in given_up:
            is_told = flying.fate is not None and flying.fate.name == "cancelled"
            yield self._given_up(flying, now, CANCELLED if is_told else ending)

    def end(self, now: float) -> Iterator[MomentEnded]:
        """The tape ends: nothing is awaited any more."""
        flying, self._flying = self._flying, []
        yield from (self._given_up(each, now, Ending("cancelled", "the tape ends")) for each in flying)

    def cancel_request(self, now: float, request: int) -> Iterator[MomentEnded]:
        """The tape's editor cancelled a request here; this cancels the same one, where its fate counts."""
        for flying in [each for each in self._flying if each.fate is not None and each.ask.moment.request == request]:
            self._flying.remove(flying)
            yield self._given_up(flying, now, CANCELLED)

    def _given_up(self, flying: PendingRequest, now: float, ending: Ending) -> MomentEnded:
        """A request ends. If the server was not told, its answer still comes there, and may serve another request then."""
        self._landing = [other for other in self._landing if other.came > now]
        if not flying.answer.given_up:
            self._landing.append(flying)
        return moment_ended(flying, ending)
