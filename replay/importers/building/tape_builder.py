"""A tape while an importer builds it. Each added event is applied at once, so an impossible event is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from Levenshtein import opcodes

from replay.importers.building.paths import path_on_tape
from replay.importers.building.project_tests import detect_tests
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
from syntax.text import Change, common_prefix, common_suffix, is_narrow, length


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


# Two texts → the changes between them, as a person could have made them.
#
# Lines are compared first (difflib), so that lines that moved down are not retyped; then characters inside changed lines
# (Levenshtein). Neighbouring changes in one line become one.

_CELLS = 4_000_000
"""Characters are compared up to this product of characters before and characters after."""
_LINES = 4_000
"""Lines are compared up to this sum of lines before and lines after."""
_JOINED = 3
"""Changes become one if at most so many unchanged characters of one line are between them."""

SpanPair = tuple[int, int, int, int]
"""(start, end) in the old text and (start, end) in the new one, in characters."""


def changes_between(before: str, after: str) -> tuple[Change, ...]:
    """The smallest sensible changes that turn one text into the other, in order, all against the text before.

    Offsets are UTF-16 code units. Equal texts have no changes.
    """
    spans = _joined(before, _spans(before, after))
    return tuple(_change(before, after, span) for span in spans)


def _change(before: str, after: str, span: SpanPair) -> Change:
    start, end, new_start, new_end = span
    new = after[new_start:new_end]
    if is_narrow(before):
        return start, end, new
    offset = length(before[:start])
    return offset, offset + length(before[start:end]), new


def _spans(before: str, after: str) -> Iterator[SpanPair]:
    head = common_prefix(before, after)
    tail = common_suffix(before[head:], after[head:])
    start, end, new_end = head, len(before) - tail, len(after) - tail
    if start == end == new_end:
        return
    if start in {end, new_end}:
        yield start, end, start, new_end
    else:
        yield from _by_lines(before, after, (start, end, start, new_end))


def _by_lines(before: str, after: str, span: SpanPair) -> Iterator[SpanPair]:
    start, end, new_start, new_end = span
    old, new = before[start:end].splitlines(keepends=True), after[new_start:new_end].splitlines(keepends=True)
    if len(old) == 1 or len(new) == 1 or len(old) + len(new) > _LINES:
        yield from _by_characters(before, after, span)
        return
    starts, new_starts = _starts(old, start), _starts(new, new_start)
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from _by_characters(before, after, (starts[i], starts[j], new_starts[k], new_starts[m]))


def _starts(lines: list[str], at: int) -> list[int]:
    starts = [at]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _by_characters(before: str, after: str, span: SpanPair) -> Iterator[SpanPair]:
    start, end, new_start, new_end = span
    if (end - start) * (new_end - new_start) > _CELLS:
        yield span
        return
    for tag, i, j, k, m in opcodes(before[start:end], after[new_start:new_end]):
        if tag != "equal":
            yield start + i, start + j, new_start + k, new_start + m


def _joined(before: str, spans: Iterator[SpanPair]) -> list[SpanPair]:
    joined: list[SpanPair] = []
    for span in spans:
        if joined and _near(before, joined[-1][1], span[0]):
            joined[-1] = (joined[-1][0], span[1], joined[-1][2], span[3])
        else:
            joined.append(span)
    return joined


def _near(before: str, end: int, start: int) -> bool:
    return start == end or (start - end <= _JOINED and "\n" not in before[end:start])
