"""A tape while an importer makes it: every event is played as it is added, so that nothing false gets on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replay.documents import Documents
from replay.importers.detect import detect
from replay.importers.places import inside
from replay.importers.snapshots import changes_between
from replay.tape import (
    Close,
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
    """A tape, with how many changes were applied, how many checkpoints matched, and how often a text was set right.

    `name` is what its file may be called: it is no path.
    `resynchronised` counts the edits (reason `external`) that stand on no recording: the recorder had missed something,
    and a later text of its own showed what.
    """

    name: str
    tape: Tape
    changes: int
    checkpoints: int
    resynchronised: int = 0


class Session:
    """The events so far, and the documents as they stand after them.

    Documents are named by their recorded path; `numbers` knows them by their path on the tape.
    """

    def __init__(self, source: str, format: str) -> None:  # noqa: A002  # the word of the tape
        self.format, self.source = format, source
        self.documents = Documents(source)
        self.events: list[Event] = []
        self.numbers: dict[str, int] = {}
        self.changes = self.checkpoints = self.resynchronised = 0

    def is_open(self, file: str) -> bool:
        """Whether a document is in view."""
        return bool(file) and self.numbers.get(inside(file)) in self.documents.shown

    def text(self, file: str) -> str | None:
        """What a document holds, whether in view or not; None if it never was."""
        number = self.numbers.get(inside(file))
        return None if number is None else self.documents.texts[number]

    def open(self, t: float, file: str, language: str, text: str) -> None:
        """Bring a document into view."""
        place = inside(file)
        self._add(Open(t, self.numbers.setdefault(place, len(self.numbers)), place, language, text))

    def edit(self, t: float, file: str, changes: Sequence[Change], reason: Reason | None) -> None:
        """Change a document; all changes are against its text before.

        Raises:
            TapeError: the document is not in view, or a change lies outside it.

        """
        self._add(Edit(t, self.numbers[inside(file)], tuple(changes), reason))
        self.changes += 1

    def settle(self, t: float, file: str, text: str) -> None:
        """Make a document in view hold this text: a checkpoint if it does, else an edit of reason `external`."""
        number = self.numbers[inside(file)]
        changes = changes_between(self.documents.texts[number], text)
        if changes:
            self.edit(t, file, changes, "external")
            self.resynchronised += 1
        else:
            self._add(State(t, number, digest(text)))
            self.checkpoints += 1

    def select(self, t: float, file: str, ranges: Sequence[tuple[int, int]]) -> None:
        """Set the cursors of a document, in UTF-16 code units."""
        self._add(Select(t, self.numbers[inside(file)], tuple(ranges)))

    def focus(self, t: float, file: str) -> None:
        """Make a document's editor the active one."""
        self._add(Focus(t, self.numbers[inside(file)]))

    def save(self, t: float, file: str) -> None:
        """Write a document to disk."""
        self._add(Save(t, self.numbers[inside(file)]))

    def close(self, t: float, file: str) -> None:
        """Take a document out of view."""
        self._add(Close(t, self.numbers[inside(file)]))

    def foreign(self, t: float, entry: Any, run: Run | None = None) -> None:
        """Carry an entry along as it is; `run` is what a tape can say of it."""
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
        """Give the tape, with the tests that the project's own files say how to run.

        `files` are those of the project that no event opens, by their path on the tape.
        """
        finished = self.documents.finished()
        unopened = {path: text for path, text in (files or {}).items() if path not in finished}
        header = Header(
            tape=1,
            id=name,
            editor=editor,
            origin=f"imported:{self.format}",
            workspace=Embedded(unopened),
            tests=detect({**unopened, **finished}),
            created=created,
            carried=dict(carried or {}),
        )
        tape = Tape(header, tuple(self.events), self.source)
        return ImportedTape(name, tape, self.changes, self.checkpoints, self.resynchronised)

    def _add(self, event: Event) -> None:
        self.documents.apply(len(self.events) + 2, event)
        self.events.append(event)
