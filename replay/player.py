"""The player: a tape's events in, instructions out, on a virtual clock. Judge mode: the tape goes on as recorded.

`Player.play` is a generator and pure: no clock, network, file or random source but its arguments. Each `Ask` that it
yields is answered by sending an `Answer` in; everything else is answered with None. When a change and an answer or a
timer fall on the same millisecond, the change comes first: a person did not wait for what came with the next key.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from replay.clock import virtual_times
from replay.documents import Documents, walk
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
)
from replay.latency import Latency
from replay.policies import Place, Policy
from replay.records import Ending, Moment, Stop, Suggestion
from replay.tape import Close, Edit, Event, Focus, Open, Save, Select, State
from replay.timeline import Timeline
from replay.users import User, typing_after
from syntax.text import Change, cut, length, position_at, splice

WINDOW = (4000, 2000)
"""How many characters before and after the cursor a moment keeps for display."""


@dataclass(slots=True)
class _Waiting:
    """A change whose debounce runs."""

    due: float
    doc: int
    index: int


@dataclass(slots=True)
class _Flying:
    """A request under way on the virtual clock."""

    due: float
    doc: int
    ask: Ask
    answer: Answer
    suggestion: Suggestion
    stale: bool = False


@dataclass(slots=True)
class _Screen:
    """What the editor knows beyond the documents."""

    cursors: dict[int, tuple[int, int]] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    focus: int | None = None


Steps: TypeAlias = Generator[Instruction, Answer | None, None]


class Player:
    """One tape under one policy, one user and one latency model. There are no moments after `limit` requests."""

    def __init__(
        self,
        timeline: Timeline,
        policy: Policy,
        user: User,
        latency: Latency,
        *,
        limit: int | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        self.timeline, self.policy, self.user, self.latency = timeline, policy, user, latency
        self.tape = timeline.tape
        self.left = math.inf if limit is None else limit
        self.paths = tuple(paths)
        self.now = 0.0
        self._documents = Documents(self.tape.source)
        self._screen = _Screen()
        self._waiting: _Waiting | None = None
        self._flying: list[_Flying] = []
        self._places: dict[int, list[Place]] = {}
        for place in policy.places(timeline):
            self._places.setdefault(place.event, []).append(place)

    def play(self) -> Steps:
        """Play the tape to its end."""
        index, times = 0, virtual_times(self.tape.events)
        for index, event, documents in walk(self.tape):
            self._documents = documents
            self.now = times[index]
            yield from self._due(index)
            for place in self._places.get(index, ()):
                if self._wants(place.path):
                    yield from self._ask_at(place)
            yield from self._on(index, event)
        self.now = math.inf
        yield from self._due(index + 1)

    # Time

    def _due(self, index: int) -> Steps:
        """What falls due before now, in its order: the debounce that ran out, the answers that came."""
        while (due := min(self._dues(), default=math.inf)) < self.now:
            if self._waiting is not None and self._waiting.due == due:
                waiting, self._waiting = self._waiting, None
                yield from self._fire(index, waiting)
            else:
                flying = min(self._flying, key=lambda flying: flying.due)
                self._flying.remove(flying)
                yield self._arrived(flying)

    def _dues(self) -> Iterator[float]:
        if self._waiting is not None:
            yield self._waiting.due
        yield from (flying.due for flying in self._flying)

    # Events

    def _on(self, index: int, event: Event) -> Steps:
        match event:
            case Open():
                self._screen.versions[event.doc] = 1
                self._screen.cursors[event.doc] = (0, 0)
                yield DidOpen(event.path, event.language, event.text)
            case Edit():
                yield from self._edited(index, event)
            case Select():
                yield from self._selected(event)
            case Focus():
                yield from self._left(index, event.doc)
                self._screen.focus = event.doc
            case Save():
                yield DidSave(self._documents.paths[event.doc])
            case State():
                yield Check(self._documents.paths[event.doc], event.sha256)
            case Close():
                yield from self._left(index, None)
                yield DidClose(self._documents.paths[event.doc])
            case _:
                pass

    def _edited(self, index: int, event: Edit) -> Steps:
        gate = self._gate(event)
        yield from self._overtaken(index, event, superseded=not gate)
        self._screen.versions[event.doc] += 1
        path, before = self._documents.paths[event.doc], self._documents.texts[event.doc]
        yield DidChange(path, self._screen.versions[event.doc], before, event.changes)
        self._screen.cursors[event.doc] = _cursor_after(event.changes)
        if self.policy.debounce is None or not self._wants(path):
            return
        if gate:
            yield Settled(self._moment(index + 1, event.doc, after=event), "", "", Ending("gated", gate))
        else:
            self._waiting = _Waiting(self.now + self.policy.debounce, event.doc, index)

    def _wants(self, path: str) -> bool:
        """Whether there are moments in a document: the limit is not reached, and the path is among those asked for."""
        return self.left > 0 and path.startswith(self.paths or "")

    def _gate(self, event: Edit) -> str:
        focus = self._screen.focus
        return self.policy.gate(event, focused=focus is None or focus == event.doc)

    def _overtaken(self, index: int, event: Edit, *, superseded: bool) -> Steps:
        """A change ends the debounce before it, and what is under way."""
        if self._waiting is not None:
            yield Settled(self._moment(index, self._waiting.doc), "", "", Ending("debounced"))
            self._waiting = None
        for flying in self._flying:
            flying.stale |= flying.doc == event.doc
        if self.policy.cancels:
            yield from self._cancel(Ending("superseded") if superseded else Ending("cancelled", "changed"))

    def _selected(self, event: Select) -> Steps:
        if not event.ranges:
            return
        moved = event.ranges[0] != self._screen.cursors.get(event.doc)
        self._screen.cursors[event.doc] = event.ranges[0]
        asked = [flying for flying in self._flying if flying.doc == event.doc]
        if moved and any(event.ranges[0] != (at := flying.ask.moment.offset, at) for flying in asked):
            for flying in asked:
                flying.stale = True
            if self.policy.cancels:
                yield from self._cancel(Ending("cancelled", "cursor moved"))

    def _left(self, index: int, to: int | None) -> Steps:
        """The document loses the focus."""
        if self._waiting is not None and self._waiting.doc != to:
            yield Settled(self._moment(index, self._waiting.doc), "", "", Ending("gated", "focus moved"))
            self._waiting = None
        for flying in self._flying:
            flying.stale |= flying.doc != to
        if self.policy.cancels and any(flying.doc != to for flying in self._flying):
            yield from self._cancel(Ending("cancelled", "focus moved"))

    def _cancel(self, ending: Ending) -> Steps:
        for flying in self._flying:
            yield Settled(flying.ask.moment, flying.ask.before, flying.ask.after, ending, flying.suggestion)
        self._flying.clear()

    # Asking

    def _fire(self, index: int, waiting: _Waiting) -> Steps:
        start, end = self._screen.cursors[waiting.doc]
        moment = self._moment(index, waiting.doc, at=waiting.due)
        if start != end:
            yield Settled(moment, "", "", Ending("gated", "selection"))
        else:
            yield from self._ask(moment, waiting.doc, waiting.due)

    def _ask_at(self, place: Place) -> Steps:
        doc = next(doc for doc, path in self._documents.paths.items() if path == place.path)
        moment = self._moment(
            place.event, doc, offset=place.offset, stop=place.stop, kind=place.kind, scenario=place.scenario
        )
        yield from self._ask(moment, doc, self.now)

    def _ask(self, moment: Moment, doc: int, at: float) -> Steps:
        self.left -= 1
        text = self._documents.texts[doc]
        ask = Ask(moment, cut(text, 0, moment.offset), cut(text, moment.offset, length(text)))
        answer = yield ask
        if answer is None:
            raise TypeError("an Ask must be answered by an Answer")
        flying = _Flying(0.0, doc, ask, answer, _suggestion(answer, ask, self.latency(answer.measured)))
        flying.due = at + flying.suggestion.latency
        if self.policy.debounce is None:
            yield self._arrived(flying)
        else:
            self._flying.append(flying)

    def _arrived(self, flying: _Flying) -> Settled:
        ask, answer = flying.ask, flying.answer
        ending = _outcome(flying)
        covered: tuple[int, ...] = ()
        if ending.name == "shown":
            typing = typing_after(self.timeline, ask.moment, _as_typed(flying.suggestion, ask))
            ending = self.user(typing)
            covered = typing.by_hand if typing.matched and ending.name == "accepted" else ()
        suggestion = None if answer.failed else flying.suggestion
        return Settled(ask.moment, ask.before, ask.after, ending, suggestion, covered)

    def _moment(
        self,
        index: int,
        doc: int,
        *,
        offset: int | None = None,
        at: float | None = None,
        after: Edit | None = None,
        stop: Stop = "auto",
        kind: str = "",
        scenario: str = "",
    ) -> Moment:
        """The moment just before event `index`; with `after`, just behind that edit."""
        text = self._documents.texts[doc] if after is None else _after(self._documents, after)
        where = min(self._screen.cursors[doc][0] if offset is None else offset, length(text))
        line, character = position_at(text, where)
        return Moment(
            tape=self.tape.header.id,
            event=index,
            path=self._documents.paths[doc],
            language=self._documents.languages[doc],
            offset=where,
            line=line,
            character=character,
            t=self.now if at is None else at,
            stop=stop,
            kind=kind,
            scenario=scenario,
            before=cut(text, 0, where)[-WINDOW[0] :],
            after=cut(text, where, length(text))[: WINDOW[1]],
        )


def _outcome(flying: _Flying) -> Ending:
    if flying.answer.failed:
        return Ending("failed", flying.answer.failed)
    if flying.stale:
        return Ending("late")
    if flying.answer.filtered:
        return Ending("filtered", flying.answer.filtered)
    return Ending("shown") if flying.answer.text else Ending("empty")


def _suggestion(answer: Answer, ask: Ask, latency: float) -> Suggestion:
    at = ask.moment.offset
    return Suggestion(
        text=answer.text,
        start=answer.start if answer.text else at,
        end=answer.end if answer.text else at,
        latency=latency,
        raw=answer.raw,
        prompt=answer.prompt,
        provider=answer.provider,
        cache=answer.cache,
        trail=answer.trail,
    )


def _as_typed(suggestion: Suggestion, ask: Ask) -> str:
    """The part of a suggestion that a person would have to type: without what stands left and right already."""
    said_again = (
        ask.before[len(ask.before) - (ask.moment.offset - suggestion.start) :]
        if suggestion.start < ask.moment.offset
        else ""
    )
    taken = cut(ask.after, 0, suggestion.end - ask.moment.offset) if suggestion.end > ask.moment.offset else ""
    return suggestion.text.removeprefix(said_again).removesuffix(taken)


def _after(documents: Documents, edit: Edit) -> str:
    return splice(documents.texts[edit.doc], edit.changes)


def _cursor_after(changes: Sequence[Change]) -> tuple[int, int]:
    """Where the cursor goes when nothing else says so: behind what the first change put in."""
    start, _, new = min(changes, default=(0, 0, ""))
    at = start + length(new)
    return at, at
