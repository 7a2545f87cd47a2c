"""What lies before and behind a point of a tape: when a text was changed last, and when something next ends a wait."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replay.stage import Stage
from replay.tape import Close, Edit, Event, Focus, Select


class Lookahead:
    """The events of a tape with their virtual times (ms), seen from the stage as it is now."""

    def __init__(self, events: Sequence[Event], times: Sequence[float], stage: Stage) -> None:
        self.events, self.times, self.stage = events, times, stage

    def next_change(self, index: int) -> float:
        """When a text changes next, from event `index` on."""
        return next((self.times[at] for at in range(index, len(self.events)) if self._changes(at)), math.inf)

    def given_up(self, index: int, doc: int, offset: int) -> float:
        """When an editor next gives up a request at a place: a text changes, or the cursor or the focus moves away."""
        following = range(index, len(self.events))
        return next(
            (self.times[at] for at in following if self._changes(at) or self._leaves(at, doc, offset)), math.inf
        )

    def _changes(self, at: int) -> bool:
        event = self.events[at]
        return isinstance(event, Edit) and not self.stage.is_needless(at, event.doc)

    def _leaves(self, at: int, doc: int, offset: int) -> bool:
        match self.events[at]:
            case Focus(doc=to):
                return to != doc
            case Close():
                return True
            case Select(doc=moved, ranges=ranges) if moved == doc and ranges:
                return tuple(self.stage.actual(doc, end) for end in ranges[0]) != (offset, offset)
            case _:
                return False

    def last_edit(self, index: int) -> float:
        """When a text was last changed on the tape before event `index`; 0 if never."""
        before = (at for at in range(min(index, len(self.events)) - 1, -1, -1) if isinstance(self.events[at], Edit))
        at = next(before, None)
        return 0.0 if at is None else self.times[at]
