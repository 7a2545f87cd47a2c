"""Grafts of edit suggestions: the finished project with the suggestion where the person made their next edit (DESIGN.md §5a).

A suggestion's ranges and those of the person's next edit are carried through all later edits. Inside their union the person's text is undone
and what the suggestion makes of the text at the moment is put in; elsewhere the finished project stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from replay.records import DocumentChange, Moment, NextEdit
from replay.tapes.timeline import Timeline
from syntax.text import Change, carry_left, carry_right, cut, position_at, splice

_BESIDE = 1
"""Ranges that are at most so many lines apart are one place: a line can be put in behind the one above, or before the one below."""


@dataclass(frozen=True, slots=True)
class EditedPlace:
    """A stretch of a document that a suggestion changes, or the person does next.

    `start` and `end` are UTF-16 offsets in the finished document, `undone` what stood there at the moment, `suggested` what the suggestion
    makes of that, `wanted` what the person did.
    """

    path: str
    start: int
    end: int
    undone: str
    suggested: str
    wanted: str

    @property
    def is_wanted(self) -> bool:
        """Whether the person changes something here."""
        return self.wanted != self.undone

    @property
    def is_suggested(self) -> bool:
        """Whether the suggestion does."""
        return self.suggested != self.undone


@dataclass(frozen=True, slots=True)
class EditGraft:
    """The documents that decide about an edit suggestion, by path: all other documents are as in the finished project.

    `emptied` have the person's edits undone where the suggestion is meant to stand in for them, `grafted` the suggestion there. `is_elsewhere`:
    the suggestion changes nothing where the person does.
    """

    emptied: Mapping[str, str]
    grafted: Mapping[str, str]
    is_elsewhere: bool


def edit_graft(
    timeline: Timeline, moment: Moment, texts: Mapping[str, str], suggested: Sequence[DocumentChange]
) -> EditGraft | None:
    """The documents with a suggestion; None where what the person did next was rewritten later.

    `texts` are the documents at the moment. A suggestion that changes nothing stands in for all of the next edit. One that changes nothing
    where the person does is put beside the next edit, which `emptied` has undone; if its own place was rewritten later, it changes nothing.
    """
    assert moment.next_edit is not None
    places = list(_places(timeline, moment.event, moment.next_edit, texts, suggested))
    wanted = [place for place in places if place.is_wanted]
    chosen = [place for place in places if place.is_suggested]
    is_elsewhere = bool(chosen) and not any(place.is_wanted for place in chosen)
    if is_elsewhere and any(_is_rewritten(timeline, place) for place in chosen):
        chosen, is_elsewhere = [], False
    emptied = wanted if is_elsewhere or not chosen else chosen
    replaced = chosen or wanted
    if any(_is_rewritten(timeline, place) for place in (*emptied, *replaced)):
        return None
    return EditGraft(
        _with(timeline, emptied, lambda place: place.undone),
        _with(timeline, replaced, lambda place: place.suggested if chosen else place.undone),
        is_elsewhere,
    )


def _is_rewritten(timeline: Timeline, place: EditedPlace) -> bool:
    """Whether something else stands there in the end than what the person did next, or than stood there at the moment."""
    return cut(timeline.final[place.path], place.start, place.end) != place.wanted


def _with(timeline: Timeline, places: Iterable[EditedPlace], text: Callable[[EditedPlace], str]) -> dict[str, str]:
    """The finished documents with another text at some places."""
    changes: dict[str, list[Change]] = {}
    for place in places:
        changes.setdefault(place.path, []).append((place.start, place.end, text(place)))
    return {path: splice(timeline.final[path], own) for path, own in changes.items()}


def _places(
    timeline: Timeline, event: int, next_edit: NextEdit, texts: Mapping[str, str], suggested: Sequence[DocumentChange]
) -> Iterator[EditedPlace]:
    """The places of both, in the order of the documents' paths."""
    for path in sorted({change.path for change in (*next_edit.changes, *suggested)}):
        text = texts[path]
        sides = [[one.change for one in side if one.path == path] for side in (next_edit.changes, suggested)]
        for start, end in _unions(text, [*sides[0], *sides[1]]):
            undone = cut(text, start, end)
            wanted, made = (_changed(undone, start, end, side) for side in sides)
            first, last = _carried(timeline, path, (start, end), event, max(event, next_edit.until))
            yield EditedPlace(path, first, last, undone, made, wanted)


def _unions(text: str, changes: Sequence[Change]) -> Iterator[tuple[int, int]]:
    """The ranges of changes, those as one that touch or are almost beside each other."""
    start, end = -1, -1
    for first, last, _ in sorted(changes):
        if start >= 0 and (first <= end or position_at(text, first)[0] - position_at(text, end)[0] <= _BESIDE):
            end = max(end, last)
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def _changed(undone: str, start: int, end: int, changes: Sequence[Change]) -> str:
    """A stretch of text after those of some changes that are in it."""
    own = [(first - start, last - start, new) for first, last, new in changes if start <= first and last <= end]
    return splice(undone, own)


def _carried(timeline: Timeline, path: str, span: tuple[int, int], event: int, until: int) -> tuple[int, int]:
    """Where a stretch of a document before `event` is in the finished one: what is written at its ends before `until` is inside, later not."""
    start, end = span
    first, then = timeline.edits_before(path, event), timeline.edits_before(path, until)
    for _, changes in timeline.edits[path][first:then]:
        start, end = carry_left(start, changes), carry_right(end, changes)
    carrying = timeline.carrying(path)
    start, end = carrying.right(start, then), carrying.left(end, then)
    return start, max(start, end)
