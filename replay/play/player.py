"""The player: a tape's events in, instructions out, on a virtual clock.

`Player.play` is a generator and pure: no clock, network, file or random source but its arguments. Each `Ask` that it
yields is answered by sending an `Answer` in, each `Try` by True or False; everything else is answered with None. When a
change and an answer or a timer fall on the same millisecond, the change comes first: a person did not wait for what came
with the next key.

In judge mode the tape goes on as recorded and each moment is judged alone. In drive mode what is accepted stays, and the
rest of the tape is rebased on it (`replay.play.drive.rebase`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from replay.play.assistant import Assistant, Reply, Steps
from replay.play.latency import Latency
from replay.play.player_instructions import Answer, Ask, DidClose, DidOpen, DidSave, MomentEnded, VerifyCheckpoint
from replay.play.policies.block_places import MomentPlace
from replay.play.policies.policy import Policy
from replay.play.stage import Stage
from replay.play.users.user import User
from replay.records import Effort
from replay.tapes.clock import virtual_times
from replay.tapes.tape import Close, Edit, Event, Focus, Ghost, Open, Save, Select, State, digest
from replay.tapes.timeline import Timeline

__all__ = ["Player", "Reply"]


class Player:
    """One tape under one policy, one user and one latency model.

    There are no moments after `limit` requests, none in documents whose path begins with none of `paths`, and none in `skipped` ones.
    If moments are named by their ids in `only`, nothing is asked elsewhere, and how the others end is not told.
    """

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
        skipped: Collection[str] = (),
        sample: int = 0,
        only: Collection[str] = (),
    ) -> None:
        self.tape, self.drive, self.reached, self.unit = timeline.tape, drive, 0, "event"
        self.stage = Stage(timeline, drive=drive, sample=sample)
        self._times = virtual_times(self.tape.events)
        wants: Callable[[str], bool] = lambda path: path.startswith(tuple(paths) or "") and path not in skipped  # noqa: E731
        self._assistant = Assistant(self.stage, self._times, policy, user, latency, seed=seed, limit=limit, wants=wants)
        self._only = frozenset(only)
        self._places: dict[int, list[MomentPlace]] = {}
        for place in policy.places(timeline):
            self._places.setdefault(place.event, []).append(place)
        wanted = sum(all(map(wants, place.paths)) for places in self._places.values() for place in places)
        self._planned = (wanted if limit is None else min(wanted, limit)) if not policy.is_timed else None

    @property
    def now(self) -> float:
        """The virtual time (ms)."""
        return self._assistant.now

    @property
    def size(self) -> int:
        """How many events the tape has; `reached` of them are done."""
        return len(self.tape.events)

    @property
    def planned(self) -> int | None:
        """How many moments there will be, where that is known: in judge mode, under a policy whose places do not depend on time."""
        return None if self.drive or self._only else self._planned

    @property
    def duration(self) -> float:
        """The virtual time (ms) of the last event."""
        return self._times[-1] if self._times else 0.0

    @property
    def as_recorded(self) -> bool:
        """Whether the documents are before each event what the tape says: not where accepted text stays."""
        return not self.drive

    @property
    def effort(self) -> Effort | None:
        """What the session took so far; None in judge mode."""
        return self.stage.effort if self.drive else None

    def play(self) -> Steps:
        """Play the tape to its end."""
        yield from self._those_named(self._all()) if self._only else self._all()

    def _those_named(self, steps: Steps) -> Steps:
        """Give nothing as the answer to a question elsewhere, without asking it."""
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                return
            named = not isinstance(step, Ask | MomentEnded) or step.moment.id in self._only
            if named:
                reply = yield step
            else:
                reply = Answer(0.0) if isinstance(step, Ask) else None

    def _all(self) -> Steps:
        for index, event in enumerate(self.tape.events):
            self.reached = index
            yield from self._assistant.pass_time(index, self._times[index])
            self._assistant.now = self._times[index]
            for place in self._places.get(index, ()):
                yield from self._assistant.ask_at(index, place)
            yield from self._on(index, event)
        self.reached = self.size
        for place in self._places.get(self.size, ()):
            yield from self._assistant.ask_at(self.size, place)
        yield from self._assistant.finish(self.size)
        if self.drive:
            yield from self._finished()

    def _finished(self) -> Steps:
        """Every document ends as it was recorded."""
        for doc in sorted(self.stage.documents.shown):
            yield from self.stage.mend([doc])
            yield VerifyCheckpoint(self.stage.path(doc), digest(self.stage.documents.texts[doc]))

    def _on(self, index: int, event: Event) -> Steps:
        """What an event of the tape does to the editor."""
        stage = self.stage
        match event:
            case Edit():
                yield from self._assistant.edited(index, event)
                return
            case Open():
                yield DidOpen(event.path, event.language, event.text)
            case Select():
                yield from self._selected(index, event)
            case Focus():
                yield from self._assistant.left(index, lambda doc: doc != event.doc)
                stage.focus = event.doc
            case Save():
                yield DidSave(stage.path(event.doc))
            case State() if stage.is_as_recorded(event.doc):
                yield VerifyCheckpoint(stage.path(event.doc), event.sha256)
            case Close():
                yield from self._assistant.left(index, lambda doc: doc == event.doc, closed=event.doc)
                yield from stage.mend([event.doc])
                yield DidClose(stage.path(event.doc))
            case Ghost():
                yield from self._assistant.ghost(index, event)
            case _:
                pass
        stage.apply(index, event)

    def _selected(self, index: int, event: Select) -> Steps:
        if not event.ranges:
            return
        place = self.stage.selected(event)
        moved = place != self.stage.cursors.get(event.doc)
        self.stage.cursors[event.doc] = place
        if moved:
            yield from self._assistant.moved(index, event.doc)
