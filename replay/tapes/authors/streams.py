"""Which edits no person made, told from a tape that gives no reason for them: streams of an agent, edits of a formatter, edits elsewhere.

This is the one place that decides it. An import writes the reasons onto the tape; `Timeline` recognises them again on tapes that were
made without. The numbers and their sources are in `streams.toml`, and docs/tapes.md ("Who wrote it") explains the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

import msgspec

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.cursors import Cursors
from replay.tapes.documents import played
from replay.tapes.tape import Close, Edit, Event, Focus, Reason, Select, Tape
from syntax.text import carry_left, cut, length

_LINE_END = 2
"""Code units of the longest line end: so far behind the last edit of a stream its next line begins."""


class AgentNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes edits the stream of an agent; times in ms. `streams.toml` says where each number comes from."""

    frame: float
    edits: int
    texts: int
    edits_in_several: int
    pause: float


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
    runs = _fast(list(_runs(events)))
    reasons: dict[int, Reason] = dict.fromkeys(_elsewhere(events), "external")
    blank = {index for index, event in enumerate(events) if _may_be_a_formatter(event)}
    if not runs and not blank:
        return reasons
    seen = _Texts(events, {event.doc for event in _edits(events, [*blank, *(run[0].index for run in runs)])}, source)
    streams = {one.index for run in runs if not seen.returns(run) for one in run}
    reasons |= dict.fromkeys(blank & seen.blank, "format")
    return reasons | dict.fromkeys(streams, "agent")


def _edits(events: Sequence[Event], indices: Iterable[int]) -> Iterator[Edit]:
    found = (events[index] for index in indices)
    return (event for event in found if isinstance(event, Edit))


@dataclass(frozen=True, slots=True)
class _Written:
    """An edit without a known reason: where it begins and where its text ends (UTF-16), and whether one key can have made it."""

    index: int
    doc: int
    t: float
    start: int
    end: int
    text: str
    is_key: bool

    def follows(self, end: int) -> bool:
        """Whether it goes on behind the end of an earlier edit; a key only right there, as a person may type elsewhere."""
        ahead = self.start - end
        return 0 <= ahead <= _LINE_END if self.is_key else ahead >= 0


def _written(index: int, event: Edit) -> _Written | None:
    """An edit as a part of a stream; None where its reason is known, or where it is in several places at once."""
    guess = certain_reason(event.changes)
    if len(event.changes) != 1 or event.reason not in {None, guess}:
        return None
    start, _, new = event.changes[0]
    return _Written(index, event.doc, event.t, start, start + length(new), new, guess is not None)


class _Open:
    """A run that may go on: its edits, and where the last one ended."""

    def __init__(self, first: _Written) -> None:
        self.edits, self.end = [first], first.end

    def breaks_at(self, one: _Written, *, moved: bool) -> bool:
        """Whether a stream cannot go on from its last edit to this one."""
        gap, limits = one.t - self.edits[-1].t, numbers().agent
        longest = limits.frame if moved else limits.pause
        return not 0 <= gap <= longest or not (one.is_key or one.follows(self.end))

    def take(self, one: _Written) -> bool:
        """Add an edit, unless it is a key elsewhere, which is the person's: whether it was added."""
        follows = one.follows(self.end)
        if follows:
            self.edits.append(one)
            self.end = one.end
        return follows


def _runs(events: Sequence[Event]) -> Iterator[list[_Written]]:
    """Edits of one document, one behind the other, that no pause and no move of the cursor separates. None begins with a key."""
    cursors, runs = Cursors(), dict[int, _Open]()
    for index, event in enumerate(events):
        if isinstance(event, Select):
            cursors.selected(event)
        elif isinstance(event, Edit):
            one, run, doc = _written(index, event), runs.get(event.doc), event.doc
            if run is not None and (one is None or run.breaks_at(one, moved=cursors.has_moved(doc))):
                yield runs.pop(doc).edits
                run = None
            if run is not None and one is not None and run.take(one):
                cursors.forget_moves(doc)
            elif run is not None:
                run.end = carry_left(run.end, event.changes)
            elif one is not None and not one.is_key:
                runs[doc] = _Open(one)
                cursors.forget_moves(doc)
            cursors.edited(event)
    for run in runs.values():
        yield run.edits


def _fast(runs: Sequence[list[_Written]]) -> list[list[_Written]]:
    """The runs in which enough edits follow each other within a frame, without the keys behind their ends."""
    limits = numbers().agent
    rows = [(run, _longest_row(run)) for run in map(_trimmed, runs) if len(run) >= limits.edits_in_several]
    likely = [(run, row) for run, row in rows if row >= limits.edits_in_several]
    return [run for run, row in likely if row >= limits.edits or _is_beside(run, [other for other, _ in likely])]


def _is_beside(run: Sequence[_Written], others: Iterable[Sequence[_Written]]) -> bool:
    """Whether another document is written at the same time."""
    return any(other[0].doc != run[0].doc and _overlap(run, other) for other in others)


def _overlap(one: Sequence[_Written], other: Sequence[_Written]) -> bool:
    return one[0].t <= other[-1].t and other[0].t <= one[-1].t


def _trimmed(run: list[_Written]) -> list[_Written]:
    """A run without keys at its end that did not come within a frame: a person may have pressed them."""
    end = len(run)
    while end > 1 and run[end - 1].is_key and run[end - 1].t - run[end - 2].t > numbers().agent.frame:
        end -= 1
    return run[:end]


def _longest_row(run: Sequence[_Written]) -> int:
    """How many edits that are no keys follow each other within a frame; 0 if they write too few different texts.

    Edits of the same millisecond count once: where a clock stands still it shows no rate.
    """
    limits, best, row, texts = numbers().agent, 0, 1, {run[0].text}
    for before, one in pairwise(run):
        if one.t - before.t > limits.frame:
            row, texts = 0, set()
        if not one.is_key and (not row or one.t > before.t):
            row, texts = row + 1, texts | {one.text} if len(texts) < limits.texts else texts
        best = max(best, row if len(texts) >= limits.texts else 0)
    return best


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

    def returns(self, run: Sequence[_Written]) -> bool:
        """Whether most edits of a run lead back to texts from before it: someone undoes or redoes with a key held down."""
        changed = [one.index for one in run if one.index in self._changed]
        back = [index for index in changed if self._first[self._after[index]] < run[0].index]
        return 2 * len(back) >= len(changed)
