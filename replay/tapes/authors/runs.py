"""Edits that one hand can have made one behind the other: the runs in which a stream is looked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.cursors import Cursors
from replay.tapes.authors.parameters import numbers
from replay.tapes.tape import Edit, Event, Select
from syntax.text import Change, carry_left, cut, length

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
