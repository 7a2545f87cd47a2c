"""Import of ProgSnap2 datasets: a main table of events, and the code states that they name (docs/importers.md).

Each tape is one subject's work on one task: the rows that agree in `progsnap2_tables.IDS`. Where the code of a row differs
from that of the row before, the difference is one edit; keystroke datasets tell their edits themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from replay.errors import TapeError
from replay.importers.code_states import CodeStates, code_states, default_section
from replay.importers.errors import RecordingError
from replay.importers.guess import guess
from replay.importers.lsp_ids import lsp_id
from replay.importers.places import inside
from replay.importers.progsnap2_tables import Row, Tables, open_tables
from replay.importers.session import ImportedTape, Session
from replay.importers.snapshots import changes_between
from replay.tape import Reason, Run
from syntax.errors import OffsetError
from syntax.text import Change, cut, length, splice

FORMAT = "progsnap2"
_REASONS: Mapping[str, Reason] = {"Paste": "paste", "Undo": "undo", "Redo": "redo", "Reset": "external"}
_OTHERS = ("Tool", "Instructor", "TeamMember")
_TESTED = {"Success": (1, 0), "TestFailed": (0, 1), "Error": (0, 1), "Timeout": (0, 1)}


def import_dataset(path: Path) -> Iterator[ImportedTape]:
    """Read a dataset (its folder, or its main table) and replay each of its tapes once. Rows without code make none.

    Raises:
        RecordingError: a table is malformed, a code state is missing, an edit cannot have happened, or no row has code.

    """
    with open_tables(path) as tables:
        states, names = code_states(tables), _Names(tables.folder.absolute().name)
        for ids, rows in tables.groups():
            importing = _Import(tables, states)
            importing.take_all(rows)
            if importing.session.numbers:
                yield importing.finish(names.name(ids), ids)
        if not names.given:
            raise RecordingError(
                tables.main, None, "no row names a code state or tells an edit, so there is no tape in it"
            )


class _Names:
    """Names for tapes from the ids that they are of, no two alike."""

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
        self.session = Session(str(tables.main), FORMAT)
        self.state = self.tools = ""
        self.start: float | None = None
        self.t = 0.0
        self.hidden: dict[str, str] = {}  # documents that were closed, with what they held
        self.handlers: Mapping[str, Callable[[Row], None]] = {
            "File.Create": self._create,
            "File.Open": self._focus,
            "File.Focus": self._focus,
            "File.Save": self._save,
            "File.Close": self._close,
            "File.Delete": self._delete,
            "File.Rename": self._rename,
            "File.Edit": self._edit,
        }

    def take_all(self, rows: Iterable[Row]) -> None:
        """Turn all rows into events, and play them."""
        for row in rows:
            try:
                self._take(row)
            except (OffsetError, ValueError) as error:
                raise RecordingError(self.tables.main, row.number, str(error), "row") from error
            except TapeError as error:
                raise RecordingError(self.tables.main, row.number, error.reason, "row") from error

    def finish(self, name: str, ids: Mapping[str, str]) -> ImportedTape:
        """Give the tape; it carries the ids that it is of."""
        created = "" if self.start is None else _iso(self.start)
        carried: dict[str, Any] = {name: value for name, value in ids.items() if value}
        return self.session.finish(name, editor=self.tools or "unknown", created=created, carried=carried)

    def _take(self, row: Row) -> None:
        self._pass_time(row)
        self.tools = self.tools or row.cells.get("ToolInstances", "")
        before = len(self.session.events)
        if row.cells.get("CodeStateID", self.state) != self.state:
            self._become(row)
        kind = row.cells.get("EventType", "")
        if kind in self.handlers:
            self.handlers[kind](row)
            if len(self.session.events) > before:
                return
        self.session.foreign(self.t, dict(row.cells), self._test(row) if kind == "Run.Test" else None)

    def _pass_time(self, row: Row) -> None:
        if row.time is not None:
            self.start = row.time if self.start is None else self.start
            self.t = row.time - self.start

    def _become(self, row: Row) -> None:
        """Make the documents hold what the row's code state says."""
        state = row.cells["CodeStateID"]
        texts = self.states.find(row.cells)
        if texts is None:
            if "InsertText" in row.cells or "DeleteText" in row.cells:
                return  # keystroke datasets number states that nobody stored
            raise ValueError(f"code state {state!r} is not in the dataset's CodeStates")
        self.state = state
        for section, text in sorted(texts.items()):
            self._hold(row, section, text)
        if "CodeStateSection" not in row.cells or row.cells["CodeStateSection"] not in texts or len(texts) > 1:
            kept = {inside(section) for section in texts}
            for section in [each for each in self.session.numbers if self.session.is_open(each) and each not in kept]:
                self.session.close(self.t, section)

    def _hold(self, row: Row, section: str, text: str) -> None:
        if self.hidden.get(section) == text:
            return
        if not self.session.is_open(section):
            self._show(section, self.hidden.pop(section, text))
        held = self.session.text(section) or ""
        changes = self._told(row, held, text) or changes_between(held, text)
        if changes:
            self.session.edit(self.t, section, changes, _reason(row, changes))

    def _told(self, row: Row, held: str, text: str) -> tuple[Change, ...]:
        """The change that a row tells itself, if it leads to the text that its state has."""
        change = _change(row)
        fits = change is not None and change[1] <= length(held) and splice(held, [change]) == text
        return (change,) if change is not None and fits else ()

    def _edit(self, row: Row) -> None:
        """Make the edit of a keystroke dataset, whose rows name no code state."""
        change = _change(row)
        if change is None or row.cells.get("CodeStateID", "") == self.state != "":
            return
        section = row.cells.get("CodeStateSection") or default_section(self.tools)
        if not self.session.is_open(section):
            self._show(section, self.hidden.pop(section, ""))
        held, deleted = self.session.text(section) or "", row.cells.get("DeleteText", "")
        if deleted and change[1] <= length(held) and cut(held, change[0], change[1]) != deleted:
            stands = cut(held, change[0], change[1])
            raise ValueError(f"{section}: {deleted!r} is deleted at {change[0]}, where {stands!r} stands")
        self.session.edit(self.t, section, [change], _reason(row, (change,)))

    def _show(self, section: str, text: str) -> None:
        self.session.open(self.t, section, lsp_id(section, text), text)

    def _hide(self, section: str) -> None:
        self.hidden[section] = self.session.text(section) or ""
        self.session.close(self.t, section)

    def _create(self, row: Row) -> None:
        section = row.cells.get("CodeStateSection", "")
        if section and not self.session.is_open(section):
            self._show(section, "")

    def _focus(self, row: Row) -> None:
        section = row.cells.get("CodeStateSection", "")
        if section in self.hidden:
            self._show(section, self.hidden.pop(section))
        if self.session.is_open(section):
            self.session.focus(self.t, section)

    def _save(self, row: Row) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.session.is_open(section):
            self.session.save(self.t, section)

    def _close(self, row: Row) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.session.is_open(section):
            self._hide(section)

    def _delete(self, row: Row) -> None:
        section = row.cells.get("CodeStateSection", "")
        if self.session.is_open(section):
            self.session.close(self.t, section)

    def _rename(self, row: Row) -> None:
        section, new = row.cells.get("CodeStateSection", ""), row.cells.get("DestinationCodeStateSection", "")
        if new and self.session.is_open(section) and not self.session.is_open(new):
            self._hide(section)
            self._show(new, self.hidden.pop(section))

    def _test(self, row: Row) -> Run | None:
        counts = _TESTED.get(row.cells.get("ExecutionResult", ""))
        if counts is None:
            return None
        return Run(self.t, row.cells.get("TestID", "Run.Test"), *counts, 1 if counts[1] else 0)


def _change(row: Row) -> Change | None:
    """The change that a row tells: an offset (UTF-16), and what was deleted and inserted there."""
    cells = row.cells
    at, size = cells.get("SourceLocation", ""), cells.get("DeleteLength", "")
    inserted, deleted = cells.get("InsertText", ""), cells.get("DeleteText", "")
    if not at.isdecimal() or not (inserted or deleted or size.isdecimal()):
        return None
    start = int(at)
    return start, start + (length(deleted) if deleted or not size.isdecimal() else int(size)), inserted


def _reason(row: Row, changes: tuple[Change, ...]) -> Reason | None:
    if row.cells.get("EventInitiator", "").startswith(_OTHERS):
        return "external"
    return _REASONS.get(row.cells.get("EditType", "")) or guess(changes)


def _iso(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
