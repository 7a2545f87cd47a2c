"""The documents of a tape while it plays."""

from __future__ import annotations

from collections.abc import Iterator

from replay.errors import TapeError
from replay.tape import Close, Edit, Event, Foreign, Open, Run, State, Tape, digest
from syntax.errors import OffsetError
from syntax.text import length, splice


class Documents:
    """What every document of a tape holds at one point of it.

    Texts outlive their `close`: the finished project needs them. `source` names the tape in errors.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.texts: dict[int, str] = {}
        self.paths: dict[int, str] = {}
        self.languages: dict[int, str] = {}
        self.shown: set[int] = set()
        self.checked = 0

    def apply(self, number: int, event: Event) -> None:
        """Take one event in; `number` is its line, for errors.

        Raises:
            TapeError: the event cannot have happened, or a checkpoint does not match.

        """
        if isinstance(event, Open):
            self._open(number, event)
        elif not isinstance(event, Run | Foreign):
            self._require_open(number, event.doc, event)
        if isinstance(event, Edit):
            self._edit(number, event)
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
        for other in [doc for doc, path in self.paths.items() if path == event.path and doc != event.doc]:
            if other in self.shown:
                raise TapeError(self.source, number, f"{event.path} is already open as another document")
            del self.texts[other], self.paths[other]
        self.texts[event.doc], self.paths[event.doc] = event.text, event.path
        self.languages[event.doc] = event.language
        self.shown.add(event.doc)

    def _require_open(self, number: int, doc: int, event: Event) -> None:
        if doc not in self.shown:
            kind = type(event).__name__.lower()
            raise TapeError(self.source, number, f"{kind} in document {doc}, which is not open")

    def _edit(self, number: int, event: Edit) -> None:
        try:
            self.texts[event.doc] = splice(self.texts[event.doc], event.changes)
        except OffsetError as error:
            raise TapeError(self.source, number, f"{self.paths[event.doc]}: {error}") from error

    def _check(self, number: int, event: State) -> None:
        found = digest(self.texts[event.doc])
        if found != event.sha256:
            size = length(self.texts[event.doc])
            raise TapeError(
                self.source,
                number,
                f"{self.paths[event.doc]}: the checkpoint does not match the replayed text ({size} UTF-16 code units, "
                f"sha256 {found[:12]}… instead of {event.sha256[:12]}…)",
            )
        self.checked += 1


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
    for index, event in enumerate(tape.events):
        documents.apply(index + 2, event)
    return documents
