"""Which edits no person made, told from a tape that gives no reason for them: streams of an agent, edits of a formatter, edits elsewhere.

This is the one place that decides it. An import writes the reasons onto the tape; `Timeline` recognises them again on tapes that were
made without. The numbers and their sources are in `streams.toml`, and docs/tapes.md ("Who wrote it") explains the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TypeAlias

import msgspec

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.tape import Close, Edit, Event, Focus, Reason, Select, Tape, played
from syntax.text import Change, carry_left, carry_right, cut, length


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


# Edits that one hand can have made one behind the other: the runs in which a stream is looked for.

_LINE_END = 2
"""Code units of the longest line end: so far behind the last edit of a stream its next line begins."""


@dataclass(frozen=True, slots=True)
class UnexplainedEdit:
    """An edit without a known reason, in one place."""

    index: int
    """Of its event."""
    doc: int
    t: float
    start: int
    """Where it begins (UTF-16)."""
    replaced: int
    """Where the text that it replaces ends (UTF-16, before the edit)."""
    end: int
    """Where its own text ends (UTF-16, after the edit)."""
    text: str
    """What it adds to the run."""
    is_key: bool
    """Whether one key can have made it."""


EditRun: TypeAlias = list[UnexplainedEdit]
"""Edits of one document, one behind the other, that no pause and no move of the cursor separates."""


def runs(events: Sequence[Event]) -> Iterator[EditRun]:
    """Each run of a tape, when it ends. Several can be open at once: a person presses keys while an agent writes elsewhere."""
    cursors, documents = Cursors(), defaultdict[int, list[_Open]](list)
    for index, event in enumerate(events):
        if isinstance(event, Select):
            cursors.selected(event)
        elif isinstance(event, Edit):
            one, known = _written(index, event), documents[event.doc]
            _note_moves(cursors, event.doc, known)
            going = [] if one is None else [run for run in known if not run.ends_before(one)]
            yield from (run.edits for run in known if run not in going)
            if one is not None:
                _add(one, going, event.changes)
            documents[event.doc] = going
            cursors.edited(event)
    for known in documents.values():
        yield from (run.edits for run in known)


def _written(index: int, event: Edit) -> UnexplainedEdit | None:
    """An edit as a part of a run; None where its reason is known, or where it is in several places at once."""
    guess = certain_reason(event.changes)
    if len(event.changes) != 1 or event.reason not in {None, guess}:
        return None
    start, end, new = event.changes[0]
    return UnexplainedEdit(index, event.doc, event.t, start, end, start + length(new), new, guess is not None)


class _Open:
    """A run that may go on: its edits, and where the text of the last one stands now."""

    def __init__(self, first: UnexplainedEdit) -> None:
        self.edits: EditRun = [first]
        self._follow(first)

    def _follow(self, one: UnexplainedEdit) -> None:
        self.start, self.end, self.text, self.has_moved = one.start, one.end, one.text, False

    def take(self, one: UnexplainedEdit) -> None:
        """Add an edit; of one that writes text again, what it adds."""
        added = self._added(one)
        self.edits.append(one if added is None else replace(one, text=added))
        self._follow(one)

    def carry(self, changes: Sequence[Change]) -> None:
        """Move its place through an edit elsewhere."""
        self.start, self.end = carry_left(self.start, changes), carry_left(self.end, changes)

    def ends_before(self, one: UnexplainedEdit) -> bool:
        """Whether it cannot go on when an edit is made: too late, or elsewhere with more than a key."""
        gap, limits = one.t - self.edits[-1].t, numbers().agent
        longest = limits.frame if self.has_moved else limits.pause
        return not 0 <= gap <= longest or not (one.is_key or self.leads_to(one))

    def leads_to(self, one: UnexplainedEdit) -> bool:
        """Whether an edit goes on from its end; a key only right there, as a person may type elsewhere."""
        ahead = one.start - self.end
        if one.is_key:
            return 0 <= ahead <= _LINE_END
        return ahead >= 0 or self._added(one) is not None

    def _added(self, one: UnexplainedEdit) -> str | None:
        """What an edit adds to the end of the last one's text, which it writes again; None for other edits.

        For example `[6, 9, "foobar"]` adds `bar` behind `[6, 6, "foo"]`.
        """
        if not self.start <= one.start < self.end == one.replaced < one.end:
            return None
        again = cut(self.text, one.start - self.start, self.end - self.start)
        return one.text[len(again) :] if one.text.startswith(again) else None


def _note_moves(cursors: Cursors, doc: int, known: Sequence[_Open]) -> None:
    """Let the runs of a document know that a person moved its cursor since the last edit."""
    for run in known:
        run.has_moved |= cursors.has_moved(doc)
    cursors.forget_moves(doc)


def _add(one: UnexplainedEdit, going: list[_Open], changes: Sequence[Change]) -> None:
    """Give an edit to the nearest run that leads to it, or begin one, and move the others' places."""
    nearest = max((run for run in going if run.leads_to(one)), key=lambda run: run.end, default=None)
    for run in going:
        if run is not nearest:
            run.carry(changes)
    if nearest is None:
        going.append(_Open(one))
    else:
        nearest.take(one)


# Where the cursors of a tape are, and whether a person moved them or an edit carried them along.


class Cursors:
    """The ends of each document's selections, as the range of places to which the edits since can have carried them."""

    def __init__(self) -> None:
        self._ends: dict[int, list[tuple[int, int]]] = {}
        self._moved: set[int] = set()

    def edited(self, event: Edit) -> None:
        """Carry the ends through an edit: an insertion at one may leave it before or behind."""
        ends = self._ends.get(event.doc, [])
        self._ends[event.doc] = [
            (carry_left(low, event.changes), carry_right(high, event.changes)) for low, high in ends
        ]

    def selected(self, event: Select) -> None:
        """Take a report of the selections in."""
        ends = [end for reach in event.ranges for end in reach]
        known = self._ends.get(event.doc, [])
        carried = len(ends) == len(known) and all(
            low <= end <= high for end, (low, high) in zip(ends, known, strict=True)
        )
        if not carried:
            self._moved.add(event.doc)
        self._ends[event.doc] = [(end, end) for end in ends]

    def has_moved(self, doc: int) -> bool:
        """Whether a person has moved a cursor of a document since `forget_moves`."""
        return doc in self._moved

    def forget_moves(self, doc: int) -> None:
        """Count moves from here on."""
        self._moved.discard(doc)


# The numbers by which edits of agents and formatters are recognised: `streams.toml`, with the source of
# each.


class AgentNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes edits the stream of an agent; times in ms. `streams.toml` says where each number comes from."""

    frame: float
    """Edits of one row follow each other within this time."""
    edits: int
    """So many edits in a row, each with text that no key writes."""
    key_frame: float
    """A key of a row counts if it follows within this time."""
    key_batch: float
    """A key of a row that follows sooner does not count."""
    keys: int
    """So many keys count as much as one longer edit."""
    rollover: int
    """A person presses so many keys within a frame of each other."""
    texts: int
    """A row has at least so many different texts."""
    edits_in_several: int
    """As `edits`, where several documents are written at once."""
    pause: float
    """The longest wait inside a stream."""


class FormatterNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes an edit a formatter's: white space alone changes, in at least so many `places`."""

    places: int


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of `streams.toml`."""

    agent: AgentNumbers
    formatter: FormatterNumbers


@cache
def numbers() -> Numbers:
    """The numbers that come with the project."""
    data = resources.files("replay.tapes.authors").joinpath("streams.toml").read_bytes()
    return msgspec.toml.decode(data, type=Numbers)
