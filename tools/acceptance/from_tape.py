"""Trials from a tape: the suggestions of its own assistant, and whether the person accepted them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from replay.play.users.acceptance.acceptance_trials import DataSet, Trial, TrialsHeader, check
from replay.play.users.acceptance.features import FEATURES
from replay.play.users.offers import Offer
from replay.tapes.clock import virtual_times
from replay.tapes.lasting_text import Followed
from replay.tapes.tape import Documents, Edit, Ghost, Tape, walk
from syntax.text import index_of

STRETCH = 300_000.0
"""The length of a stretch in ms."""


def trials_of_tape(tape: Tape) -> DataSet:
    """Every suggestion that was shown on a tape, with all features that the tape has.

    A suggestion that continues the previous one after the person typed a part of it is the same trial. Empty answers, and
    answers after the next edit, were not shown; suggestions for another place than the cursor are left out. A partly
    accepted suggestion counts as accepted.

    Raises:
        TrialsError: no suggestion was accepted, or every one.

    """
    header = TrialsHeader(trials=1, name=tape.header.id, source=f"tape {tape.header.id} ({tape.header.origin})")
    data = DataSet(header, tuple(shown.trial(tape.header.id) for shown in _shown(tape)))
    check(tape.source, data)
    return data


@dataclass(slots=True)
class _Shown:
    """A suggestion when it was first shown, and `rest`, its text that is not typed yet."""

    doc: int
    t: float
    offer: Offer
    offset: int
    rest: str
    requests: set[int] = field(default_factory=set)
    accepted: bool = False

    def continues_as(self, ghost: Ghost, text: str) -> bool:
        """Whether a later suggestion is the rest of this one."""
        if ghost.doc != self.doc or ghost.offset < self.offset:
            return False
        typed = text[index_of(text, self.offset) : index_of(text, ghost.offset)]
        return typed + ghost.text == self.rest

    def trial(self, person: str) -> Trial:
        """The suggestion and its end."""
        values = {name: feature.measure(self.offer) for name, feature in FEATURES.items()}
        stretch = f"{self.t // STRETCH:.0f}"
        return Trial(person=person, accepted=self.accepted, stretch=stretch, **values)  # type: ignore[arg-type]


def _shown(tape: Tape) -> list[_Shown]:
    episodes: list[_Shown] = []
    for t, idle, ghost, documents in _ghosts(tape):
        last = episodes[-1] if episodes else None
        if ghost.phase == "shown":
            if last is None or not last.continues_as(ghost, documents.texts[ghost.doc]):
                last = _first(t, idle, ghost, documents)
                episodes.append(last)
            last.offset, last.rest = ghost.offset, ghost.text
            last.requests.add(ghost.request)
        else:
            taken = next((shown for shown in reversed(episodes) if ghost.request in shown.requests), None)
            if taken is not None:
                taken.accepted = True
    return episodes


def _ghosts(tape: Tape) -> Iterator[tuple[float, float, Ghost, Documents]]:
    """Events of shown or accepted suggestions: (virtual ms, ms since the last edit, event, documents)."""
    times = virtual_times(tape.events)
    edits, edited = 0, 0.0
    asked: dict[int, tuple[int, int]] = {}
    for index, event, documents in walk(tape):
        if isinstance(event, Edit):
            edits, edited = edits + 1, times[index]
        elif isinstance(event, Ghost):
            if event.phase == "asked":
                asked[event.request] = edits, event.offset
            elif event.phase in {"accepted", "part"} or _is_shown(event, asked.get(event.request), edits):
                yield times[index], times[index] - edited, event, documents


def _is_shown(ghost: Ghost, asked: tuple[int, int] | None, edits: int) -> bool:
    """Whether a text was shown at the cursor, and the document did not change since the request."""
    return ghost.phase == "shown" and bool(ghost.text) and asked in {None, (edits, ghost.offset)}


def _first(t: float, idle: float, ghost: Ghost, documents: Documents) -> _Shown:
    text = documents.texts[ghost.doc]
    at = index_of(text, ghost.offset)
    offer = Offer(
        text=ghost.text,
        before=text[:at],
        after=text[at:],
        language=documents.languages[ghost.doc],
        latency=ghost.latency,
        idle=idle,
        followed=Followed(ghost.text, (), ()),
    )
    return _Shown(ghost.doc, t, offer, ghost.offset, ghost.text)
