"""The player: a tape's events in, instructions out, on a virtual clock.

`Player.play` is a generator and pure: no clock, network, file or random source but its arguments. Each `Ask` that it
yields is answered by sending an `Answer` in, each `Try` by True or False; everything else is answered with None. When a
change and an answer or a timer fall on the same millisecond, the change comes first: a person did not wait for what came
with the next key.

In judge mode the tape goes on as recorded and each moment is judged alone. In drive mode what is accepted stays, and the
rest of the tape is rebased on it (`replay.rebase`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeAlias

from replay.blocks import Place
from replay.clock import virtual_times
from replay.flights import Flying, Waiting, outcome, settled, suggestion_of
from replay.instructions import (
    Answer,
    Ask,
    Check,
    DidChange,
    DidClose,
    DidOpen,
    DidSave,
    Instruction,
    Settled,
    Tell,
    Try,
)
from replay.latency import Latency
from replay.lookahead import Lookahead
from replay.pacing import Pacer, Situation
from replay.policies import Policy
from replay.records import Effort, Ending, Moment
from replay.screen import Decision, Screen, told
from replay.stage import Stage
from replay.tape import Close, Edit, Event, Focus, Ghost, Open, Save, Select, State, digest
from replay.timeline import Timeline
from replay.users import User
from syntax.text import cut, length

Reply: TypeAlias = Answer | bool | None
Steps: TypeAlias = Generator[Instruction, Reply, None]


class Player:
    """One tape under one policy, one user and one latency model. There are no moments after `limit` requests."""

    def __init__(
        self,
        timeline: Timeline,
        policy: Policy,
        user: User,
        latency: Latency,
        *,
        drive: bool = False,
        seed: int = 0,
        limit: int | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        self.timeline, self.policy, self.latency = timeline, policy, latency
        self.tape, self.drive = timeline.tape, drive
        self.left = math.inf if limit is None else limit
        self.paths = tuple(paths)
        self.now = 0.0
        self.stage = Stage(timeline, drive=drive)
        self._times = virtual_times(self.tape.events)
        self._lookahead = Lookahead(self.tape.events, self._times, self.stage, self._asks)
        self._screen = Screen(self.stage, self._lookahead, policy, user, seed)
        self._pacer = Pacer(policy)
        self._changed_at = 0.0
        self._rejections: list[float] = []
        self._waiting: Waiting | None = None
        self._flying: list[Flying] = []
        self._landing: list[Flying] = []
        self._places: dict[int, list[Place]] = {}
        for place in policy.places(timeline):
            self._places.setdefault(place.event, []).append(place)

    @property
    def effort(self) -> Effort:
        """What the session took so far (drive mode)."""
        return self.stage.effort

    def play(self) -> Steps:
        """Play the tape to its end."""
        for index, event in enumerate(self.tape.events):
            yield from self._due(index, self._times[index])
            self.now = self._times[index]
            for place in self._places.get(index, ()):
                yield from self._ask_at(index, place)
            yield from self._on(index, event)
        yield from self._due(len(self.tape.events), math.inf)
        if self.drive:
            yield from self._finished()

    def _finished(self) -> Steps:
        """Every document ends as it was recorded."""
        for doc in sorted(self.stage.documents.shown):
            yield from self.stage.mend([doc])
            yield Check(self.stage.path(doc), digest(self.stage.documents.texts[doc]))

    # Time

    def _due(self, index: int, limit: float) -> Steps:
        """What falls due before a time, in its order: the debounce that ran out, the answers that came."""
        while (due := min(self._dues(), default=math.inf)) < limit:
            self.now = due
            if self._waiting is not None and self._waiting.due == due:
                waiting, self._waiting = self._waiting, None
                yield from self._fire(index, waiting)
            else:
                flying = min(self._flying, key=lambda flying: flying.due)
                at = self._flying.index(flying)
                older = self._flying[:at] if self.policy.pending else []
                self._flying = [other for other in self._flying if other is not flying and other not in older]
                for other in older:
                    yield self._given_up(other, Ending("superseded", "a newer answer came first"))
                yield from self._arrived(index, flying)

    def _dues(self) -> Iterator[float]:
        if self._waiting is not None:
            yield self._waiting.due
        yield from (flying.due for flying in self._flying)

    # Events

    def _on(self, index: int, event: Event) -> Steps:
        stage = self.stage
        match event:
            case Edit():
                yield from self._edited(index, event)
                return
            case Open():
                yield DidOpen(event.path, event.language, event.text)
            case Select():
                yield from self._selected(index, event)
            case Focus():
                yield from self._left(index, lambda doc: doc != event.doc)
                stage.focus = event.doc
            case Save():
                yield DidSave(stage.path(event.doc))
            case State() if stage.is_as_recorded(event.doc):
                yield Check(stage.path(event.doc), event.sha256)
            case Close():
                yield from self._left(index, lambda doc: doc == event.doc)
                yield from stage.mend([event.doc])
                yield DidClose(stage.path(event.doc))
            case Ghost():
                yield from self._ghost(index, event)
            case _:
                pass
        stage.apply(index, event)

    def _edited(self, index: int, event: Edit) -> Steps:
        """An edit of the tape: what of it is still to be done changes the document."""
        debounced = self._unasked(index, self._waiting.doc, Ending("debounced")) if self._waiting else None
        steps = list(self.stage.change(index, event, escape=self._needs_escape(index, event)))
        if not steps:
            return
        self._catch_up()
        situation = self.stage.situation(self.now, event.doc, event)
        gate = self._pacer.gate(situation)
        if debounced:
            self._waiting = None
            yield debounced
        yield from self._change(event.doc, steps, gated=bool(gate))
        yield from self._wait(index + 1, event.doc, situation, gate)

    def _change(self, doc: int, steps: Sequence[DidChange], *, gated: bool = False) -> Steps:
        """Change a document, which ends what is under way."""
        self._changed_at = self.now
        for step in steps:
            self._screen.pass_over(doc, step.changes)
            for flying in [*self._flying, *self._landing]:
                flying.pass_over(doc, step.changes)
            if self.policy.cancels:
                yield from self._cancel(Ending("cancelled", "changed") if gated else Ending("superseded"))
            yield step

    def _needs_escape(self, index: int, event: Edit) -> bool:
        """Whether the next key is a tab, which would accept what is shown: Escape comes first."""
        if not (
            self.drive
            and self._screen.visible
            and self._screen.visible.doc == event.doc
            and self.timeline.is_by_hand(index)
        ):
            return False
        new = event.changes[0][2] if len(event.changes) == 1 else ""
        return new == "\t" or (len(new) > 1 and not new.strip(" "))

    def _wait(self, index: int, doc: int, situation: Situation, gate: str) -> Steps:
        """A change was made: begin to wait, or say why not."""
        if self.policy.asks != "changes" or not self._wants(situation.path):
            return
        if self.policy.extends and self._screen.visible is not None and self._screen.visible.doc == doc:
            gate = gate or "typed as suggested"
        if gate:
            yield self._unasked(index, doc, Ending("gated", gate))
            return
        wait = self._pacer.delay(situation, accepted=situation.reason == "accept" and self.drive)
        waiting = Waiting(self.now, self._pacer.due(self.now + wait), doc)
        if waiting.due <= self.now:
            yield from self._fire(index, waiting)
        else:
            self._waiting = waiting

    def _wants(self, path: str) -> bool:
        """Whether there are moments in a document: the limit is not reached, and the path is among those asked for."""
        return self.left > 0 and path.startswith(self.paths or "")

    def _unasked(self, index: int, doc: int, ending: Ending) -> Settled:
        return Settled(self.stage.moment(self.now, index, doc), "", "", ending)

    def _ghost(self, index: int, event: Ghost) -> Steps:
        """The tape's assistant was asked, or the person asked it by hand."""
        if not self._asks(event):
            return
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            yield self._unasked(index, waiting.doc, Ending("debounced"))
        if self.policy.cancels:
            yield from self._cancel(Ending("superseded"))
        offset = self.stage.actual(event.doc, event.offset)
        moment = self.stage.moment(self.now, index, event.doc, offset=offset, trigger=event.trigger)
        yield from self._ask(index, event.doc, moment, since=index + 1)

    def _asks(self, ghost: Ghost) -> bool:
        """Whether the policy asks where the tape's assistant was."""
        asks = self.policy.asks
        wanted = asks == "recorded" or (asks == "changes" and ghost.trigger == "invoked")
        return ghost.phase == "asked" and wanted and self._wants(self.stage.path(ghost.doc))

    def _selected(self, index: int, event: Select) -> Steps:
        if not event.ranges:
            return
        stage = self.stage
        place = stage.selected(event)
        moved = place != stage.cursors.get(event.doc)
        stage.cursors[event.doc] = place
        asked = [flying for flying in self._flying if flying.doc == event.doc]
        if moved and any(place != (at := flying.ask.moment.offset, at) for flying in asked):
            for flying in asked:
                flying.stale, flying.typed = True, None
            if self.policy.cancels:
                yield from self._cancel(Ending("cancelled", "cursor moved"))
        if moved:
            self._screen.visible = None
            yield from self._moved(index, event.doc)

    def _moved(self, index: int, doc: int) -> Steps:
        """The cursor went somewhere else: some policies ask there, too."""
        start, end = self.stage.cursors[doc]
        if not self.policy.moves or start != end or not self._wants(self.stage.path(doc)):
            return
        self._catch_up()
        situation = self.stage.situation(self.now, doc, None, moved=True)
        gate = self._pacer.gate(situation)
        if self._waiting is not None and not gate:
            waiting, self._waiting = self._waiting, None
            yield self._unasked(index, waiting.doc, Ending("debounced"))
        yield from self._wait(index + 1, doc, situation, gate)

    def _left(self, index: int, leaving: Callable[[int], bool]) -> Steps:
        """Documents lose the focus, or close."""
        if self._waiting is not None and leaving(self._waiting.doc):
            waiting, self._waiting = self._waiting, None
            yield self._unasked(index, waiting.doc, Ending("gated", "focus moved"))
        for flying in self._flying:
            if leaving(flying.doc):
                flying.stale, flying.typed = True, None
        if self._screen.visible is not None and leaving(self._screen.visible.doc):
            self._screen.visible = None
        if self.policy.cancels and any(leaving(flying.doc) for flying in self._flying):
            yield from self._cancel(Ending("cancelled", "focus moved"))

    def _cancel(self, ending: Ending) -> Steps:
        """Give up what is under way, but for what is kept alive."""
        given_up = [flying for flying in self._flying if not flying.kept]
        self._flying = [flying for flying in self._flying if flying.kept]
        for flying in given_up:
            yield self._given_up(flying, ending)

    def _given_up(self, flying: Flying, ending: Ending) -> Settled:
        """A request ends. If the server was not told, its answer still comes there, and may serve another request then."""
        self._landing = [other for other in self._landing if other.came > self.now]
        if not flying.answer.given_up:
            self._landing.append(flying)
        return settled(flying, ending)

    # Asking

    def _fire(self, index: int, waiting: Waiting) -> Steps:
        start, end = self.stage.cursors[waiting.doc]
        moment = self.stage.moment(self.now, index, waiting.doc)
        if start != end:
            yield Settled(moment, "", "", Ending("gated", "selection"))
        else:
            yield from self._ask(index, waiting.doc, moment)

    def _ask_at(self, index: int, place: Place) -> Steps:
        """Ask at a place that does not depend on time."""
        if not self._wants(place.path):
            return
        doc = self.stage.doc(place.path)
        offset = self.stage.actual(doc, place.offset)
        moment = self.stage.moment(
            self.now, index, doc, offset=offset, stop=place.stop, kind=place.kind, scenario=place.scenario
        )
        if self.stage.is_needless(index, doc):
            yield Settled(moment, "", "", Ending("gated", "written already"))
        else:
            yield from self._ask(index, doc, moment)

    def _ask(self, index: int, doc: int, moment: Moment, *, since: int | None = None) -> Steps:
        """Ask just before event `index`; what makes the editor give up lies from event `since` on."""
        self.left -= 1
        if self.policy.pending and len(self._flying) >= self.policy.pending:
            yield self._given_up(self._flying.pop(), Ending("superseded"))
        kept = self._pacer.asked(self.now)
        patience = math.inf if kept else self._patience(index if since is None else since, doc, moment.offset)
        drawn = self.latency.draw(moment)
        doomed = drawn is not None and drawn >= patience
        text = self.stage.text(doc)
        ask = Ask(
            moment,
            cut(text, 0, moment.offset),
            cut(text, moment.offset, length(text)),
            self.stage.spot(index, doc, moment),
            patience if drawn is None or doomed else math.inf,
            doomed=doomed,
        )
        answer = yield ask
        if not isinstance(answer, Answer):
            raise TypeError("an Ask must be answered by an Answer")
        if doomed and answer.cache == "none":  # whatever a server says that was told too late: nobody waited for it
            answer = Answer(answer.measured, given_up=True)
        came = self._latency(doc, answer, drawn, patience)
        latency = came if answer.given_up else self._pacer.held(self.now, came, answer.cache)
        flying = Flying(
            self.now + latency, doc, ask, answer, suggestion_of(answer, ask, latency), kept, self.now + came
        )
        if self.policy.is_timed:
            self._flying.append(flying)
        else:
            yield from self._arrived(index, flying)

    def _latency(self, doc: int, answer: Answer, drawn: float | None, patience: float) -> float:
        """The ms that an answer takes on the virtual clock. What the server had already takes none that is drawn.

        But what it had from a request that is still under way here comes when that one comes.
        """
        if answer.given_up:
            return patience
        cached = answer.cache != "none"
        latency = answer.measured if drawn is None else 0.0 if cached else drawn
        if cached:
            under_way = (flying for flying in [*self._flying, *self._landing] if flying.doc == doc)
            latency = max([latency, *(fly.came - self.now for fly in under_way if fly.answer.raw == answer.raw)])
        return latency

    def _patience(self, index: int, doc: int, offset: int) -> float:
        """How many ms remain until the tape makes the editor give a request up, and tell the server."""
        if not self.policy.cancels or self.policy.lets_finish or not self.policy.is_timed:
            return math.inf
        return max(0.0, self._lookahead.given_up(index, doc, offset) - self.now)

    def _arrived(self, index: int, flying: Flying) -> Steps:
        moment, answer = flying.ask.moment, flying.answer
        if answer.cache == "none" and not (answer.given_up or answer.failed):
            self._pacer.answered(flying.suggestion.latency)
        ending = outcome(flying, self.policy, self._screen.visible, self._screen.fresh(flying))
        decision = Decision(ending)
        if ending.name == "shown":
            passes = None
            if self._screen.user.needs_tests:
                passes = bool((yield Try(moment, flying.ask.spot, flying.suggestion)))
            idle = max(0.0, self.now - self._changed_at)
            decision = self._screen.decide(index, self.now, flying, idle=idle, passes=passes)
            self._tell_pacer(decision)
        if ending.name == "shown" and answer.item is not None:
            yield Tell(answer.item, "shown")
        yield settled(flying, decision.ending, decision.covered, decision.keys)
        if decision.change is not None and self.drive:
            yield from self._accepted(index, flying, decision)
        else:
            yield from told(flying, decision)

    def _tell_pacer(self, decision: Decision) -> None:
        """What the person decided; a rejection is known only when it happens."""
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

    def _accepted(self, index: int, flying: Flying, decision: Decision) -> Steps:
        """What was accepted stays as far as it is right; the editor asks again behind it."""
        assert decision.change is not None
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            yield self._unasked(index, waiting.doc, Ending("debounced"))
        doc = flying.doc
        (put_in, *deleted), stays = self.stage.accept(index, doc, decision.change, decision.keys)
        yield from self._change(doc, [put_in])
        yield from told(flying, decision)
        yield from self._change(doc, deleted)
        if stays:
            situation = self.stage.situation(self.now, doc, None)
            yield from self._wait(index, doc, situation, self._pacer.gate(situation))
