"""The groups of a person's edits: what they did in one go, at one or two places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from replay.tapes.clock import virtual_times
from replay.tapes.tape import Close, Edit, Open, walk
from replay.tapes.timeline import NO_PERSON, Timeline
from syntax.composition import Composition
from syntax.text import Change, cut, length, minimal, position_at, splice

_NO_TRUTH = NO_PERSON | {"undo", "redo"}
"""Reasons of edits that are no part of what a person wants next."""


class Grouping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes a group of edits, and which group answers a moment. Times are in ms.

    Successive edits of one document belong together up to `lines` lines and `pause` apart (Zed, `edit_prediction`: its events are merged
    within 8 lines and 1 s). An edit that would make a group have more `places`, with whole lines between them, begins another, and so does
    one that comes later than `horizon` after its first. The next group is a jump if it begins more than `near` lines away, or in another
    document; one that begins later than `horizon` answers nothing.
    """

    lines: int = 8
    pause: float = 1000.0
    places: int = 2
    horizon: float = 120_000.0
    near: int = 1

    def __post_init__(self) -> None:
        """Refuse numbers outside of their range."""
        for name in self.__struct_fields__:
            least = int(name == "places")
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, and must be at least {least}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditGroup:
    """Edits of a person in one document, in one go.

    `first` and `last` are the indices of its edit events, `began` and `ended` their virtual times (ms). `changes` are all of them as one,
    against `before`, the text before the first. `open_paths` are the documents that are open behind the last, `cursor` is where that left the
    cursor (UTF-16 offset). `begins` is the line (from 0) of the first edit in the text before it, `stops` the last line of the last edit in the
    text behind it.
    """

    path: str
    first: int
    last: int
    began: float
    ended: float
    before: str
    open_paths: frozenset[str]
    changes: tuple[Change, ...]
    cursor: int
    begins: int
    stops: int


@dataclass(frozen=True, slots=True)
class _MadeEdit:
    """An edit of a person: its event's index, its virtual time, the document with its text before, and its minimal changes."""

    index: int
    now: float
    doc: int
    path: str
    before: str
    changes: tuple[Change, ...]
    open_paths: frozenset[str]

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line (from 0) that it changes."""
        return _lines(self.before, _hull(self.changes))

    @property
    def lines_after(self) -> tuple[int, int]:
        """The same in the text behind it."""
        start, end = _hull(self.changes)
        grown = sum(length(new) - (last - first) for first, last, new in self.changes)
        return _lines(splice(self.before, self.changes), (start, end + grown))


class _GrowingGroup:
    """A group that may go on."""

    def __init__(self, first: _MadeEdit) -> None:
        self.first = self.last = first
        self._composition = Composition().then(first.changes)

    def take(self, edit: _MadeEdit) -> None:
        """Take an edit in."""
        self.last = edit
        self._composition = self._composition.then(edit.changes)

    def takes(self, grouping: Grouping, edit: _MadeEdit) -> bool:
        """Whether the next edit on the tape belongs to the group."""
        late = edit.now - self.last.now > grouping.pause or edit.now - self.first.now > grouping.horizon
        if edit.doc != self.first.doc or late:
            return False
        (first, last), (start, end) = self.last.lines_after, edit.lines
        if max(start - last, first - end) > grouping.lines:
            return False
        return _places(self.first.before, self._composition.then(edit.changes).changes()) <= grouping.places

    def finished(self) -> Iterator[EditGroup]:
        """The group, unless its edits have no effect together."""
        first, last = self.first, self.last
        least = (minimal(first.before, change) for change in self._composition.changes())
        changes = tuple(change for change in least if change[2] or change[0] < change[1])
        if changes and splice(first.before, changes) != first.before:
            start, _, new = min(last.changes)
            yield EditGroup(
                path=first.path,
                first=first.index,
                last=last.index,
                began=first.now,
                ended=last.now,
                before=first.before,
                open_paths=last.open_paths,
                changes=changes,
                cursor=start + length(new),
                begins=first.lines[0],
                stops=last.lines_after[1],
            )


def edit_groups(timeline: Timeline, grouping: Grouping) -> Iterator[EditGroup]:
    """The groups of a tape, in their order. An edit that no person made ends a group, and so do undo and redo; they belong to none."""
    times = virtual_times(timeline.tape.events)
    group: _GrowingGroup | None = None
    for index, event, documents in walk(timeline.tape):
        if isinstance(event, Open | Close) and group is not None and event.doc == group.first.doc:
            yield from group.finished()  # it may come back with another text
            group = None
        if not isinstance(event, Edit):
            continue
        before = documents.texts[event.doc]
        changes = tuple(minimal(before, change) for change in event.changes)
        if all(start == end and not new for start, end, new in changes):
            continue
        open_paths = frozenset(documents.paths[doc] for doc in documents.shown)
        edit = _MadeEdit(index, times[index], event.doc, documents.paths[event.doc], before, changes, open_paths)
        belongs = event.reason not in _NO_TRUTH
        if group is not None and belongs and group.takes(grouping, edit):
            group.take(edit)
            continue
        if group is not None:
            yield from group.finished()
        group = _GrowingGroup(edit) if belongs else None
    if group is not None:
        yield from group.finished()


def _hull(changes: tuple[Change, ...]) -> tuple[int, int]:
    return min(start for start, _, _ in changes), max(end for _, end, _ in changes)


def _lines(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """The first and the last line (from 0) of a span of UTF-16 offsets."""
    start, end = span
    return position_at(text, start)[0], position_at(text, end)[0]


def _places(text: str, changes: tuple[Change, ...]) -> int:
    """At how many places changes are: between two of them is a whole line that stays as it is."""
    return sum(
        at == 0 or cut(text, changes[at - 1][1], start).count("\n") > 1 for at, (start, _, _) in enumerate(changes)
    )
