"""The documents of a tape while it plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from replay.errors import TapeError
from replay.tapes.tape import Close, Edit, Event, Foreign, Open, Run, Select, State, Tape, digest
from syntax.buffer import Buffer
from syntax.errors import OffsetError


class Texts(Mapping[int, str]):
    """The texts of buffers, by document."""

    def __init__(self, buffers: Mapping[int, Buffer]) -> None:
        self._buffers = buffers

    def __getitem__(self, doc: int) -> str:
        return str(self._buffers[doc])

    def __iter__(self) -> Iterator[int]:
        return iter(self._buffers)

    def __len__(self) -> int:
        return len(self._buffers)


class Documents:
    """What every document of a tape holds at one point of it.

    Texts outlive their `close`: the finished project needs them. `source` names the tape in errors.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._buffers: dict[int, Buffer] = {}
        self._docs: dict[str, int] = {}
        self.texts: Mapping[int, str] = Texts(self._buffers)
        self.paths: dict[int, str] = {}
        self.languages: dict[int, str] = {}
        self.shown: set[int] = set()
        self.checked = 0

    def apply(self, number: int, event: Event) -> None:
        """Take one event in; `number` is its line, for errors.

        Raises:
            TapeError: the event cannot have happened, or a checkpoint does not match.

        """
        if not isfinite(event.t):
            raise TapeError(self.source, number, f"time {event.t} is no number of ms")
        if isinstance(event, Open):
            self._open(number, event)
        elif isinstance(event, Run) or isinstance(event, Foreign):  # noqa: SIM101 - twice as fast as one question
            return
        elif event.doc not in self.shown:
            kind = type(event).__name__.lower()
            raise TapeError(self.source, number, f"{kind} in document {event.doc}, which is not open")
        elif isinstance(event, Edit):
            self._edit(number, event)
        elif isinstance(event, Select):
            self._select(number, event)
        elif isinstance(event, State):
            self._check(number, event)
        elif isinstance(event, Close):
            self.shown.discard(event.doc)

    def finished(self) -> dict[str, str]:
        """Path → text of every document that the tape has opened so far."""
        return {self.paths[doc]: text for doc, text in self.texts.items()}

    def _open(self, number: int, event: Open) -> None:
        if event.doc in self.shown:
            raise TapeError(self.source, number, f"document {event.doc} ({event.path}) is opened twice")
        if self.paths.get(event.doc, event.path) != event.path:
            raise TapeError(
                self.source, number, f"document {event.doc} was {self.paths[event.doc]} and cannot be {event.path}"
            )
        other = self._docs.get(event.path, event.doc)
        if other != event.doc:
            if other in self.shown:
                raise TapeError(self.source, number, f"{event.path} is already open as another document")
            del self._buffers[other], self.paths[other], self.languages[other]
        self._buffers[event.doc], self.paths[event.doc] = Buffer(event.text), event.path
        self._docs[event.path], self.languages[event.doc] = event.doc, event.language
        self.shown.add(event.doc)

    def _edit(self, number: int, event: Edit) -> None:
        try:
            self._buffers[event.doc].splice(event.changes)
        except OffsetError as error:
            raise TapeError(self.source, number, f"{self.paths[event.doc]}: {error}") from error

    def _select(self, number: int, event: Select) -> None:
        for start, end in event.ranges:
            if start < 0 or end < 0:
                raise TapeError(
                    self.source, number, f"{self.paths[event.doc]}: selection [{start}, {end}] is before its beginning"
                )

    def _check(self, number: int, event: State) -> None:
        found = digest(self.texts[event.doc])
        if found != event.sha256:
            size = len(self._buffers[event.doc])
            raise TapeError(
                self.source,
                number,
                f"{self.paths[event.doc]}: the checkpoint does not match the replayed text ({size} UTF-16 code units, "
                f"sha256 {found[:12]}… instead of {event.sha256[:12]}…)",
            )
        self.checked += 1


def played(source: str, numbered: Iterable[tuple[int, Event]]) -> Iterator[tuple[int, Event, Documents]]:
    """Each (line, event) with the documents as they stand **after** it. `source` names the tape in errors.

    Raises:
        TapeError: an event cannot have happened.

    """
    documents = Documents(source)
    for number, event in numbered:
        documents.apply(number, event)
        yield number, event, documents


def walk(tape: Tape) -> Iterator[tuple[int, Event, Documents]]:
    """Each event with its index and the documents as they stand **before** it."""
    documents = Documents(tape.source)
    for index, event in enumerate(tape.events):
        yield index, event, documents
        documents.apply(index + 2, event)


def verify(tape: Tape) -> Documents:
    """Play every event once, and give the documents as they stand at the end.

    Raises:
        TapeError: an event cannot have happened.

    """
    documents = Documents(tape.source)
    for number, event in enumerate(tape.events, 2):
        documents.apply(number, event)
    return documents
