"""Documents in which each UTF-16 code unit has a number: its position in the order in which the tape writes code units.

A tape writes code units in the text of a document that opens, in the new text of an edit, in the text of a suggestion, and in the command of a test run. The
numbers follow from the tape alone, so every reader of the tape finds the same ones.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replay.recording.secrets.credentials import REACH, key_blocks
from replay.tapes.tape import Close, Edit, Event, Ghost, Open, Run
from syntax.text import Change, encode, is_narrow

_LINE_END = "\r\n"
_LONG_LINE = 2_000
_COMMAND_LINE = "command.sh"
"""The path under which the command of a test run is searched for credentials."""
_FLAG = re.compile(r"(--?[A-Za-z][\w-]*) (?=[^\s-])")
"""A flag before its value, as in `--password x`: the rules know the form `--password=x`, which is as long."""
_HEAD_OF_KEY = "PRIVATE KEY"


@dataclass(frozen=True, slots=True)
class NumberedPiece:
    """The lines of a document that an event touched (cut off if they are very long), and the numbers of their code units.

    `text` has one character for each UTF-16 code unit.
    """

    path: str
    text: str
    numbers: Sequence[int]


def as_units(text: str) -> str:
    """A text with one character for each UTF-16 code unit: a character outside the BMP becomes two surrogates."""
    if is_narrow(text):
        return text
    units = encode(text)
    return "".join(map(chr, struct.unpack(f"<{len(units) // 2}H", units)))


def written_texts(event: Event) -> tuple[str, ...]:
    """The texts that an event writes, in the order in which their code units are numbered."""
    if isinstance(event, Edit):
        return tuple(text for _, _, text in event.changes)
    if isinstance(event, Run):
        return (event.command,)
    if isinstance(event, Ghost) and event.selected is not None:
        return (event.text, event.selected[2])
    return (event.text,) if isinstance(event, Open | Ghost) else ()


class NumberedDocument:
    """One document: its text (see `as_units`), and the number of each code unit."""

    def __init__(self, path: str, units: str, first: int) -> None:
        self.path, self.units = path, units
        self.numbers = array("Q", range(first, first + len(units)))

    def insert(self, start: int, end: int, units: str, first: int) -> None:
        """Replace a range by code units numbered from `first`."""
        self.units = self.units[:start] + units + self.units[end:]
        self.numbers[start:end] = array("Q", range(first, first + len(units)))

    def strip(self, start: int, end: int) -> NumberedPiece:
        """The lines around a range, and all of a private key that the range is part of."""
        left, right = self._line_start(start), self._line_end(end)
        key = self.units.find(_HEAD_OF_KEY, max(0, left - REACH), right)
        if key >= 0:
            top = self._line_start(key)
            for begin, over in key_blocks(self.units[top : max(right, top + REACH)]):
                if top + begin <= right and top + over >= left:
                    left, right = min(left, top), max(right, top + over)
        return NumberedPiece(self.path, self.units[left:right], self.numbers[left:right])

    def lines(self, start: int, end: int) -> tuple[NumberedPiece, int]:
        """The lines around a range, and where they begin."""
        left, right = self._line_start(start), self._line_end(end)
        return NumberedPiece(self.path, self.units[left:right], self.numbers[left:right]), left

    def _line_start(self, at: int) -> int:
        least = max(0, at - _LONG_LINE)
        return max(least, *(self.units.rfind(mark, least, at) + 1 for mark in _LINE_END))

    def _line_end(self, at: int) -> int:
        most = min(len(self.units), at + _LONG_LINE)
        found = [self.units.find(mark, at, most) for mark in _LINE_END]
        return min((mark for mark in found if mark >= 0), default=most)


class NumberedDocuments:
    """The open documents of a recording, kept up to date by its events."""

    def __init__(self) -> None:
        self.count = 0
        """Code units numbered so far."""
        self._documents: dict[int, NumberedDocument] = {}

    def take(self, event: Event) -> Iterator[NumberedPiece]:
        """Apply an event, and give the pieces of text that it wrote or touched, in documents and in suggestions."""
        match event:
            case Open():
                units = as_units(event.text)
                self._documents[event.doc] = NumberedDocument(event.path, units, self._numbered(units))
                yield self._documents[event.doc].strip(0, len(units))
            case Edit():
                yield from self._edited(self._documents[event.doc], event.changes)
            case Ghost():
                offered = [(event.offset, event.offset, event.text), *([event.selected] if event.selected else [])]
                yield from (self._offered(self._documents[event.doc], change) for change in offered if change[2])
            case Run(command=command):
                units = as_units(command)
                shown = _FLAG.sub(r"\1=", units)
                yield NumberedDocument(_COMMAND_LINE, shown, self._numbered(units)).strip(0, len(units))
            case Close():
                self._documents.pop(event.doc, None)
            case _:
                return

    def deletions(self, event: Event) -> Iterator[tuple[NumberedPiece, int, int]]:
        """What an event that is not applied yet will delete: the lines around it, and where in them it begins and ends."""
        if isinstance(event, Edit):
            for start, end, _ in event.changes:
                if start < end:
                    piece, left = self._documents[event.doc].lines(start, end)
                    yield piece, start - left, end - left

    def standing(self, doc: int, start: int, units: str) -> Sequence[int]:
        """The numbers of these code units at an offset of a document; none if the document has other text there."""
        document = self._documents[doc]
        stands = document.units.startswith(units, start)
        return document.numbers[start : start + len(units)] if stands else ()

    def _numbered(self, units: str) -> int:
        first, self.count = self.count, self.count + len(units)
        return first

    def _edited(self, document: NumberedDocument, changes: Sequence[Change]) -> Iterator[NumberedPiece]:
        numbered = [(start, end, units, self._numbered(units)) for start, end, units in _changes_as_units(changes)]
        shift, touched = 0, []
        for start, end, units, first in sorted(numbered, key=lambda change: change[:2]):
            document.insert(start + shift, end + shift, units, first)
            touched.append((start + shift, start + shift + len(units)))
            shift += len(units) - (end - start)
        yield from (document.strip(start, end) for start, end in touched)

    def _offered(self, document: NumberedDocument, change: Change) -> NumberedPiece:
        """A suggestion, or an item of the editor's list, with the text left and right of it."""
        shown = NumberedDocument(document.path, document.units, 0)
        shown.numbers = document.numbers[:]
        start, end = (min(offset, len(document.units)) for offset in change[:2])
        units = as_units(change[2])
        shown.insert(start, end, units, self._numbered(units))
        return shown.strip(start, start + len(units))


def _changes_as_units(changes: Sequence[Change]) -> Iterator[Change]:
    return ((start, end, as_units(text)) for start, end, text in changes)
