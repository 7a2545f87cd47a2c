"""Documents as a recorder sees them: each UTF-16 code unit with its number, which is its place in the order of writing.

A tape writes code units: in the text of a document that opens, in the new text of an edit, in the text of a suggestion. They are
numbered through in that order, so that the numbers follow from the tape alone, and whoever reads it again finds the same.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replay.recording.credentials import REACH, key_blocks
from replay.tape import Close, Edit, Event, Ghost, Open
from syntax.text import Change, encode, is_narrow

_LINE_END = "\r\n"
_LONG_LINE = 2_000
_HEAD_OF_KEY = "PRIVATE KEY"


@dataclass(frozen=True, slots=True)
class Strip:
    """A piece of a document that an event touched, whole lines as far as they are not endless, and its numbers.

    `text` has one character a UTF-16 code unit, the halves of a pair each for itself.
    """

    path: str
    text: str
    numbers: Sequence[int]


def spread(text: str) -> str:
    """A text with one character a UTF-16 code unit: characters outside the BMP become the two halves of their pair."""
    if is_narrow(text):
        return text
    units = encode(text)
    return "".join(map(chr, struct.unpack(f"<{len(units) // 2}H", units)))


def written(event: Event) -> tuple[str, ...]:
    """The texts that an event writes, in the order in which their code units are numbered."""
    if isinstance(event, Edit):
        return tuple(text for _, _, text in event.changes)
    return (event.text,) if isinstance(event, Open | Ghost) else ()


class Page:
    """One document: its text, spread, and the number of each code unit."""

    def __init__(self, path: str, units: str, first: int) -> None:
        self.path, self.units = path, units
        self.numbers = array("Q", range(first, first + len(units)))

    def insert(self, start: int, end: int, units: str, first: int) -> None:
        """Put spread text, numbered from `first`, in the place of a range."""
        self.units = self.units[:start] + units + self.units[end:]
        self.numbers[start:end] = array("Q", range(first, first + len(units)))

    def strip(self, start: int, end: int) -> Strip:
        """The lines around a range, and with them the private key that the range belongs to."""
        left, right = self._line_start(start), self._line_end(end)
        key = self.units.find(_HEAD_OF_KEY, max(0, left - REACH), right)
        if key >= 0:
            top = self._line_start(key)
            for begin, over in key_blocks(self.units[top : max(right, top + REACH)]):
                if top + begin <= right and top + over >= left:
                    left, right = min(left, top), max(right, top + over)
        return Strip(self.path, self.units[left:right], self.numbers[left:right])

    def _line_start(self, at: int) -> int:
        least = max(0, at - _LONG_LINE)
        return max(least, *(self.units.rfind(mark, least, at) + 1 for mark in _LINE_END))

    def _line_end(self, at: int) -> int:
        most = min(len(self.units), at + _LONG_LINE)
        found = [self.units.find(mark, at, most) for mark in _LINE_END]
        return min((mark for mark in found if mark >= 0), default=most)


class Pages:
    """The documents of a recording while its events go by; closed ones are forgotten."""

    def __init__(self) -> None:
        self.count = 0
        """How many code units were numbered so far."""
        self._pages: dict[int, Page] = {}

    def take(self, event: Event) -> Iterator[Strip]:
        """Take an event in, and give the pieces of text that came to stand by it: of documents, and of suggestions."""
        match event:
            case Open():
                units = spread(event.text)
                self._pages[event.doc] = Page(event.path, units, self._numbered(units))
                yield self._pages[event.doc].strip(0, len(units))
            case Edit():
                yield from self._edited(self._pages[event.doc], event.changes)
            case Ghost(text=text) if text:
                units = spread(text)
                yield self._offered(self._pages[event.doc], event, units, self._numbered(units))
            case Close():
                self._pages.pop(event.doc, None)
            case _:
                return

    def standing(self, doc: int, start: int, units: str) -> Sequence[int]:
        """The numbers of spread text that stands at an offset of a document; none if another text does."""
        page = self._pages[doc]
        stands = page.units.startswith(units, start)
        return page.numbers[start : start + len(units)] if stands else ()

    def _numbered(self, units: str) -> int:
        first, self.count = self.count, self.count + len(units)
        return first

    def _edited(self, page: Page, changes: Sequence[Change]) -> Iterator[Strip]:
        numbered = [(start, end, units, self._numbered(units)) for start, end, units in _spread(changes)]
        shift, touched = 0, []
        for start, end, units, first in sorted(numbered, key=lambda change: change[:2]):
            page.insert(start + shift, end + shift, units, first)
            touched.append((start + shift, start + shift + len(units)))
            shift += len(units) - (end - start)
        yield from (page.strip(start, end) for start, end in touched)

    def _offered(self, page: Page, ghost: Ghost, units: str, first: int) -> Strip:
        """The suggestion between what stands left and right of it."""
        shown = Page(page.path, page.units, 0)
        shown.numbers = page.numbers[:]
        at = min(ghost.offset, len(page.units))
        shown.insert(at, at, units, first)
        return shown.strip(at, at + len(units))


def _spread(changes: Sequence[Change]) -> Iterator[Change]:
    return ((start, end, spread(text)) for start, end, text in changes)
