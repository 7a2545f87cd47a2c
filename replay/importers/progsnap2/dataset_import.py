"""Import of ProgSnap2 datasets: a main table of events, and the code states that they name (docs/importers.md).

Each tape is the work of one subject on one task: the rows with the same `tables.IDS`. If a row's code differs from that
of the row before, the difference is
one edit. Keystroke datasets contain the edits.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from replay.importers.building.language_ids import language_id
from replay.importers.building.paths import path_on_tape
from replay.importers.building.tape_builder import ImportedTape, TapeBuilder, changes_between
from replay.importers.errors import RecordingError, locate
from replay.importers.progsnap2.tables import FIRST_TEXT, EventRow, Tables, open_tables
from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.git_environment import quiet_environment
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


# The code states of a ProgSnap2 dataset: the texts of a subject's files, in the forms Table, Directory and
# Git.

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_GIT = ("git", "--no-optional-locks", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")
_KEPT = 256
"""States that are kept in memory: rows of one subject repeat them."""
_HEAD = 8000
"""Bytes of a file in which a NUL makes it binary, as git sees it."""
_SUFFIXES = {
    "python": "py",
    "java": "java",
    "javascript": "js",
    "typescript": "ts",
    "c++": "cpp",
    "c#": "cs",
    "ruby": "rb",
}


class CodeStates(Protocol):
    """Looks up code states."""

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        """Section → text of a row's state; None if the state does not exist. Binary files are left out.

        Raises ValueError if a part of the state cannot be read, or is outside the dataset.
        """
        ...


def code_states(tables: Tables) -> CodeStates:
    """The code states, in the form that the metadata names, else in the form that the folders show."""
    said = tables.metadata.get("CodeStateRepresentation", "").lower()
    root = tables.folder / "CodeStates"
    if said == "git":
        return _Git(root)
    shown = "directory" if root.is_dir() and not (root / "CodeStates.csv").is_file() else "table"
    return _Directory(root) if (said or shown) == "directory" else _Table(tables)


def default_section(tools: str) -> str:
    """The name of the only file of a state without section names: `main`, with the ending of the tools' language."""
    words = re.findall(r"[a-z+#]+", tools.lower())
    return f"main.{next((_SUFFIXES[word] for word in words if word in _SUFFIXES), 'txt')}"


class _Table:
    def __init__(self, tables: Tables) -> None:
        self.find_states = lru_cache(_KEPT)(tables.states)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        found = self.find_states(cells["CodeStateID"])
        default = cells.get("CodeStateSection") or default_section(cells.get("ToolInstances", ""))
        texts: dict[str, str] = {}
        for section, code in found:
            if texts.setdefault(section or default, code) != code:
                raise ValueError(f"CodeStates has two texts of state {cells['CodeStateID']!r}, {section or default}")
        return texts or None


class _Directory:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.read = lru_cache(_KEPT)(self._read)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        state = cells["CodeStateID"]
        found = self.read(state)
        return self.read(f"{cells.get('SubjectID', '')}/{state}") if found is None else found

    def _read(self, name: str) -> dict[str, str] | None:
        folder = self.root / name
        if ".." in Path(name).parts or Path(name).is_absolute() or not folder.is_dir():
            return None
        _require_within(self.root, folder)
        files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
        texts = ((file.relative_to(folder).as_posix(), _text(str(file), file.read_bytes())) for file in files)
        return {section: text for section, text in texts if text is not None}


class _Git:
    """Git repositories; only objects are read, so nothing that a repository configures is run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read = lru_cache(_KEPT)(self._read)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        path, _, commit = cells["CodeStateID"].rpartition("/")
        if not _COMMIT.fullmatch(commit):
            return None
        subject, project = cells.get("SubjectID", ""), cells.get("ProjectID", "")
        places = dict.fromkeys((path, f"{subject}/{project}", subject, project, ""))
        repository = next((found for place in places if (found := _repository(self.root, place))), None)
        return None if repository is None else self.read(repository, commit)

    def _read(self, repository: Path, commit: str) -> dict[str, str] | None:
        if _git(repository, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
            return None
        listed = _output(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
        return dict(_blobs(repository, listed.decode("utf-8", "replace")))


def _repository(root: Path, place: str) -> Path | None:
    folder = root / place
    if ".." in Path(place).parts or Path(place).is_absolute():
        return None
    found = next((found for found in (folder / ".git", folder) if (found / "HEAD").is_file()), None)
    if found is not None:
        _require_within(root, found)
    return found


def _require_within(root: Path, folder: Path) -> None:
    """Refuse a folder that is a link to outside the dataset; `root` is the folder of code states."""
    if not folder.resolve().is_relative_to(root.parent.resolve()):
        raise ValueError(f"{folder} is a link that leads out of the dataset: put the files themselves there")


def _blobs(repository: Path, listed: str) -> Iterator[tuple[str, str]]:
    for line in listed.split("\0"):
        head, _, path = line.partition("\t")
        mode, kind, name = (*head.split(), "", "", "")[:3]
        if kind == "blob" and mode.startswith("100"):
            text = _text(f"{repository}: {path}", _output(repository, "cat-file", "blob", name))
            if text is not None:
                yield path, text


def _output(repository: Path, *arguments: str) -> bytes:
    done = _git(repository, *arguments)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise ValueError(f"{repository}: `git {' '.join(arguments)}` fails: {said}")
    return done.stdout


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = quiet_environment(os.environ) | {"GIT_CONFIG_NOSYSTEM": "1"}
    command = [*_GIT, f"--git-dir={repository}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environment)
    except OSError as error:
        raise ValueError(f"git cannot be run ({error.strerror}): install it") from error


def _text(place: str, content: bytes) -> str | None:
    """The text of a file; None if it is binary. `place` names it in errors."""
    if b"\0" in content[:_HEAD]:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place} is not text in UTF-8 ({error.reason} at byte {error.start})") from error
