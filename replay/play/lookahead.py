"""What lies before and behind a point of a tape: when something next ends a wait, seen from the stage as it is now."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from replay.play.drive.pages import Pages
from replay.play.fates import RequestFate
from replay.play.stage import Stage
from replay.tapes.tape import Close, Edit, Event, Focus, Ghost, Select


class Lookahead:
    """The events of a tape with their virtual times (ms). `asks` says at which words of the tape's assistant the policy asks."""

    def __init__(
        self, events: Sequence[Event], times: Sequence[float], stage: Stage, asks: Callable[[Ghost], bool]
    ) -> None:
        self.events, self.times, self.stage, self.asks = events, times, stage, asks

    def next_change(self, index: int) -> float:
        """When a text changes next, from event `index` on."""
        pages = self.stage.pages.copy()
        following = range(index, len(self.events))
        return next((self.times[at] for at in following if self._changes(at, pages)), math.inf)

    def given_up(self, index: int, doc: int, offset: int, fate: RequestFate | None = None) -> float:
        """When an editor next cancels a request at a place: a text changes, the cursor or the focus moves away, or it asks again.

        Where the tape tells the request's `fate`, only its own document can end it before that.
        """
        pages = self.stage.pages.copy()
        following = range(index, len(self.events))
        return next(
            (self.times[at] for at in following if self._gives_up(at, doc, offset, pages, fate)),
            math.inf,
        )

    def _gives_up(self, at: int, doc: int, offset: int, pages: Pages, fate: RequestFate | None) -> bool:
        changes = self._changes(at, pages)
        if fate is None or at > fate.event:
            return changes or self._leaves(at, doc, offset, pages)
        match self.events[at]:
            case Edit(doc=changed):
                return changes and changed == doc
            case Close(doc=closed):
                return closed == doc
            case _:
                return at == fate.event and fate.name == "cancelled"

    def _changes(self, at: int, pages: Pages) -> bool:
        event = self.events[at]
        if not isinstance(event, Edit):
            return False
        by_hand = self.stage.timeline.is_by_hand(at)
        return not pages.rebased or bool(pages.take(at, event, by_hand=by_hand))

    def _leaves(self, at: int, doc: int, offset: int, pages: Pages) -> bool:
        match self.events[at]:
            case Focus(doc=to):
                return to != doc
            case Close(doc=closed):
                return closed == doc
            case Select(doc=moved, ranges=ranges) as event if moved == doc and ranges:
                return pages.selected(event) != (offset, offset)
            case Ghost() as ghost:
                return self.asks(ghost)
            case _:
                return False
