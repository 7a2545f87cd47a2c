"""Drive mode: a document that is ahead of the tape, and what each recorded edit still has to do in it. Pure.

What a person accepts stays. The recorded text goes on beneath it as recorded; the two differ only at places where the
document is ahead. An accepted text is kept as far as it came to stand there on the tape; the rest is deleted, or all of
it undone, whichever costs fewer keys. Recorded edits that write what is there already are dropped, edits elsewhere are
moved to where they belong, and an edit that touches a place which differs in another way is a conflict: the person
types the difference.

Offsets are UTF-16 code units, of the recorded or of the actual text as each name says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import Levenshtein

from replay.following import Followed, follow
from replay.timeline import Timeline
from syntax.text import Change, carry_left, carry_right, cut, length, minimal, splice


@dataclass(frozen=True, slots=True)
class Ahead:
    """A place where `text` stands in the document instead of the recorded text between `left` and `right`.

    The recorded text there begins with it after the event `reached`; `covered` are the events that write it.
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
    """Changes that the person makes, against the actual text before. `mending` are the keys of that beyond the tape's."""

    changes: tuple[Change, ...]
    mending: int = 0
    conflict: bool = False
    by_tape: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """What becomes of an accepted text: how many characters stay, and what is deleted again (one change, so many keys)."""

    characters: int
    deleted: tuple[Change, ...]
    keys: int
    cursor: int


@dataclass(frozen=True, slots=True)
class Place:
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
        """The same document, to look ahead with."""
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
        """Where an offset of the recorded text is; inside a place that is ahead, its end or (not `behind`) its start."""
        shift = 0
        for ahead in self.aheads:
            if offset < ahead.left:
                break
            if offset <= ahead.right:
                return ahead.left + shift + (length(ahead.text) if behind else 0)
            shift += ahead.growth
        return offset + shift

    def take(self, event: int, changes: Sequence[Change], *, by_hand: bool) -> list[Performed]:
        """Take a recorded edit in: what is really done because of it, in steps; none where it is needless now."""
        small = [minimal(self.recorded, change) for change in changes]
        done = [self._mended(ahead) for ahead in self._to_mend(event, small, by_hand)]
        own = self._own(event, small, tuple(changes))
        self._go_on(event, small, changes)
        return [*done, own] if own.changes else done

    def _to_mend(self, event: int, small: Sequence[Change], by_hand: bool) -> list[Ahead]:
        """Places that must be as recorded before an edit can be made: two of them in one change, or not by typing on."""
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
        """The edit itself, as far as it is still to be done."""
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
        """What an edit of a place that is ahead takes away left and right of it."""
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

        What stays of it is what came to stand there; `deleted` is against the text after it.
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
        """The recorded text that an actual range stands for, together with the place that it goes on from."""
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

    def place(self, timeline: Timeline, path: str, event: int, offset: int) -> Place | None:
        """The place of the tape at which the person is with the cursor at an actual offset; None where there is none.

        Behind text that is ahead that is a place in the future of the tape: where that text stood first.
        """
        base = next((ahead for ahead in self.aheads if self.to_actual(ahead.left) == offset), None)
        if base is None:
            found = self._range(offset, offset, None)
            return None if found is None else Place(event, found[0], self.recorded)
        if base.reached < event:
            return Place(event, base.left + length(base.text), self.recorded)
        text, left = self.recorded, base.left
        for at, changes in timeline.since(path, event):
            if at > base.reached:
                break
            text, left = splice(text, changes), carry_left(left, changes)
        return Place(base.reached + 1, left + length(base.text), text)


def _reached(followed: Followed, characters: int) -> tuple[frozenset[int], int]:
    event = followed.reached(characters)
    assert event is not None
    return frozenset(followed.until(characters)), event


def _worth_keeping(followed: Followed, timeline: Timeline, before: tuple[int, ...], begun: int) -> int:
    """How many characters beyond those begun with stay: all that came to stand there, or none if undoing is cheaper."""
    stays = followed.stood - begun
    if stays <= 0:
        return 0
    wrong = len(followed.wanted) - followed.stood
    saved = sum(map(timeline.is_by_hand, set(followed.until(followed.stood)) - set(before)))
    return stays if not wrong or saved > wrong - 1 else 0
