"""Keeps credentials off a tape, also credentials that are typed key by key.

A credential is recognised in the text of a document, or of a suggestion at its place. Then each of its code units becomes an
asterisk in every event that wrote it, however long ago. So each text that a replay of the tape makes is free of it.

Parts of a credential that look random are remembered (`_Fragments`): eight such characters in a row are covered wherever
else they are, before or after, in any document. The values of files that are not recorded are known as a whole (`KnownValues`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

import msgspec

from replay.recording.secrets.credentials import CredentialSpan, merged, spans, values
from replay.recording.secrets.known_values import KnownValues
from replay.recording.secrets.numbered_text import NumberedDocuments, NumberedPiece, as_units, written_texts
from replay.tapes.tape import Close, Edit, Event, Ghost, Open, Run, State, digest
from syntax.buffer import Buffer
from syntax.text import decode, encode, is_narrow

COVER = "*"
"""Replaces each code unit of a credential. Line ends stay."""
_ROW = 8
Learnt: TypeAlias = Literal["nothing", "lately", "before"]
"""When fragments were learnt for which earlier events were not searched yet: `lately` is since the last release."""


class Finder(Protocol):
    """Finds what looks like a credential in the text of a file with this path."""

    def __call__(self, text: str, path: str, /) -> list[CredentialSpan]: ...  # noqa: D102


class Redactor:
    """Takes the events of a recording, and gives them without the credentials in them.

    Pure: the result depends on the events alone. `release` gives the events since the last release. `must_rewrite` says that
    a credential was recognised of which a part was released already: then all earlier events must be released again.
    """

    def __init__(self, find: Finder = spans) -> None:
        self._find = find
        self._documents = NumberedDocuments()
        self._covered: set[int] = set()
        self._twins: defaultdict[int, list[int]] = defaultdict(list)
        self._shown: dict[int, tuple[str, int]] = {}
        self._fragments = _Fragments()
        self._known = KnownValues()
        self._pending: list[Event] = []
        self._copy = _FairCopy(self._covered, self._known)
        self._learnt: Learnt = "nothing"
        self.must_rewrite = False
        self.holds_back = False
        """Whether events must wait because not all secrets are known that they may have. Those that were released before are still rewritten."""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to release and nothing to search for."""
        return not self._pending and not self.must_rewrite and self._learnt == "nothing"

    def take(self, event: Event) -> None:
        """Take an event. The digest of a checkpoint is filled in at its release."""
        first = self._documents.count
        self._cover_deleted(event, self._documents)
        for piece in self._documents.take(event):
            self._cover(piece, merged([*self._find(piece.text, piece.path), *self._fragments.spans(piece.text)]))
            self._cover(piece, self._known.spans(piece.text), learn=False)
        if isinstance(event, Ghost) and event.text:
            self._link(event, first)
        self._pending.append(event)

    def know(self, text: str, path: str, *, thoroughly: bool = False) -> None:
        """Learn the credentials in a text that is not recorded, so that no part of them is recorded elsewhere.

        `thoroughly` also learns each word that looks random: in a file of keys every value may be one.
        """
        for start, end in merged([*self._find(text, path), *(values(text) if thoroughly else ())]):
            self._learn(as_units(text[start:end]))

    def know_values(self, values: Iterable[str]) -> None:
        """Learn values that are secret as they are, whatever they look like (`WorkspaceSecrets`)."""
        if self._known.learn(values):
            self._learnt = "before"

    def knows(self, text: str) -> bool:
        """Whether a text has a known value, or a part of one."""
        return bool(self._known.spans(as_units(text)))

    def release(self, before: Sequence[Event] = ()) -> list[Event]:
        """The events since the last release, but none while `holds_back`; if `must_rewrite`, after all events `before`, which were released earlier."""
        again = self.must_rewrite
        if again:
            self._copy = _FairCopy(self._covered, self._known)
        pending = [] if self.holds_back else self._pending
        released = [self._copy.take(event) for event in (*(before if again else ()), *pending)]
        pending.clear()
        self.must_rewrite = False
        self._learnt = "before" if self._learnt == "lately" else self._learnt
        return released

    def wants_to_look_back(self, *, at_once: bool) -> bool:
        """Whether a credential was learnt of which parts may be in earlier events.

        False while the credential may still grow, which is until the next release, unless `at_once`.
        """
        return self._learnt == "before" or (at_once and self._learnt == "lately")

    def look_back(self, before: Iterable[Event]) -> None:
        """Search all events so far, released ones (`before`) and others, for fragments that were learnt since."""
        documents, released, self._learnt = NumberedDocuments(), list(before), "nothing"
        self.must_rewrite |= any(isinstance(event, Open) and self.knows(event.path) for event in released)
        for event in (*released, *self._pending):
            self._cover_deleted(event, documents)
            for piece in documents.take(event):
                found = merged([*self._fragments.spans(piece.text), *self._known.spans(piece.text)])
                self._cover(piece, found, learn=False)

    def _cover_deleted(self, event: Event, documents: NumberedDocuments) -> None:
        for piece, start, end in documents.deletions(event):
            self._cover(piece, self._known.deleted(piece.text, start, end), learn=False)

    def _cover(self, piece: NumberedPiece, found: Iterable[CredentialSpan], *, learn: bool = True) -> None:
        for start, end in found:
            if learn:
                self._learn(piece.text[start:end])
            marked = zip(piece.text[start:end], piece.numbers[start:end], strict=True)
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
        """Tie the code units of a suggestion to those that accepting it inserted: both are covered, or none."""
        units = as_units(ghost.text)
        if ghost.phase == "shown":
            self._shown[ghost.request] = (units, first)
        elif ghost.request in self._shown:
            offered, begin = self._shown[ghost.request]
            at = offered.find(units)
            self._twin(range(first, first + len(units)), range(begin + at, begin + at + len(units)) if at >= 0 else ())
            self._twin(range(first, first + len(units)), self._documents.standing(ghost.doc, ghost.offset, units))

    def _twin(self, ones: Sequence[int], others: Sequence[int]) -> None:
        for one, other in zip(ones, others, strict=False):
            self._twins[one].append(other)
            self._twins[other].append(one)
            if (one in self._covered) != (other in self._covered):
                self._cover_all([one, other])


class _Fragments:
    """Rows of eight code units of credentials that look random: letters with a digit, or letters of changing case."""

    def __init__(self) -> None:
        self._rows: set[str] = set()

    def learn(self, value: str) -> bool:
        """Remember the rows of a value; true if some are new."""
        known = len(self._rows)
        self._rows.update(row for row in _rows(value) if _is_odd(row))
        return len(self._rows) > known

    def spans(self, text: str) -> list[CredentialSpan]:
        """Where a text has such rows."""
        if not self._rows:
            return []
        return merged((at, at + _ROW) for at, row in enumerate(_rows(text)) if row in self._rows)


def _rows(text: str) -> Iterator[str]:
    return (text[at : at + _ROW] for at in range(len(text) - _ROW + 1))


def _is_odd(row: str) -> bool:
    """Whether a row of characters is unlikely in any other text."""
    letters = sum(map(str.isalpha, row))
    digits = sum(map(str.isdigit, row))
    turns = sum(one.islower() and other.isupper() for one, other in pairwise(row))
    return COVER not in row and bool(letters and (digits or (letters >= 6 and turns >= 2)))


class _FairCopy:
    """Rewrites events with covered code units, and computes the checkpoints of the resulting texts."""

    def __init__(self, covered: set[int], known: KnownValues) -> None:
        self._covered, self._known = covered, known
        self._texts: dict[int, Buffer] = {}
        self.count = 0
        """Code units written so far."""

    def take(self, event: Event) -> Event:
        """The event as it is on the tape."""
        texts = tuple(self._redacted(text) for text in written_texts(event))
        if isinstance(event, Open):
            event = msgspec.structs.replace(event, text=texts[0], path=self._named(event.path))
            self._texts[event.doc] = Buffer(event.text)
        elif isinstance(event, Edit):
            changed = zip(event.changes, texts, strict=True)
            event = msgspec.structs.replace(event, changes=tuple((start, end, new) for (start, end, _), new in changed))
            self._texts[event.doc].splice(event.changes)
        elif isinstance(event, Ghost):
            selected = None if event.selected is None else (*event.selected[:2], texts[1])
            event = msgspec.structs.replace(event, text=texts[0], selected=selected)
        elif isinstance(event, Run):
            event = msgspec.structs.replace(event, command=texts[0])
        elif isinstance(event, State):
            event = msgspec.structs.replace(event, sha256=digest(str(self._texts[event.doc])))
        elif isinstance(event, Close):
            del self._texts[event.doc]
        return event

    def _named(self, path: str) -> str:
        """A path without known values; the documents of later paths that have one are not recorded."""
        units = as_units(path)
        for start, end in self._known.spans(units):
            units = units[:start] + COVER * (end - start) + units[end:]
        return _whole(units)

    def _redacted(self, text: str) -> str:
        units = as_units(text)
        first, self.count = self.count, self.count + len(units)
        if not self._covered or self._covered.isdisjoint(range(first, self.count)):
            return text
        marked = enumerate(units, first)
        return _whole("".join(COVER if number in self._covered else unit for number, unit in marked))


def _whole(units: str) -> str:
    """The text of these code units, with surrogate pairs as one character."""
    return units if is_narrow(units) else decode(encode(units))
