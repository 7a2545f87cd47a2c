"""Keeps credentials off a tape, also those that come into being key by key.

A credential is recognised in the text of a document, or of a suggestion in its place. From then on each code unit of it is an
asterisk wherever it was written: in the event that wrote it first, perhaps long ago, and in all that follow. So what a tape
holds of it depends on the code units alone, and every state that replay makes of it is as clean as the one that was looked at.

What looks random in a credential is remembered (`_Fragments`): eight such characters in a row are covered wherever else they
stand, before or after, in any document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

import msgspec

from replay.recording.credentials import Span, merged, spans, values
from replay.recording.pages import Pages, Strip, spread, written
from replay.tape import Close, Edit, Event, Ghost, Open, State, digest
from syntax.buffer import Buffer
from syntax.text import decode, encode, is_narrow

COVER = "*"
"""What stands for a code unit of a credential. Line ends stay."""
_ROW = 8
Learnt: TypeAlias = Literal["nothing", "lately", "before"]
"""Whether pieces of credentials were learnt that nobody looked back for: since the last release, or before it."""


class Finder(Protocol):
    """Says where in a text that comes from a path something looks like a credential."""

    def __call__(self, text: str, path: str, /) -> list[Span]: ...  # noqa: D102


class Redactor:
    """Takes the events of a recording as they happened, and gives them without the credentials in them.

    Pure: what it gives depends on the events alone. `release` hands over what came since the last time. If a credential was
    recognised whose beginning was released already, it asks for all of that again (`must_rewrite`).
    """

    def __init__(self, find: Finder = spans) -> None:
        self._find = find
        self._pages = Pages()
        self._covered: set[int] = set()
        self._twins: defaultdict[int, list[int]] = defaultdict(list)
        self._shown: dict[int, tuple[str, int]] = {}
        self._fragments = _Fragments()
        self._pending: list[Event] = []
        self._copy = _FairCopy(self._covered)
        self._learnt: Learnt = "nothing"
        self.must_rewrite = False

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to release, and nothing to look back for."""
        return not self._pending and not self.must_rewrite and self._learnt == "nothing"

    def take(self, event: Event) -> None:
        """Take an event in as it happened. A checkpoint's digest is filled in when it is released."""
        first = self._pages.count
        for strip in self._pages.take(event):
            self._cover(strip, merged([*self._find(strip.text, strip.path), *self._fragments.spans(strip.text)]))
        if isinstance(event, Ghost) and event.text:
            self._link(event, first)
        self._pending.append(event)

    def know(self, text: str, path: str, *, thoroughly: bool = False) -> None:
        """Learn the credentials of a text that is on no tape, so that no piece of them gets on one by another way.

        `thoroughly`: also each word of it that looks random, as where all values may be keys whatever their names are.
        """
        for start, end in merged([*self._find(text, path), *(values(text) if thoroughly else ())]):
            self._learn(spread(text[start:end]))

    def release(self, before: Sequence[Event] = ()) -> list[Event]:
        """Give the events taken in since the last release; if `must_rewrite`, with all `before` (those released so far)."""
        again = self.must_rewrite
        if again:
            self._copy = _FairCopy(self._covered)
        released = [self._copy.take(event) for event in (*(before if again else ()), *self._pending)]
        self._pending.clear()
        self.must_rewrite = False
        self._learnt = "before" if self._learnt == "lately" else self._learnt
        return released

    def wants_to_look_back(self, *, at_once: bool) -> bool:
        """Whether a credential was learnt pieces of which may stand in what was taken in before.

        Not while it still grows, key by key, from one release to the next, unless it has to be `at_once`.
        """
        return self._learnt == "before" or (at_once and self._learnt == "lately")

    def look_back(self, before: Iterable[Event]) -> None:
        """Search all events so far, released (`before`) and not, for pieces of what was learnt lately."""
        pages, self._learnt = Pages(), "nothing"
        for event in (*before, *self._pending):
            for strip in pages.take(event):
                self._cover(strip, self._fragments.spans(strip.text), learn=False)

    def _cover(self, strip: Strip, found: Iterable[Span], *, learn: bool = True) -> None:
        for start, end in found:
            if learn:
                self._learn(strip.text[start:end])
            marked = zip(strip.text[start:end], strip.numbers[start:end], strict=True)
            self._cover_all([number for unit, number in marked if unit not in "\r\n"])

    def _cover_all(self, numbers: list[int]) -> None:
        while numbers:
            number = numbers.pop()
            if number not in self._covered:
                self._covered.add(number)
                self.must_rewrite |= number < self._copy.count
                numbers += self._twins.get(number, ())

    def _learn(self, value: str) -> None:
        if self._fragments.learn(value):
            self._learnt = "lately"

    def _link(self, ghost: Ghost, first: int) -> None:
        """Make a suggestion's code units one with those that an accept put into the document: both are covered, or none."""
        units = spread(ghost.text)
        if ghost.phase == "shown":
            self._shown[ghost.request] = (units, first)
        elif ghost.request in self._shown:
            offered, begin = self._shown[ghost.request]
            at = offered.find(units)
            self._twin(range(first, first + len(units)), range(begin + at, begin + at + len(units)) if at >= 0 else ())
            self._twin(range(first, first + len(units)), self._pages.standing(ghost.doc, ghost.offset, units))

    def _twin(self, ones: Sequence[int], others: Sequence[int]) -> None:
        for one, other in zip(ones, others, strict=False):
            self._twins[one].append(other)
            self._twins[other].append(one)
            if (one in self._covered) != (other in self._covered):
                self._cover_all([one, other])


class _Fragments:
    """Rows of eight code units, out of credentials, that look random: letters with a digit, or letters of changing case."""

    def __init__(self) -> None:
        self._rows: set[str] = set()

    def learn(self, value: str) -> bool:
        """Remember the rows of a value; whether there were new ones."""
        known = len(self._rows)
        self._rows.update(row for row in _rows(value) if _is_odd(row))
        return len(self._rows) > known

    def spans(self, text: str) -> list[Span]:
        """Where such rows stand in a text."""
        if not self._rows:
            return []
        return merged((at, at + _ROW) for at, row in enumerate(_rows(text)) if row in self._rows)


def _rows(text: str) -> Iterator[str]:
    return (text[at : at + _ROW] for at in range(len(text) - _ROW + 1))


def _is_odd(row: str) -> bool:
    """Whether a row of characters is unlikely to be found in anything else."""
    letters = sum(map(str.isalpha, row))
    digits = sum(map(str.isdigit, row))
    turns = sum(one.islower() and other.isupper() for one, other in pairwise(row))
    return COVER not in row and bool(letters and (digits or (letters >= 6 and turns >= 2)))


class _FairCopy:
    """Writes events again with the covered code units covered, and checkpoints of the texts that this makes."""

    def __init__(self, covered: set[int]) -> None:
        self._covered = covered
        self._texts: dict[int, Buffer] = {}
        self.count = 0
        """How many code units were written so far."""

    def take(self, event: Event) -> Event:
        """The event as it is on the tape."""
        texts = tuple(self._redacted(text) for text in written(event))
        if isinstance(event, Open):
            event = msgspec.structs.replace(event, text=texts[0])
            self._texts[event.doc] = Buffer(event.text)
        elif isinstance(event, Edit):
            told = zip(event.changes, texts, strict=True)
            event = msgspec.structs.replace(event, changes=tuple((start, end, new) for (start, end, _), new in told))
            self._texts[event.doc].splice(event.changes)
        elif isinstance(event, Ghost):
            event = msgspec.structs.replace(event, text=texts[0])
        elif isinstance(event, State):
            event = msgspec.structs.replace(event, sha256=digest(str(self._texts[event.doc])))
        elif isinstance(event, Close):
            del self._texts[event.doc]
        return event

    def _redacted(self, text: str) -> str:
        units = spread(text)
        first, self.count = self.count, self.count + len(units)
        if not self._covered or self._covered.isdisjoint(range(first, self.count)):
            return text
        marked = enumerate(units, first)
        return _whole("".join(COVER if number in self._covered else unit for number, unit in marked))


def _whole(units: str) -> str:
    """A spread text with the halves of its pairs together again."""
    return units if is_narrow(units) else decode(encode(units))
