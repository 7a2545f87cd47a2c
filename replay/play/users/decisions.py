"""What the person on a tape decided about the suggestions of the assistant they had then."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from replay.tapes.tape import Edit, Ghost, Open, Tape

DECIDED = frozenset({"accepted", "part", "rejected", "ignored"})


class Decisions:
    """The assistant's events of a tape, by document, for questions about one place at a time."""

    def __init__(self, tape: Tape) -> None:
        self._edits: dict[str, list[int]] = defaultdict(list)
        self._ghosts: dict[str, list[tuple[int, Ghost]]] = defaultdict(list)
        paths: dict[int, str] = {}
        for index, event in enumerate(tape.events):
            match event:
                case Open():
                    paths[event.doc] = event.path
                case Edit():
                    self._edits[paths[event.doc]].append(index)
                case Ghost():
                    self._ghosts[paths[event.doc]].append((index, event))

    def at(self, path: str, event: int, offset: int) -> tuple[Ghost, ...]:
        """The assistant's events at a place: from the last edit before event index `event` up to the next edit.

        A tape tells behind an edit that it was an acceptance. So a decision behind an edit, about a suggestion that was
        not new since, belongs before that edit. `offset` is in UTF-16 code units of the document as it was recorded;
        what the assistant did elsewhere in the document is left out.
        """
        edits = self._edits[path]
        after = bisect_left(edits, event)
        last = edits[after - 1] if after else -1
        here, _ = self._since(path, last, edits[after : after + 1])
        _, behind = self._since(path, edits[after], edits[after + 1 : after + 2]) if after < len(edits) else ([], [])
        return tuple(ghost for ghost in [*here, *behind] if ghost.offset == offset)

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
