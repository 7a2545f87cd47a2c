"""A tape while an importer builds it. Each added event is applied at once, so an impossible event is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replay.importers.building.paths import path_on_tape
from replay.importers.building.project_tests import detect_tests
from replay.importers.building.text_changes import changes_between
from replay.tapes.authors.streams import recognised, with_reasons
from replay.tapes.tape import (
    Close,
    Documents,
    Edit,
    Embedded,
    Event,
    Focus,
    Foreign,
    Header,
    Open,
    Reason,
    Run,
    Save,
    Select,
    State,
    Tape,
    digest,
)
from syntax.text import Change


@dataclass(frozen=True, slots=True)
class ImportedTape:
    """A tape and what its import found."""

    name: str
    """The name for its file, without a path."""
    tape: Tape
    changes: int
    """Changes that were applied."""
    checkpoints: int
    """Texts in the recording that equal the replayed text."""
    resynchronised: int = 0
    """Edits (reason `external`) that the recording does not have: the recorder missed something, and a later text shows what."""
    recognised: int = 0
    """Edits whose reason the recording does not name, and which are an agent's or a formatter's (`replay.tapes.authors.streams`)."""


class TapeBuilder:
    """The events so far, and the texts of the documents after them.

    Methods take the recorded path of a document; `numbers` has the paths on the tape.
    """

    def __init__(self, source: str, format: str) -> None:  # noqa: A002  # tapes call it so
        self.format, self.source = format, source
        self.documents = Documents(source)
        self.events: list[Event] = []
        self.numbers: dict[str, int] = {}
        self.changes = self.checkpoints = self.resynchronised = 0

    def is_open(self, file: str) -> bool:
        """Whether a document is open."""
        return bool(file) and self.numbers.get(path_on_tape(file)) in self.documents.shown

    def text(self, file: str) -> str | None:
        """The text of a document, open or closed; None if it was never open."""
        number = self.numbers.get(path_on_tape(file))
        return None if number is None else self.documents.texts[number]

    def open(self, t: float, file: str, language: str, text: str) -> None:
        """Open a document."""
        place = path_on_tape(file)
        self._add(Open(t, self.numbers.setdefault(place, len(self.numbers)), place, language, text))

    def edit(self, t: float, file: str, changes: Sequence[Change], reason: Reason | None) -> None:
        """Change a document; all changes are against its text before.

        Raises:
            TapeError: the document is not open, or a change lies outside it.

        """
        self._add(Edit(t, self.numbers[path_on_tape(file)], tuple(changes), reason))
        self.changes += 1

    def settle(self, t: float, file: str, text: str) -> None:
        """Give an open document this text: a checkpoint if it has it already, else an edit of reason `external`."""
        number = self.numbers[path_on_tape(file)]
        changes = changes_between(self.documents.texts[number], text)
        if changes:
            self.edit(t, file, changes, "external")
            self.resynchronised += 1
        else:
            self._add(State(t, number, digest(text)))
            self.checkpoints += 1

    def select(self, t: float, file: str, ranges: Sequence[tuple[int, int]]) -> None:
        """Set the cursors of a document, in UTF-16 code units."""
        self._add(Select(t, self.numbers[path_on_tape(file)], tuple(ranges)))

    def focus(self, t: float, file: str) -> None:
        """Make a document's editor the active one."""
        self._add(Focus(t, self.numbers[path_on_tape(file)]))

    def save(self, t: float, file: str) -> None:
        """Write a document to disk."""
        self._add(Save(t, self.numbers[path_on_tape(file)]))

    def close(self, t: float, file: str) -> None:
        """Close a document."""
        self._add(Close(t, self.numbers[path_on_tape(file)]))

    def foreign(self, t: float, entry: Any, run: Run | None = None) -> None:
        """Carry an entry unchanged; `run` is the test run that it means, if it means one."""
        self._add(Foreign(t, self.format, entry, 0 if run is None else 1))
        if run is not None:
            self._add(run)

    def finish(
        self,
        name: str,
        *,
        editor: str,
        created: str,
        carried: Mapping[str, Any] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> ImportedTape:
        """The tape; the project's own files show how it is tested.

        `files` are the project's files that no event opens: path on the tape → text.
        """
        finished = self.documents.finished()
        unopened = {path: text for path, text in (files or {}).items() if path not in finished}
        header = Header(
            tape=1,
            id=name,
            editor=editor,
            origin=f"imported:{self.format}",
            workspace=Embedded(unopened),
            tests=detect_tests({**unopened, **finished}),
            created=created,
            carried=dict(carried or {}),
        )
        reasons = recognised(self.events, self.source)
        tape = Tape(header, tuple(with_reasons(self.events, reasons)), self.source)
        return ImportedTape(name, tape, self.changes, self.checkpoints, self.resynchronised, len(reasons))

    def _add(self, event: Event) -> None:
        self.documents.apply(len(self.events) + 2, event)
        self.events.append(event)
