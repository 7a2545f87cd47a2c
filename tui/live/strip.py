"""A session on one line of time: a mark for each moment, by its ending and by its verdict."""

from __future__ import annotations

from textual.content import Content

from replay.records import Record
from tui.live.marks import FAINT, NOTHING, Mark, ending_mark, verdict_mark
from tui.live.state import Lane

_LABEL = 8
"""Cells of the words on the left."""


def clock(ms: float) -> str:
    """Virtual time as `12:03`, or `1:02:03` from an hour on."""
    minutes, seconds = divmod(int(ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def strip(lane: Lane, width: int) -> Content:
    """Three lines: how far the session is, endings, verdicts. Where moments share a cell, the most telling is shown, underlined."""
    room = max(10, width - _LABEL)
    endings, verdicts = [[NOTHING] * room for _ in range(2)]
    shared = [0] * room
    for number, record in enumerate(lane.records.values()):
        at = _cell(lane, record, number, room)
        shared[at] += 1
        _put(endings, at, ending_mark(record))
        _put(verdicts, at, verdict_mark(record, awaited=record.moment.id in lane.awaited))
    rows = [_axis(lane, room), _row("endings", endings, shared), _row("tests", verdicts, shared)]
    return Content("\n").join(rows)


def _cell(lane: Lane, record: Record, number: int, room: int) -> int:
    """Where a moment stands: by its time; where there is no time (the tasks of a corpus), by its number."""
    session = lane.session
    if session is None:
        return 0
    if session.duration > 0:
        share = record.moment.t / session.duration
    else:
        share = number % session.of / session.of if session.of > 0 else 0.0
    return max(0, min(room - 1, int(min(1.0, share) * room)))


def _put(cells: list[Mark], at: int, mark: Mark) -> None:
    if mark.rank >= cells[at].rank:
        cells[at] = mark


def _row(label: str, cells: list[Mark], shared: list[int]) -> Content:
    parts: list[Content | tuple[str, str]] = [(f"{label:<{_LABEL}}", FAINT)]
    for mark, number in zip(cells, shared, strict=True):
        style = f"bold underline {mark.style}" if number > 1 and mark is not NOTHING else mark.style
        parts.append((mark.letter, style) if style else Content(mark.letter))
    return Content.assemble(*parts)


def _axis(lane: Lane, room: int) -> Content:
    session, at = lane.session, lane.position
    if session is None or at is None:
        return Content.assemble((f"{'':<{_LABEL}}", ""), ("─" * room, FAINT))
    ends = clock(session.duration) if session.duration else f"{session.of:,}"
    here = clock(at.t) if session.duration else f"{at.index:,}"
    bar = room - len(ends) - 1
    share = at.t / session.duration if session.duration else lane.share
    done = max(0, min(bar, round(min(1.0, share) * bar)))
    line = Content.assemble(
        ("━" * done, "$primary"), ("╸" if done < bar else "", "$primary"), ("─" * max(0, bar - done - 1), FAINT)
    )
    return Content.assemble((f"{here:<{_LABEL}}", "bold"), line, " ", (ends, FAINT))
