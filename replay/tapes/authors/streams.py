"""Which edits no person made, told from a tape that gives no reason for them: streams of an agent, edits of a formatter, edits elsewhere.

This is the one place that decides it. An import writes the reasons onto the tape; `Timeline` recognises them again on tapes that were
made without. The numbers and their sources are in `streams.toml`, and docs/tapes.md ("Who wrote it") explains the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.parameters import numbers
from replay.tapes.authors.runs import EditRun, runs
from replay.tapes.tape import Close, Edit, Event, Focus, Reason, Tape, played
from syntax.text import cut


def marked(tape: Tape) -> Tape:
    """The tape with a reason on each edit that is recognised as no person's; the same tape where there is none."""
    reasons = recognised(tape.events, tape.source)
    if not reasons:
        return tape
    return msgspec.structs.replace(tape, events=tuple(with_reasons(tape.events, reasons)))


def with_reasons(events: Iterable[Event], reasons: Mapping[int, Reason]) -> Iterator[Event]:
    """Events, those at some indices with another reason."""
    for index, event in enumerate(events):
        yield msgspec.structs.replace(event, reason=reasons[index]) if index in reasons else event


def recognised(events: Sequence[Event], source: str = "<memory>") -> dict[int, Reason]:
    """The index of each edit that no person made, though its reason does not say so, with the reason that it should have.

    Only edits whose reason is unknown, or was guessed from the change alone, are looked at. An edit that undoes or redoes an
    earlier one is a person's, however fast it follows.

    Raises:
        TapeError: an event cannot have happened; `source` names the tape.

    """
    streams = _fast(runs(events))
    reasons: dict[int, Reason] = dict.fromkeys(_elsewhere(events), "external")
    blank = {index for index, event in enumerate(events) if _may_be_a_formatter(event)}
    if not streams and not blank:
        return reasons
    seen = _Texts(events, {event.doc for event in _edits(events, [*blank, *(run[0].index for run in streams)])}, source)
    written = {one.index for run in streams if not seen.returns(run) for one in run}
    reasons |= dict.fromkeys(blank & seen.blank, "format")
    return reasons | dict.fromkeys(written, "agent")


def _edits(events: Sequence[Event], indices: Iterable[int]) -> Iterator[Edit]:
    found = (events[index] for index in indices)
    return (event for event in found if isinstance(event, Edit))


def _fast(tape_runs: Iterable[EditRun]) -> list[EditRun]:
    """The runs in which enough edits follow each other at a rate that no person reaches, without the keys around them."""
    limits = numbers().agent
    likely = [(run, shown) for run, shown in map(_judged, tape_runs) if shown >= limits.keys * limits.edits_in_several]
    several = [run for run, _ in likely]
    return [run for run, shown in likely if shown >= limits.keys * limits.edits or _is_beside(run, several)]


def _is_beside(run: EditRun, others: Iterable[EditRun]) -> bool:
    """Whether another document is written at the same time."""
    return any(other[0].doc != run[0].doc and _overlap(run, other) for other in others)


def _overlap(one: EditRun, other: EditRun) -> bool:
    return one[0].t <= other[-1].t and other[0].t <= one[-1].t


def _judged(run: EditRun) -> tuple[EditRun, int]:
    """The part of a run that an agent can have written, and what its best row shows, in keys (`_shown`)."""
    rows = _trimmed(list(_rows(run)))
    return [one for row in rows for one in row], max(map(_shown, rows), default=0)


def _rows(run: EditRun) -> Iterator[EditRun]:
    """A run, cut where an edit does not follow within a frame."""
    row = run[:1]
    for before, one in pairwise(run):
        if one.t - before.t > numbers().agent.frame:
            yield row
            row = []
        row.append(one)
    yield row


def _trimmed(rows: list[EditRun]) -> list[EditRun]:
    """Rows without those at both ends that a person may have typed."""
    sure = [number for number, row in enumerate(rows) if not _may_be_typed(row)]
    return rows[sure[0] : sure[-1] + 1] if sure else []


def _may_be_typed(row: EditRun) -> bool:
    """Whether a row has nothing but keys, and no more of them than roll over."""
    return all(one.is_key for one in row) and sum(_worths(row).values()) <= numbers().agent.rollover


def _shown(row: EditRun) -> int:
    """How much the rate of a row shows, in keys (`_worths`); 0 if it writes too few different texts."""
    texts = {one.text for one in row}
    return sum(_worths(row).values()) if len(texts) >= numbers().agent.texts else 0


def _worths(row: EditRun) -> dict[float, int]:
    """What each time (ms) of a row shows of its rate, in keys.

    An edit that no key makes is worth `keys`. A key is worth one if it comes too soon for a person, and is another than the one
    before: one that is held down repeats. Edits of the same millisecond count once: where a clock stands still it shows no rate.
    For example a key at 0 ms, a word at 20 ms, another key at 40 ms and the same again at 60 ms are worth 1 + 4 + 1 + 0.
    """
    limits = numbers().agent
    worths = {row[0].t: 1 if row[0].is_key else limits.keys}
    for before, one in pairwise(row):
        is_soon = limits.key_batch <= one.t - before.t <= limits.key_frame and one.text != before.text
        worth = int(is_soon) if one.is_key else limits.keys
        worths[one.t] = max(worth, worths.get(one.t, 0))
    return worths


def _elsewhere(events: Sequence[Event]) -> Iterator[int]:
    """The edits that no key makes and that have no reason, in a document that a person looks away from: another one has the focus."""
    focus: int | None = None
    for index, event in enumerate(events):
        if isinstance(event, Focus):
            focus = event.doc
        elif isinstance(event, Close) and event.doc == focus:
            focus = None
        elif isinstance(event, Edit) and focus not in {None, event.doc} and _is_unexplained(event):
            yield index


def _is_unexplained(event: Edit) -> bool:
    """Whether an edit has no reason, and no key makes it."""
    return event.reason is None and certain_reason(event.changes) is None


def _may_be_a_formatter(event: Event) -> bool:
    """Whether an edit without a reason puts in nothing but white space, in several places."""
    if not isinstance(event, Edit) or event.reason is not None or len(event.changes) < numbers().formatter.places:
        return False
    return not any(new.strip() for _, _, new in event.changes)


class _Texts:
    """What some documents held: which edits changed white space alone, and which led back to a text that stood there before."""

    def __init__(self, events: Sequence[Event], docs: set[int], source: str) -> None:
        self.blank: set[int] = set()
        self._first: dict[tuple[int, int], int] = {}
        self._after: dict[int, tuple[int, int]] = {}
        self._changed: set[int] = set()
        texts: dict[int, str] = {}
        for line, event, documents in played(source, enumerate(events, 2)):
            doc = getattr(event, "doc", None)
            if doc not in docs or doc not in documents.texts:
                continue
            before, text = texts.get(doc), documents.texts[doc]
            texts[doc] = text
            if isinstance(event, Edit) and before is not None:
                self._edited(line - 2, event, before, text)
            self._first.setdefault((doc, hash(text)), line - 2)

    def _edited(self, index: int, event: Edit, before: str, text: str) -> None:
        if not any(cut(before, start, end).strip() for start, end, _ in event.changes):
            self.blank.add(index)
        self._after[index] = event.doc, hash(text)
        if text != before:
            self._changed.add(index)

    def returns(self, run: EditRun) -> bool:
        """Whether most edits of a run lead back to texts from before it: someone undoes or redoes with a key held down."""
        changed = [one.index for one in run if one.index in self._changed]
        back = [index for index in changed if self._first[self._after[index]] < run[0].index]
        return 2 * len(back) >= len(changed)
