"""The assistant in an editor: when it asks for a suggestion, when it cancels, what it shows, and how the user decides.

Pure: the player calls its methods, which yield instructions (`replay.play.player`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from replay.play.flights import (
    PendingDebounce,
    PendingRequest,
    RequestFate,
    fates,
    moment_ended,
    outcome,
    suggestion_of,
)
from replay.play.latency import AnswerThen, Latency
from replay.play.player_instructions import Answer, Ask, DidChange, Instruction, MomentEnded, SendFeedback, Try
from replay.play.policies.block_places import MomentPlace
from replay.play.policies.pacing import Pacer, Situation
from replay.play.policies.policy import Policy
from replay.play.shown_suggestion import Decision, Lookahead, Screen, notifications
from replay.play.stage import Stage
from replay.play.users.user import User
from replay.records import Ending, Moment
from replay.tapes.tape import Edit, Ghost
from syntax.text import Change, cut, length

Reply: TypeAlias = Answer | bool | None
Steps: TypeAlias = Generator[Instruction, Reply, None]


class Assistant:
    """The assistant with one policy, one stage and one user.

    `times` are the times of the tape's events, `now` is the current time (virtual ms).
    """

    def __init__(
        self,
        stage: Stage,
        times: Sequence[float],
        policy: Policy,
        user: User,
        latency: Latency,
        *,
        seed: int,
        limit: int | None,
        wants: Callable[[str], bool],
    ) -> None:
        self.stage, self.policy, self.latency = stage, policy, latency
        self.now = 0.0
        self._left = math.inf if limit is None else limit
        self._is_chosen = wants
        self._lookahead = Lookahead(stage.timeline.tape.events, times, stage, self._asks)
        self._screen = Screen(stage, self._lookahead, policy, user, seed)
        self._pacer = Pacer(policy)
        self._changed_at = 0.0
        self._rejections: list[float] = []
        self._waiting: PendingDebounce | None = None
        self._under_way = UnderWay(policy)
        told = policy.asks == "recorded" and policy.cancels
        self._fates: dict[int, RequestFate] = fates(stage.timeline.tape) if told else {}

    # Time

    def pass_time(self, index: int, limit: float) -> Steps:
        """Handle, in order, what is due before a time: the end of a debounce, the arrival of answers."""
        while (due := min(self._debounced_at, self._under_way.due)) < limit:
            self.now = due
            if self._waiting is not None and self._waiting.due == due:
                waiting, self._waiting = self._waiting, None
                yield from self._fire(index, waiting)
            else:
                flying = yield from self._under_way.land(due)
                yield from self._arrived(index, flying)

    @property
    def _debounced_at(self) -> float:
        return math.inf if self._waiting is None else self._waiting.due

    def finish(self, index: int) -> Steps:
        """The tape ends, and with it the wait for what it never showed."""
        yield from self.pass_time(index, math.inf)
        yield from self._under_way.end(self.now)

    # What happens in the editor

    def edited(self, index: int, event: Edit) -> Steps:
        """Apply the part of a tape's edit that is not in the document yet. An edit that no person made ends what waits, and is no moment."""
        debounced = self._unasked(index, self._waiting.doc, Ending("debounced")) if self._waiting else None
        steps = list(self.stage.change(index, event, escape=self._needs_escape(index, event)))
        if not steps:
            return
        self._catch_up()
        situation = self.stage.situation(self.now, event.doc, event)
        a_persons = self.stage.timeline.is_a_persons(index)
        gate = self._pacer.gate(situation) if a_persons else ""
        if debounced:
            self._waiting = None
            yield debounced
        yield from self._change(index, event.doc, steps, gated=bool(gate) or not a_persons)
        if a_persons:
            yield from self._wait(index + 1, event.doc, situation, gate)

    def _change(self, index: int, doc: int, steps: Sequence[DidChange], *, gated: bool = False) -> Steps:
        """Change a document. This ends the requests under way."""
        self._changed_at = self.now
        for step in steps:
            self._screen.pass_over(doc, step.changes)
            self._under_way.pass_over(doc, step.changes)
            yield from self._cancel(Ending("cancelled", "changed") if gated else Ending("superseded"), index, doc)
            yield step

    def _needs_escape(self, index: int, event: Edit) -> bool:
        """Whether the next key is a tab, which would accept what is shown: Escape comes first."""
        if not (
            self.stage.drive
            and self._screen.visible
            and self._screen.visible.doc == event.doc
            and self.stage.timeline.is_by_hand(index)
        ):
            return False
        new = event.changes[0][2] if len(event.changes) == 1 else ""
        return new == "\t" or (len(new) > 1 and not new.strip(" "))

    def _wait(self, index: int, doc: int, situation: Situation, gate: str) -> Steps:
        """After a change: begin the debounce, or record the reason why the policy does not ask."""
        if self.policy.asks != "changes" or not self._wants(situation.path):
            return
        if self.policy.extends and self._screen.visible is not None and self._screen.visible.doc == doc:
            gate = gate or "typed as suggested"
        if gate:
            yield self._unasked(index, doc, Ending("gated", gate))
            return
        wait = self._pacer.delay(situation, accepted=situation.reason == "accept" and self.stage.drive)
        waiting = PendingDebounce(self.now, self._pacer.due(self.now + wait), doc)
        if waiting.due <= self.now:
            yield from self._fire(index, waiting)
        else:
            self._waiting = waiting

    def _wants(self, path: str) -> bool:
        """Whether a document may have moments: the limit is not reached, and the path is selected."""
        return self._left > 0 and self._is_chosen(path)

    def _unasked(self, index: int, doc: int, ending: Ending) -> MomentEnded:
        return MomentEnded(self.stage.moment(self.now, index, doc), "", "", ending)

    def ghost(self, index: int, event: Ghost) -> Steps:
        """The tape's assistant was asked, or the person asked it by hand; or its editor gave a request up."""
        if event.phase == "cancelled":
            yield from self._under_way.cancel_request(self.now, event.request)
        if not self._asks(event):
            return
        yield from self._stop_waiting(index, Ending("debounced"))
        yield from self._cancel(Ending("superseded"), index)
        offset = self.stage.actual(event.doc, event.offset)
        moment = self.stage.moment(
            self.now,
            index,
            event.doc,
            offset=offset,
            trigger=event.trigger,
            request=event.request,
            selected=event.selected if self.stage.is_as_recorded(event.doc) else None,  # else the list is another
        )
        yield from self._ask(index, event.doc, moment, since=index + 1)

    def _asks(self, ghost: Ghost) -> bool:
        """Whether the policy asks where the tape's assistant was."""
        asks = self.policy.asks
        wanted = asks == "recorded" or (asks == "changes" and ghost.trigger == "invoked")
        return ghost.phase == "asked" and wanted and self._wants(self.stage.path(ghost.doc))

    def moved(self, index: int, doc: int) -> Steps:
        """The cursor moved: some policies ask at the new place."""
        start, end = place = self.stage.cursors[doc]
        if self._under_way.asked_elsewhere(doc, place, index):
            yield from self._strand(lambda left: left == doc, "cursor moved", index)
        self._screen.visible = None
        if not self.policy.moves or start != end or not self._wants(self.stage.path(doc)):
            return
        self._catch_up()
        situation = self.stage.situation(self.now, doc, None, moved=True)
        gate = self._pacer.gate(situation)
        if not gate:
            yield from self._stop_waiting(index, Ending("debounced"))
        yield from self._wait(index + 1, doc, situation, gate)

    def left(self, index: int, leaving: Callable[[int], bool], *, closed: int | None = None) -> Steps:
        """A document lost the focus, or was closed."""
        if self._waiting is not None and leaving(self._waiting.doc):
            yield from self._stop_waiting(index, Ending("gated", "focus moved"))
        if self._screen.visible is not None and leaving(self._screen.visible.doc):
            self._screen.visible = None
        yield from self._strand(leaving, "focus moved", index, closed)

    # Cancelling

    def _stop_waiting(self, index: int, ending: Ending) -> Steps:
        """Drop the request that waits for its debounce, if there is one."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            yield self._unasked(index, waiting.doc, ending)

    def _strand(self, leaving: Callable[[int], bool], why: str, index: int, closed: int | None = None) -> Steps:
        """The cursor left the place of a request."""
        if self._under_way.strand(leaving, index, closed):
            yield from self._cancel(Ending("cancelled", why), index, closed)

    def _cancel(self, ending: Ending, index: int, ended: int | None = None) -> Steps:
        """Cancel the requests under way, if the policy cancels; `ended` is the document whose text is another now."""
        if self.policy.cancels:
            yield from self._under_way.cancel(self.now, ending, index, ended)

    # Asking

    def _fire(self, index: int, waiting: PendingDebounce) -> Steps:
        start, end = self.stage.cursors[waiting.doc]
        moment = self.stage.moment(self.now, index, waiting.doc)
        if start != end:
            yield MomentEnded(moment, "", "", Ending("gated", "selection"))
        else:
            yield from self._ask(index, waiting.doc, moment)

    def ask_at(self, index: int, place: MomentPlace) -> Steps:
        """Ask at a place that does not depend on time."""
        if not all(map(self._wants, place.paths)):
            return
        doc = self.stage.doc(place.path)
        offset = self.stage.actual(doc, place.offset)
        moment = self.stage.moment(
            self.now,
            index,
            doc,
            offset=offset,
            stop=place.stop,
            kind=place.kind,
            scenario=place.scenario,
            within=place.within,
            next_edit=place.next_edit,
        )
        if self.stage.is_needless(index, doc):
            yield MomentEnded(moment, "", "", Ending("gated", "written already"))
        else:
            texts = {} if place.next_edit is None else self.stage.open_texts
            yield from self._ask(index, doc, moment, texts=texts)

    def _ask(
        self,
        index: int,
        doc: int,
        moment: Moment,
        *,
        since: int | None = None,
        texts: Mapping[str, str] = MappingProxyType({}),
    ) -> Steps:
        """Ask just before event `index`; events from `since` on can make the editor cancel. Of the `texts` of documents an edit is asked for."""
        self._left -= 1
        yield from self._under_way.make_room(self.now)
        kept = self._pacer.asked(self.now)
        fate = None if moment.request is None else self._fates.get(moment.request)
        then = self._then(moment)
        waits = kept or (then is not None and then.answered)
        patience = math.inf if waits else self._patience(index if since is None else since, doc, moment.offset, fate)
        drawn = then.came if then else self.latency.draw(moment)
        will_cancel = drawn is not None and drawn >= patience
        text = self.stage.text(doc)
        ask = Ask(
            moment,
            cut(text, 0, moment.offset),
            cut(text, moment.offset, length(text)),
            self.stage.spot(index, doc, moment),
            patience if drawn is None or will_cancel else math.inf,
            will_cancel=will_cancel,
            texts=texts,
        )
        answer = yield ask
        if not isinstance(answer, Answer):
            raise TypeError("an Ask must be answered by an Answer")
        if will_cancel and (then or answer.cache == "none"):  # it came although it was cancelled: nobody waits for it
            answer = Answer(answer.measured, given_up=True)
        if drawn is not None or answer.cache != "none":  # its time is another than that of its pieces
            answer = replace(answer, first_token=None)
        if then is None or answer.given_up:
            then = AnswerThen(came := self._latency(doc, answer, drawn, patience), came)
        latency = then.came if answer.given_up else self._pacer.held(self.now, then.shown, answer.cache)
        suggestion = suggestion_of(answer, ask, latency if latency < math.inf else then.came)
        flying = PendingRequest(self.now + latency, doc, ask, answer, suggestion, kept, self.now + then.came, fate=fate)
        if self.policy.is_timed:
            self._under_way.send(flying)
        else:
            yield from self._arrived(index, flying)

    def _then(self, moment: Moment) -> AnswerThen | None:
        """How the tape's own request was answered, where it is asked again just as it was.

        Not in drive mode: what came before an answer could be shown then need not happen there.
        """
        return None if self.stage.drive or self.policy.asks != "recorded" else self.latency.then(moment)

    def _latency(self, doc: int, answer: Answer, drawn: float | None, patience: float) -> float:
        """The ms that an answer takes on the virtual clock. An answer from the cache takes no drawn latency.

        An answer that the server shares with a request still under way here comes at the time of that request's answer.
        """
        if answer.given_up:
            return patience
        if answer.cache == "none":
            return answer.measured if drawn is None else drawn
        return max(answer.measured if drawn is None else 0.0, self._under_way.lag(doc, answer, self.now))

    def _patience(self, index: int, doc: int, offset: int, fate: RequestFate | None) -> float:
        """The ms until the tape makes the editor cancel a request and notify the server."""
        if not self.policy.cancels or self.policy.lets_finish or not self.policy.is_timed:
            return math.inf
        return max(0.0, self._lookahead.given_up(index, doc, offset, fate) - self.now)

    def _arrived(self, index: int, flying: PendingRequest) -> Steps:
        moment, answer = flying.ask.moment, flying.answer
        if answer.cache == "none" and not (answer.given_up or answer.failed):
            self._pacer.answered(flying.suggestion.latency)
        ending = outcome(flying, self.policy, self._screen.visible, self._screen.fresh(flying))
        decision = Decision(ending)
        if ending.name == "shown" and moment.next_edit is None:
            passes = None
            if self._screen.user.needs_tests:
                passes = bool((yield Try(moment, flying.ask.spot, flying.suggestion, flying.ask.texts)))
            idle = max(0.0, self.now - self._changed_at)
            decision = self._screen.decide(index, self.now, flying, idle=idle, passes=passes)
            self._tell_pacer(decision)
        if ending.name == "shown" and answer.item is not None:
            yield SendFeedback(answer.item, "shown")
        yield moment_ended(flying, decision.ending, decision.covered, decision.keys)
        if decision.change is not None and self.stage.drive:
            yield from self._accepted(index, flying, decision)
        else:
            yield from notifications(flying, decision)

    def _tell_pacer(self, decision: Decision) -> None:
        """Record the user's decision; a rejection is reported only at the time when it happens."""
        if decision.ending.name == "rejected":
            self._rejections.append(decision.after)
        elif decision.accepted:
            self._pacer.decided(self.now, decision.accepted)

    def _catch_up(self) -> None:
        """Tell the policy of the rejections that have happened by now."""
        happened = sorted(at for at in self._rejections if at <= self.now)
        self._rejections = [at for at in self._rejections if at > self.now]
        for at in happened:
            self._pacer.decided(at, "")

    def _accepted(self, index: int, flying: PendingRequest, decision: Decision) -> Steps:
        """What was accepted stays as far as it is right; the editor asks again behind it."""
        assert decision.change is not None
        yield from self._stop_waiting(index, Ending("debounced"))
        doc = flying.doc
        (put_in, *deleted), stays = self.stage.accept(index, doc, decision.change, decision.keys)
        yield from self._change(index, doc, [put_in])
        yield from notifications(flying, decision)
        yield from self._change(index, doc, deleted)
        if stays:
            situation = self.stage.situation(self.now, doc, None)
            yield from self._wait(index, doc, situation, self._pacer.gate(situation))


# The requests that are under way: whose answer comes next, which are given up, and what of those still
# comes to the server.

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
