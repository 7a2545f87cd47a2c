"""The virtual clock: when each event of a tape happens, on a clock that never runs backwards."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replay.tapes.tape import Edit, Event


def virtual_times(events: Sequence[Event]) -> list[float]:
    """The time of each event in ms, never less than the one before.

    Recorded clocks step back, and what is not typed (a document that comes into view, a selection) may bear a stamp from
    another time altogether. So the edits set the pace: from one edit to the next as much time passes as their stamps say,
    or none where they step back. Everything else falls between its neighbouring edits, where its stamp puts it as far as
    that is possible.
    """
    edits = [index for index, event in enumerate(events) if isinstance(event, Edit)]
    paced = _paced([events[index].t for index in edits])
    times: list[float] = []
    passed, now = 0, 0.0
    for index, event in enumerate(events):
        at_edit = passed < len(edits) and edits[passed] == index
        anchor = min(passed, len(edits) - 1) if at_edit or not passed else passed - 1
        wanted = paced[anchor] + event.t - events[edits[anchor]].t if edits else event.t
        limit = paced[passed] if passed < len(edits) else math.inf
        now = limit if at_edit else min(max(now, wanted), limit)
        times.append(now)
        passed += at_edit
    return times


def _paced(stamps: Sequence[float]) -> list[float]:
    """The edits' own times: sums of the gaps between their stamps, gaps that go backwards counting as none."""
    times: list[float] = []
    for index, stamp in enumerate(stamps):
        times.append(max(0.0, stamp) if index == 0 else times[-1] + max(0.0, stamp - stamps[index - 1]))
    return times
