"""Import of GitHub Copilot Chat's `workspaceRecording@1.0`.

The order of the log is kept; so are its clocks, which step back. A `setContent` for a document that is open already,
and a `restoreContent` for one, are checkpoints: they must equal the replayed text and become `state` events.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from replay.documents import Documents
from replay.errors import TapeError
from replay.importers import recording_entries as log
from replay.importers.detect import detect
from replay.importers.errors import RecordingError
from replay.importers.lsp_ids import lsp_id
from replay.tape import (
    Close,
    Edit,
    Embedded,
    Event,
    Focus,
    Ghost,
    Header,
    Open,
    Reason,
    Select,
    State,
    Tape,
    digest,
)
from syntax.errors import OffsetError
from syntax.text import Change, carry_right, length, minimal, offset_at

OUTSIDE = "outside-workspace"
UNKNOWN_REQUEST = -1
_ACCEPT = "inlineSuggestion.accept"
_REASONS: Mapping[str, Reason] = {_ACCEPT: "accept", "snippet": "type", "formatEditsCommand": "format"}
_ENDINGS = ("__recording.w.json", ".recording.w.json", ".workspaceRecording.jsonl", ".w.json", ".jsonl", ".json")
_RANGE = re.compile(r"\[(\d+),(\d+) -> (\d+),(\d+)\]")
_KEY = re.compile(r"(.)\1*\Z|\r?\n[ \t]*\Z|\(\)|\[\]|\{\}|\"\"|''|``", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Imported:
    """A recording as a tape, with how many changes were applied and how many checkpoints matched."""

    tape: Tape
    changes: int
    checkpoints: int


def import_recording(path: Path) -> Imported:
    """Read a recording and replay it once, so that every offset and every checkpoint is known to be right.

    Raises:
        RecordingError: the file is malformed, an edit lies outside its document, or a checkpoint does not match.

    """
    entries = log.read_entries(path)
    start = min((entry.time for entry in entries if not isinstance(entry, log.Meta)), default=0.0)
    importing = _Import(path, start, _reasons(entries))
    for number, entry in enumerate(entries):
        importing.take(number, entry)
    return importing.finish()


def tape_name(path: Path) -> str:
    """The name of a recording's tape: its file name without what only names the format."""
    ending = next((ending for ending in _ENDINGS if path.name.endswith(ending)), "")
    return path.name.removesuffix(ending)


def inside(relative_path: str) -> str:
    """The path on the tape: forward slashes, and what lies outside the workspace in a folder of its own.

    Raises ValueError if the path names the workspace itself.
    """
    parts = [part for part in relative_path.replace("\\", "/").split("/") if part != "."]
    if not parts:
        raise ValueError(f"relativePath {relative_path!r} names the workspace itself, not a document in it")
    kept = [part.rstrip(":") for part in parts if part not in {"", ".."}]
    left = parts[:1] in ([".."], [""]) or parts[0].endswith(":") or ".." in parts
    return "/".join([OUTSIDE, *kept] if left else kept)


def _reasons(entries: Sequence[log.Entry]) -> dict[int, str]:
    """Number of a change → the reason that a later entry of the same document and version names."""
    last: dict[tuple[int, int | None], int] = {}
    reasons = {}
    for number, entry in enumerate(entries):
        if isinstance(entry, log.Changed):
            last[entry.id, entry.v] = number
        elif isinstance(entry, log.DocumentEvent) and (reason := log.reason_in(entry)):
            change = last.get((entry.id, reason.v))
            if change is not None:
                reasons[change] = reason.source
    return reasons


def _guess(changes: Sequence[Change]) -> Reason | None:
    """`type` and `delete` where nothing else can have made the change; None where something else may have."""
    if changes and all(end > start and not new for start, end, new in changes):
        return "delete"
    return "type" if changes and all(_is_key(*change) for change in changes) else None


def _is_key(start: int, end: int, new: str) -> bool:
    """One key: a character, Enter with its indentation, a bracket with its closer, or a closer written over itself."""
    if end - start == 1:
        return new in set(")]}\"'`")
    return start == end and 0 < len(new) < 40 and bool(_KEY.fullmatch(new))


def _content_id(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())[:24].decode()


@dataclass(frozen=True, slots=True)
class _Asked:
    doc: int
    text: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """An answer: the texts of its items, and what the first of them would have added at the cursor."""

    request: int
    texts: tuple[str, ...]
    added: str


class _Import:
    """The state of one import: the documents, and the requests that may still be answered."""

    def __init__(self, path: Path, start: float, reasons: Mapping[int, str]) -> None:
        self.path, self.start, self.reasons = path, start, reasons
        self.documents = Documents(str(path))
        self.events: list[Event] = []
        self.paths: dict[int, str] = {}
        self.cursors: dict[int, int] = {}
        self.stored: dict[str, str] = {}
        self.asked: dict[int, _Asked] = {}
        self.shown: dict[int, list[_Shown]] = {}
        self.changes = 0

    def take(self, number: int, entry: log.Entry) -> None:
        """Turn one entry into the events that it stands for, and play them."""
        try:
            for event in self._events(number, entry):
                self.documents.apply(number, event)
                self.events.append(event)
        except (OffsetError, ValueError) as error:
            raise RecordingError(self.path, number, str(error)) from error
        except TapeError as error:
            raise RecordingError(self.path, number, error.reason) from error

    def finish(self) -> Imported:
        """The tape, with the tests that its own documents say how to run."""
        created = datetime.fromtimestamp(self.start / 1000, UTC).isoformat(timespec="milliseconds")
        header = Header(
            tape=1,
            id=tape_name(self.path),
            editor="vscode",
            origin=f"imported:{log.FORMAT}",
            workspace=Embedded(),
            tests=detect(self.documents.finished()),
            created=created,
        )
        return Imported(Tape(header, tuple(self.events), str(self.path)), self.changes, self.documents.checked)

    def _events(self, number: int, entry: log.Entry) -> Iterator[Event]:  # one arm an entry kind
        match entry:
            case log.ApplicationStart():
                yield from (Close(self._t(entry.time), doc) for doc in sorted(self.documents.shown))
            case log.Encountered():
                self.paths[entry.id] = inside(entry.relative_path)
            case log.SetContent():
                yield self._content(entry, entry.content)
            case log.StoreContent():
                self._store(entry)
            case log.RestoreContent():
                yield self._content(entry, self._stored(entry))
            case log.Opened():
                yield from self._opened(entry)
            case log.Closed():
                yield Close(self._t(entry.time), entry.id)
            case log.Focused():
                yield Focus(self._t(entry.time), entry.id)
            case log.SelectionChanged():
                yield self._select(entry)
            case log.Changed():
                yield from self._changed(number, entry)
            case log.DocumentEvent() | log.Event():
                yield from self._fetch(entry)

    def _t(self, time: float) -> float:
        return time - self.start

    def _open(self, doc: int, time: float, text: str) -> Open:
        path = self.paths.get(doc)
        if path is None:
            raise ValueError(f"document {doc} has content before a documentEncountered entry gives it a path")
        return Open(self._t(time), doc, path, lsp_id(path, text), text)

    def _content(self, entry: log.SetContent | log.RestoreContent, text: str) -> Event:
        if entry.id in self.documents.shown:
            return State(self._t(entry.time), entry.id, digest(text))
        return self._open(entry.id, entry.time, text)

    def _opened(self, entry: log.Opened) -> Iterator[Event]:
        if entry.id not in self.documents.shown and entry.id in self.documents.texts:
            yield self._open(entry.id, entry.time, self.documents.texts[entry.id])

    def _store(self, entry: log.StoreContent) -> None:
        text = self._text(entry.id)
        if _content_id(text) != entry.content_id:
            raise ValueError(
                f"{self.paths[entry.id]}: content {entry.content_id} is stored, but the replayed text "
                f"({length(text)} UTF-16 code units) is {_content_id(text)}"
            )
        self.stored[entry.content_id] = text

    def _stored(self, entry: log.RestoreContent) -> str:
        try:
            return self.stored[entry.content_id]
        except KeyError:
            raise ValueError(f"content {entry.content_id} is restored, but was never stored") from None

    def _text(self, doc: int) -> str:
        if doc not in self.documents.shown:
            raise ValueError(f"document {doc} is not open")
        return self.documents.texts[doc]

    def _select(self, entry: log.SelectionChanged) -> Select:
        if entry.selection:
            self.cursors[entry.id] = entry.selection[0][1]
        return Select(self._t(entry.time), entry.id, entry.selection)

    def _changed(self, number: int, entry: log.Changed) -> Iterator[Event]:
        before = self._text(entry.id)
        source = self.reasons.get(number)
        reason = _guess(entry.edit) if source is None else _REASONS.get(source)
        yield Edit(self._t(entry.time), entry.id, entry.edit, reason)
        self.changes += 1
        self.cursors[entry.id] = carry_right(self.cursors.get(entry.id, 0), entry.edit)
        if source == _ACCEPT:
            yield self._accepted(entry, before)

    def _accepted(self, entry: log.Changed, before: str) -> Ghost:
        change = max(entry.edit, key=lambda change: len(change[2]))
        start, _, text = minimal(before, change)
        shown = self.shown.get(entry.id, [])
        last = shown[-1] if shown else _Shown(UNKNOWN_REQUEST, (), "")
        request = next((offer.request for offer in reversed(shown) if change[2] in offer.texts), last.request)
        part = change[2] not in last.texts and last.added.startswith(text) and last.added != text
        return Ghost(self._t(entry.time), entry.id, request, "part" if part else "accepted", start, text)

    def _fetch(self, entry: log.DocumentEvent | log.Event) -> Iterator[Event]:
        fetch = log.fetch_in(entry)
        if fetch is None:
            return
        if isinstance(entry, log.DocumentEvent):
            self.asked[fetch.request_id] = _Asked(entry.id, self._text(entry.id))
            here = self.cursors.get(entry.id, 0)
            yield Ghost(self._t(entry.time), entry.id, fetch.request_id, "asked", here)
        elif fetch.result and (asked := self.asked.pop(fetch.request_id, None)):
            yield from self._answered(entry.time, fetch, asked)

    def _answered(self, time: float, fetch: log.Fetch, asked: _Asked) -> Iterator[Event]:
        if asked.doc not in self.documents.shown:
            return
        texts = tuple(offer.text for offer in fetch.result)
        start, _, added = minimal(asked.text, _offered(asked.text, fetch.result[0]))
        self.shown.setdefault(asked.doc, []).append(_Shown(fetch.request_id, texts, added))
        yield Ghost(self._t(time), asked.doc, fetch.request_id, "shown", start, added, fetch.duration_ms)


def _offered(text: str, offer: log.Offer) -> Change:
    """An item's range, whose lines and columns count from 1, as a change of the text that it was asked for."""
    match = _RANGE.fullmatch(offer.range)
    if match is None:
        raise ValueError(f"range {offer.range!r} is none of the form [line,column -> line,column]")
    line, column, end_line, end_column = (int(number) - 1 for number in match.groups())
    return offset_at(text, line, column), offset_at(text, end_line, end_column), offer.text
