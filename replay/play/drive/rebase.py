"""Drive mode: a document that is ahead of the tape, and the part of each recorded edit that is not in it yet. Pure.

Accepted text stays in the document. The recorded text is kept beside the actual one; the two differ only at places where the
document is ahead. The part of an accepted text that the tape also comes to contain is kept. The rest is deleted, or all of
it is undone if that takes fewer keys. A recorded edit that writes text which is already there is dropped, and an edit
elsewhere is moved to its actual offset. An edit that touches a place which differs in another way is a conflict: the person
types the difference.

Offsets are UTF-16 code units, of the recorded or of the actual text as each name says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import Levenshtein

from replay.tapes.lasting_text import Followed, follow
from replay.tapes.timeline import Timeline
from syntax.text import Change, carry_left, carry_right, cut, length, minimal, splice


@dataclass(frozen=True, slots=True)
class Ahead:
    """A place where `text` stands in the document instead of the recorded text between `left` and `right`.

    After the event `reached`, the recorded text at this place begins with `text`; `covered` are the events that write it.
    """

    left: int
    right: int
    text: str
    covered: frozenset[int]
    reached: int

    @property
    def growth(self) -> int:
        """How much longer the actual text is than the recorded one, because of this place."""
        return length(self.text) - (self.right - self.left)


@dataclass(frozen=True, slots=True)
class Performed:
    """Changes that the person makes, as offsets of the actual text before them. `mending` is the number of keys beyond the tape's."""

    changes: tuple[Change, ...]
    mending: int = 0
    conflict: bool = False
    by_tape: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """What happens to an accepted text: the number of characters that stay, the change that deletes the rest, and its keys."""

    characters: int
    deleted: tuple[Change, ...]
    keys: int
    cursor: int


@dataclass(frozen=True, slots=True)
class RecordedPlace:
    """A place of the recorded document: just before an event, at an offset of the text as it was then."""

    event: int
    offset: int
    text: str


class Rebased:
    """One document: the recorded text, and the places where the actual one is ahead of it."""

    def __init__(self, text: str) -> None:
        self.recorded = text
        self.aheads: tuple[Ahead, ...] = ()

    def copy(self) -> Rebased:
        """A copy of the document, for looking ahead."""
        other = Rebased(self.recorded)
        other.aheads = self.aheads
        return other

    @property
    def actual(self) -> str:
        """The text as it really is."""
        if not self.aheads:
            return self.recorded
        return splice(self.recorded, [(ahead.left, ahead.right, ahead.text) for ahead in self.aheads])

    def to_actual(self, offset: int, *, behind: bool = True) -> int:
        """The actual offset of a recorded offset.

        Inside a place that is ahead, it is the end of the place, or its start if not `behind`.
        """
        shift = 0
        for ahead in self.aheads:
            if offset < ahead.left:
                break
            if offset <= ahead.right:
                return ahead.left + shift + (length(ahead.text) if behind else 0)
            shift += ahead.growth
        return offset + shift

    def take(self, event: int, changes: Sequence[Change], *, by_hand: bool) -> list[Performed]:
        """Apply a recorded edit, and return the steps that are really made; none if the edit is unnecessary."""
        small = [minimal(self.recorded, change) for change in changes]
        done = [self._mended(ahead) for ahead in self._to_mend(event, small, by_hand)]
        own = self._own(event, small, tuple(changes))
        self._go_on(event, small, changes)
        return [*done, own] if own.changes else done

    def _to_mend(self, event: int, small: Sequence[Change], by_hand: bool) -> list[Ahead]:
        """The places that must be made as recorded before an edit: an edit touches two of them, or does more than type on in one."""
        crossing = {ahead for change in small for ahead in self._touched(change) if len(self._touched(change)) > 1}
        strange = {
            ahead
            for change in small
            for ahead in self._touched(change)
            if event not in ahead.covered and not (by_hand and event > ahead.reached)
        }
        return sorted(crossing | strange, key=lambda ahead: -ahead.left)

    def _touched(self, change: Change) -> list[Ahead]:
        return [ahead for ahead in self.aheads if change[0] <= ahead.right and change[1] >= ahead.left]

    def _mended(self, ahead: Ahead) -> Performed:
        """Make a place as recorded."""
        start, end = self.to_actual(ahead.left, behind=False), self.to_actual(ahead.left)
        wanted = cut(self.recorded, ahead.left, ahead.right)
        change = minimal(self.actual, (start, end, wanted))
        self.aheads = tuple(other for other in self.aheads if other is not ahead)
        return Performed((change,), Levenshtein.distance(ahead.text, wanted), conflict=True, by_tape=False)

    def _own(self, event: int, small: Sequence[Change], changes: tuple[Change, ...]) -> Performed:
        """The part of the edit that is not in the document yet."""
        done: list[Change] = []
        mending = 0
        for change, whole in zip(small, changes, strict=True):
            touched = self._touched(change)
            if not touched:
                start, end, new = whole if not self._touched(whole) else change
                done.append((self.to_actual(start), self.to_actual(end), new))
            elif event in touched[0].covered:
                done += self._outside(touched[0], change)
        for ahead in self.aheads:
            at = [change for change in small if ahead in self._touched(change)]
            if at and event not in ahead.covered:
                step, keys = self._typed_on(ahead, small, at)
                done += step
                mending += max(0, keys - 1)
        return Performed(tuple(sorted(done)), mending, conflict=mending > 0)

    def _outside(self, ahead: Ahead, change: Change) -> list[Change]:
        """The recorded text that an edit of a place which is ahead removes left and right of it."""
        start, end, _ = change
        left, right = self.to_actual(ahead.left, behind=False), self.to_actual(ahead.left)
        parts = [(left - max(0, ahead.left - start), left, ""), (right, right + max(0, end - ahead.right), "")]
        return [part for part in parts if part[0] < part[1]]

    def _typed_on(self, ahead: Ahead, small: Sequence[Change], at: Sequence[Change]) -> tuple[list[Change], int]:
        """Make a place as it is recorded after an edit: the change, and how many keys it takes."""
        first = min(ahead.left, *(change[0] for change in at))
        last = max(ahead.right, *(change[1] for change in at))
        after = splice(self.recorded, small)
        wanted = cut(after, carry_left(first, small), carry_right(last, small))
        start = self.to_actual(ahead.left, behind=False) - (ahead.left - first)
        end = self.to_actual(ahead.left) + (last - ahead.right)
        have = cut(self.actual, start, end)
        change = minimal(self.actual, (start, end, wanted))
        return ([change] if have != wanted else []), Levenshtein.distance(have, wanted)

    def _go_on(self, event: int, small: Sequence[Change], changes: Sequence[Change]) -> None:
        kept = []
        for ahead in self.aheads:
            touched = any(ahead in self._touched(change) for change in small)
            left, right = carry_left(ahead.left, small), carry_right(ahead.right, small)
            if not touched or event in ahead.covered:
                kept.append(replace(ahead, left=left, right=max(left, right)))
        self.recorded = splice(self.recorded, changes)
        self.aheads = tuple(ahead for ahead in kept if event < ahead.reached or not self._level(ahead))

    def _level(self, ahead: Ahead) -> bool:
        return cut(self.recorded, ahead.left, ahead.right) == ahead.text

    def mend(self) -> list[Performed]:
        """Make the whole document as recorded, by typing the difference."""
        return [self._mended(ahead) for ahead in reversed(self.aheads)]

    # Accepting

    def accept(self, timeline: Timeline, path: str, event: int, change: Change) -> Kept:
        """Accept a text just before an event: `change` is against the actual text, and is made in it.

        The part that the tape also comes to contain stays; the offsets of `deleted` are those of the text after accepting.
        """
        start, end, text = change
        base = next((ahead for ahead in self.aheads if self.to_actual(ahead.left) == start), None)
        found = self._range(start, end, base)
        stays = 0
        if found is not None:
            left, right = found
            begun = base.text if base else ""
            followed = follow(timeline, path, event, left, begun + text, begun=cut(self.recorded, left, right))
            before = followed.until(len(begun)) if begun else ()
            stays = _worth_keeping(followed, timeline, before, len(begun))
            if stays:
                ahead = Ahead(
                    left, right, (begun + text)[: len(begun) + stays], *_reached(followed, len(begun) + stays)
                )
                self.aheads = tuple(
                    sorted([*(other for other in self.aheads if other is not base), ahead], key=lambda one: one.left)
                )
        return self._kept(change, stays, undone=cut(self.actual, start, end))

    def _kept(self, change: Change, stays: int, undone: str) -> Kept:
        start, _, text = change
        end = start + length(text)
        if stays == len(text):
            return Kept(stays, (), 0, end)
        if not stays:
            return Kept(0, ((start, end, undone),), 1, start + length(undone))
        at = start + length(text[:stays])
        return Kept(stays, ((at, end, ""),), len(text) - stays, at)

    def _range(self, start: int, end: int, base: Ahead | None) -> tuple[int, int] | None:
        """The recorded range of an actual range, and the place that is ahead directly before it."""
        if base is not None:
            right = base.right + (end - start)
            free = all(other is base or not (base.right <= other.left <= right) for other in self.aheads)
            return (base.left, right) if free else None
        shift = 0
        for ahead in self.aheads:
            if start <= ahead.left + shift <= end or (
                ahead.left + shift < start <= ahead.left + shift + length(ahead.text)
            ):
                return None
            shift += ahead.growth if ahead.left + shift < start else 0
        return start - shift, end - shift

    def place(self, timeline: Timeline, path: str, event: int, offset: int) -> RecordedPlace | None:
        """The place on the tape that corresponds to an actual offset; None if there is none.

        Behind text that is ahead, it is a later place on the tape: the first one at which the recorded document has that
        text.
        """
        base = next((ahead for ahead in self.aheads if self.to_actual(ahead.left) == offset), None)
        if base is None:
            found = self._range(offset, offset, None)
            return None if found is None else RecordedPlace(event, found[0], self.recorded)
        if base.reached < event:
            return RecordedPlace(event, base.left + length(base.text), self.recorded)
        text, left = self.recorded, base.left
        for at, changes in timeline.since(path, event):
            if at > base.reached:
                break
            text, left = splice(text, changes), carry_left(left, changes)
        return RecordedPlace(base.reached + 1, left + length(base.text), text)


def _reached(followed: Followed, characters: int) -> tuple[frozenset[int], int]:
    event = followed.reached(characters)
    assert event is not None
    return frozenset(followed.until(characters)), event


def _worth_keeping(followed: Followed, timeline: Timeline, before: tuple[int, ...], begun: int) -> int:
    """The number of characters, beyond the first ones, that stay: all that the tape also comes to contain, or 0 if undoing takes fewer keys."""
    stays = followed.stood - begun
    if stays <= 0:
        return 0
    wrong = len(followed.wanted) - followed.stood
    saved = sum(map(timeline.is_by_hand, set(followed.until(followed.stood)) - set(before)))
    return stays if not wrong or saved > wrong - 1 else 0
