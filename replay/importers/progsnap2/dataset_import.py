"""Import of ProgSnap2 datasets: a main table of events, and the code states that they name (docs/importers.md).

Each tape is the work of one subject on one task: the rows with the same `tables.IDS`. If a row's code differs from that
of the row before, the difference is
one edit. Keystroke datasets contain the edits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from replay.importers.building.language_ids import language_id
from replay.importers.building.paths import path_on_tape
from replay.importers.building.tape_builder import ImportedTape, TapeBuilder
from replay.importers.building.text_changes import changes_between
from replay.importers.errors import RecordingError, locate
from replay.importers.progsnap2.code_states import CodeStates, code_states, default_section
from replay.importers.progsnap2.tables import FIRST_TEXT, EventRow, Tables, open_tables
from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.tape import Reason, Run
from syntax.text import Change, cut, length, splice

FORMAT = "progsnap2"
_REASONS: Mapping[str, Reason] = {"Paste": "paste", "Undo": "undo", "Redo": "redo", "Reset": "external"}
_OTHERS = ("Tool", "Instructor", "TeamMember")
_LOCATION = re.compile(r"(?:Text:)?(\d{1,15})(?:\.0+)?(?:-\d+)?", re.IGNORECASE)
"""An offset, with the form in front of it and the end of a region behind it; tables that pandas wrote have `7.0`."""
_TESTED = {"Success": (1, 0), "TestFailed": (0, 1), "Error": (0, 1), "Timeout": (0, 1)}


def import_dataset(path: Path) -> Iterator[ImportedTape]:
    """Read a dataset (its folder, or its main table), and apply each event of its tapes. Rows without code make no tape.

    Raises:
        RecordingError: a table is malformed, a code state is missing, an edit cannot have happened, or no row has code.

    """
    with open_tables(path) as tables:
        states, names = code_states(tables), _Names(tables.folder.absolute().name)
        for ids, rows in tables.groups():
            importing = _Import(tables, states)
            importing.take_all(rows)
            if importing.builder.numbers:
                yield importing.finish(names.name(ids), ids)
        if not names.given:
            raise RecordingError(tables.main, None, "no row has a code state or an edit, so there is no tape in it")


class _Names:
    """Gives each tape a unique name, made from its ids."""

    def __init__(self, dataset: str) -> None:
        self.dataset = dataset
        self.given: set[str] = set()

    def name(self, ids: Mapping[str, str]) -> str:
        words = [self.dataset, *(value for value in ids.values() if value)]
        plain = "-".join(re.sub(r"[^\w.+-]+", "_", word) for word in words)
        name, number = plain, 1
        while name.lower() in self.given:
            number += 1
            name = f"{plain}-{number}"
        self.given.add(name.lower())
        return name


class _Import:
    """The import of one tape."""

    def __init__(self, tables: Tables, states: CodeStates) -> None:
        self.tables, self.states = tables, states
        self.builder = TapeBuilder(str(tables.main), FORMAT)
        self.state = self.tools = ""
        self.start: float | None = None
        self.t = 0.0
        self.hidden: dict[str, str] = {}  # closed document → its text
        self.handlers: Mapping[str, Callable[[EventRow], None]] = {
            "File.Create": self._create,
            "File.Open": self._focus,
            "File.Focus": self._focus,
            "File.Save": self._save,
            "File.Close": self._close,
            "File.Delete": self._delete,
            "File.Rename": self._rename,
            "File.Edit": self._edit,
            FIRST_TEXT: self._begin,
        }

    def take_all(self, rows: Iterable[EventRow]) -> None:
        """Turn all rows into events."""
        for row in rows:
            with locate(self.tables.main, row.number, "row"):
                self._take(row)

    def finish(self, name: str, ids: Mapping[str, str]) -> ImportedTape:
        """The tape; its header carries the ids."""
        created = "" if self.start is None else _iso(self.start)
        carried: dict[str, Any] = {name: value for name, value in ids.items() if value}
        return self.builder.finish(name, editor=self.tools or "unknown", created=created, carried=carried)

    def _take(self, row: EventRow) -> None:
        self._pass_time(row)
        self.tools = self.tools or row.cells.get("ToolInstances", "")
        before = len(self.builder.events)
        if row.cells.get("CodeStateID", self.state) != self.state:
            self._become(row)
        kind = row.cells.get("EventType", "")
        if kind in self.handlers:
            self.handlers[kind](row)
            if len(self.builder.events) > before:
                return
        self.builder.foreign(self.t, dict(row.cells), self._test(row) if kind == "Run.Test" else None)

    def _pass_time(self, row: EventRow) -> None:
        if row.time is not None:
            self.start = row.time if self.start is None else self.start
            self.t = row.time - self.start

    def _become(self, row: EventRow) -> None:
        """Give the documents the texts of the row's code state."""
        state = row.cells["CodeStateID"]
        texts = self.states.find(row.cells)
        if texts is None:
            if "InsertText" in row.cells or "DeleteText" in row.cells:
                return  # keystroke datasets have numbers of states that are not stored
            raise ValueError(f"code state {state!r} is not in the dataset's CodeStates")
        self.state = state
        for section, text in sorted(texts.items()):
            self._hold(row, section, text)
        if "CodeStateSection" not in row.cells or row.cells["CodeStateSection"] not in texts or len(texts) > 1:
            kept = {path_on_tape(section) for section in texts}
            for section in [each for each in self.builder.numbers if self.builder.is_open(each) and each not in kept]:
                self.builder.close(self.t, section)

    def _hold(self, row: EventRow, section: str, text: str) -> None:
        if self.hidden.get(section) == text:
            return
        if not self.builder.is_open(section):
            self._show(section, self.hidden.pop(section, text))
        held = self.builder.text(section) or ""
        changes = self._recorded_change(row, held, text) or changes_between(held, text)
        if changes:
            self.builder.edit(self.t, section, changes, _reason(row, changes))

    def _recorded_change(self, row: EventRow, held: str, text: str) -> tuple[Change, ...]:
        """The change in the row itself, if it leads to the text of the row's state."""
        change = _change(row)
        fits = change is not None and change[1] <= length(held) and splice(held, [change]) == text
        return (change,) if change is not None and fits else ()

    def _edit(self, row: EventRow) -> None:
        """Apply the edit of a row in a keystroke dataset, where rows have no code state.

        An edit without a place is at 0 where no other place is possible, and in the tables of SQLiteToProgSnap2, which leaves out the 0.
        """
        if row.cells.get("CodeStateID", "") == self.state != "":
            return
        change, place = _change(row), row.cells.get("SourceLocation", "")
        if change is None and (row.cells.get("InsertText") or row.cells.get("DeleteText")):
            raise _no_place(place)
        if change is None:
            return
        section = row.cells.get("CodeStateSection") or default_section(self.tools)
        text = self.builder.text(section) if self.builder.is_open(section) else self.hidden.get(section)
        if text and not (place or self.tables.has_first_texts):
            raise _no_place(place)
        if not self.builder.is_open(section):
            self._show(section, self.hidden.pop(section, ""))
        held, deleted = self.builder.text(section) or "", row.cells.get("DeleteText", "")
        if deleted and change[1] <= length(held) and cut(held, change[0], change[1]) != deleted:
            stands = cut(held, change[0], change[1])
            raise ValueError(f"{section}: {deleted!r} is deleted at {change[0]}, but the text there is {stands!r}")
        self.builder.edit(self.t, section, [change], _reason(row, (change,)))

    def _show(self, section: str, text: str) -> None:
        self.builder.open(self.t, section, language_id(section, text), text)

    def _hide(self, section: str) -> None:
        self.hidden[section] = self.builder.text(section) or ""
        self.builder.close(self.t, section)

    def _begin(self, row: EventRow) -> None:
        """Open a document with the text that it has in the beginning, as the recorder of PyCharm says it (SQLiteToProgSnap2)."""
        section = row.cells.get("CodeStateSection", "")
        if section and not self.builder.is_open(section):
            self._show(section, row.cells.get("InsertText", ""))

    def _create(self, row: EventRow) -> None:
        section = row.cells.get("CodeStateSection", "")
        if section and not self.builder.is_open(section):
            self._show(section, "")

    def _focus(self, row: EventRow) -> None:
        section = row.cells.get("CodeStateSection", "")
        if section in self.hidden:
            self._show(section, self.hidden.pop(section))
        if self.builder.is_open(section):
            self.builder.focus(self.t, section)

    def _save(self, row: EventRow) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.builder.is_open(section):
            self.builder.save(self.t, section)

    def _close(self, row: EventRow) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.builder.is_open(section):
            self._hide(section)

    def _delete(self, row: EventRow) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.builder.is_open(section):
            self.builder.close(self.t, section)

    def _rename(self, row: EventRow) -> None:
        section, new = row.cells.get("CodeStateSection", ""), row.cells.get("DestinationCodeStateSection", "")
        if new and self.builder.is_open(section) and not self.builder.is_open(new):
            self._hide(section)
            self._show(new, self.hidden.pop(section))

    def _test(self, row: EventRow) -> Run | None:
        counts = _TESTED.get(row.cells.get("ExecutionResult", ""))
        if counts is None:
            return None
        return Run(self.t, row.cells.get("TestID", "Run.Test"), *counts, 1 if counts[1] else 0)


def _change(row: EventRow) -> Change | None:
    """The change in a row: an offset (UTF-16), and the deleted and inserted text. Without a location it is at 0."""
    cells = row.cells
    at, size = _LOCATION.fullmatch(cells.get("SourceLocation", "0")), _LOCATION.fullmatch(cells.get("DeleteLength", ""))
    inserted, deleted = cells.get("InsertText", ""), cells.get("DeleteText", "")
    if at is None or not (inserted or deleted or size):
        return None
    start = int(at[1])
    return start, start + (length(deleted) if deleted or size is None else int(size[1])), inserted


def _no_place(place: str) -> ValueError:
    return ValueError(f"SourceLocation {place[:40]!r} is no offset, as 7 or Text:7, so the edit has no place")


def _reason(row: EventRow, changes: tuple[Change, ...]) -> Reason | None:
    if row.cells.get("EventInitiator", "").startswith(_OTHERS):
        return "external"
    return _REASONS.get(row.cells.get("EditType", "")) or certain_reason(changes)


def _iso(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
