"""What the person on a tape decided about the suggestions of the assistant they had then."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace

from replay.play.users.recorded_requests import RecordedDecision, RecordedRequest
from replay.tapes.tape import Edit, Event, Ghost, Open, Tape, walk

DECIDED = frozenset({"accepted", "part", "rejected", "ignored"})


class Decisions:
    """The assistant's events of a tape, by request, and by document for questions about one place at a time."""

    def __init__(self, tape: Tape) -> None:
        self._edits: dict[str, list[int]] = defaultdict(list)
        self._ghosts: dict[str, list[tuple[int, Ghost]]] = defaultdict(list)
        self._requests: dict[int, RecordedRequest] = {}
        if any(isinstance(event, Ghost) for event in tape.events):
            self._read(tape)

    def _read(self, tape: Tape) -> None:
        on_screen: dict[int, list[RecordedRequest]] = defaultdict(list)
        for index, event, documents in walk(tape):
            if isinstance(event, Edit):
                self._edits[documents.paths[event.doc]].append(index)
                for request in on_screen[event.doc]:
                    request.take(documents.texts[event.doc], event)
                on_screen[event.doc] = [request for request in on_screen[event.doc] if request.is_open]
            elif isinstance(event, Ghost):
                self._ghosts[documents.paths[event.doc]].append((index, event))
                self._tell(event, on_screen[event.doc], documents.texts[event.doc])
            else:
                self._leave(event, on_screen)

    def _tell(self, ghost: Ghost, on_screen: list[RecordedRequest], text: str) -> None:
        if ghost.phase == "asked":
            self._requests[ghost.request] = RecordedRequest(ghost.offset, asked_in=text)
        elif ghost.phase == "shown":
            request = self._requests.setdefault(ghost.request, RecordedRequest(ghost.offset, asked_in=text))
            request.show(ghost, text)
            on_screen.append(request)
        elif ghost.request in self._requests:
            self._requests[ghost.request].decide(ghost)

    def _leave(self, event: Event, on_screen: dict[int, list[RecordedRequest]]) -> None:
        """A document that is opened anew shows nothing."""
        if isinstance(event, Open):
            on_screen.pop(event.doc, None)

    def of(self, request: int) -> RecordedDecision | None:
        """What was decided about a request; None if the tape does not know it."""
        known = self._requests.get(request)
        return None if known is None else known.decision

    def at(self, path: str, event: int, offset: int) -> RecordedDecision | None:
        """What was decided at a place, from the last edit before event index `event` up to the next edit; None if nothing was.

        It is for moments at which the tape's assistant was not asked itself: of several requests there that counts of which something was
        accepted, else the last that was rejected or shown. A suggestion that just vanished has no ending here: how long this one stands
        there is another matter.

        A tape tells behind an edit that it was an acceptance. So a decision behind an edit, about a suggestion that was
        not new since, belongs before that edit. `offset` is in UTF-16 code units of the document as it was recorded;
        what the assistant did elsewhere in the document is left out.
        """
        ghosts = [ghost for ghost in self._around(path, event) if ghost.offset == offset]
        taken = [self._accepted(ghost) for ghost in ghosts if ghost.phase in {"accepted", "part"}]
        seen = [decision for ghost in ghosts if (decision := self.of(ghost.request)) and decision.shown is not None]
        begun = [decision for decision in seen if decision.taken]
        rejected = [decision for decision in seen if decision.ending == "rejected"]
        found = next(iter([*begun[:1], *taken[:1], *rejected[-1:], *seen[-1:]]), None)
        return replace(found, ending="") if found is not None and found.ending == "shown" else found

    def _accepted(self, ghost: Ghost) -> RecordedDecision:
        """An acceptance as it is at its own place, where only the rest of a suggestion was left, or which the tape never showed."""
        return RecordedDecision(None, ghost.text, "part" if ghost.phase == "part" else "accepted")

    def _around(self, path: str, event: int) -> list[Ghost]:
        edits = self._edits[path]
        after = bisect_left(edits, event)
        last = edits[after - 1] if after else -1
        here, _ = self._since(path, last, edits[after : after + 1])
        _, behind = self._since(path, edits[after], edits[after + 1 : after + 2]) if after < len(edits) else ([], [])
        return [*here, *behind]

    def _since(self, path: str, edit: int, until: list[int]) -> tuple[list[Ghost], list[Ghost]]:
        """What the assistant did between two edits: what began there, and decisions that belong before the first."""
        ghosts = self._between(path, edit, until[0] if until else None)
        new = {ghost.request for ghost in ghosts if ghost.phase not in DECIDED}
        old = [ghost for ghost in ghosts if edit >= 0 and ghost.phase in DECIDED and ghost.request not in new]
        return [ghost for ghost in ghosts if ghost not in old], old

    def _between(self, path: str, start: int, end: int | None) -> list[Ghost]:
        """The assistant's events with an index after `start` and before `end`."""
        ghosts = self._ghosts[path]
        first = bisect_left(ghosts, start + 1, key=lambda pair: pair[0])
        stop = len(ghosts) if end is None else bisect_left(ghosts, end, key=lambda pair: pair[0])
        return [ghost for _, ghost in ghosts[first:stop]]
