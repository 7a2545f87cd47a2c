"""The file of a recording in progress: it has whole lines only, each flush is one write, and a rewrite is all or nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from replay.errors import ReplayError
from replay.recording.errors import RecordingStopped
from replay.recording.secrets.redaction import Redactor
from replay.tapes.coding import encoded
from replay.tapes.line_files import LONGEST
from replay.tapes.tape import Event, Header, stream

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND


def check_folder(folder: Path) -> None:
    """Refuse a folder that could not be made or written when the recording begins. Makes nothing.

    Raises:
        RecordingStopped: what stands there is no folder, or none that this user may write.

    """
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    if not nearest.is_dir():
        raise RecordingStopped(f"Nothing can be recorded into {folder}: {nearest} is no folder. Choose another one.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise RecordingStopped(
            f"Nothing can be recorded into {folder}: {nearest} may not be written. Choose another one."
        )


class Journal:
    """Writes what a redactor releases into `FOLDER/ID.tape.jsonl`; the first event creates the file.

    Only its owner can read it. After a killed process the tape ends with the last flush; after a full disk, with the last
    line that fitted. If the file must be rewritten and cannot be, every line that the rewritten file would not have is
    removed, and the error says so.

    Raises:
        RecordingStopped: the file cannot be created, written or read, was removed, or a line is too long.

    """

    def __init__(self, folder: Path, header: Header, redactor: Redactor) -> None:
        self.path = folder / f"{header.id}.tape.jsonl"
        self._header, self._redactor = header, redactor
        self._file, self._clean, self._is_finished = -1, b"", False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._redactor.must_rewrite:
            with suppress(ReplayError):
                self.flush(last=True)
        self._close()

    def flush(self, *, last: bool = False) -> None:
        """Write what the redactor releases. `last` also searches earlier events for credentials that were learnt just now."""
        if self._is_finished:
            return
        self._drop_known_tests()
        if self._redactor.is_idle:
            return
        try:
            self._flush(last=last)
        except OSError as error:
            raise RecordingStopped(f"{_reason(error)} ({self.path})") from error

    def _drop_known_tests(self) -> None:
        """Leave out of the header how the project is tested, if that holds a value that is known by now; one that was written is rewritten."""
        tests = self._header.tests
        if tests is not None and self._redactor.knows(f"{tests.setup}\n{tests.command}"):
            self._header = replace(self._header, tests=None)
            self._redactor.must_rewrite = self._redactor.must_rewrite or self._file >= 0

    def _flush(self, *, last: bool) -> None:
        if self._file >= 0:
            self._require_same_file()
        if self._rewrites(look_back=self._redactor.wants_to_look_back(at_once=last)):
            return
        events = self._redactor.release()
        lines = b"".join(map(self._line, events))
        if self._file < 0 and events:
            self._begin()
        if events:
            self._append(lines)

    def _rewrites(self, *, look_back: bool) -> bool:
        """Rewrite the file if the redactor asks for it; true if it was rewritten. `look_back` searches earlier events first."""
        self._clean = b""
        try:
            if look_back:
                self._redactor.look_back(self._written())
            if self._redactor.must_rewrite:
                self._replace(self._redactor.release(self._written()))
                return True
        except (
            Exception
        ) as error:  # whatever failed, no secret may stay in the file; the error goes on, and the person gets it
            advice = self._remove_unclean_lines()
            if isinstance(error, OSError | ReplayError):
                raise RecordingStopped(f"{_reason(error)} ({self.path}). {advice}") from error
            raise
        return False

    def _line(self, event: Event) -> bytes:
        line = encoded(event)
        if len(line) > LONGEST:
            raise RecordingStopped(
                f"{self.path}: a change of {len(line) >> 20} MiB is more than a line of a tape may have"
            )
        return line

    def _begin(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(self.path, _NEW, 0o600)
        self._append(encoded(self._header))

    def _require_same_file(self) -> None:
        """Stop if the file was removed: then the person wants no recording."""
        here, there = os.fstat(self._file), self.path.stat() if self.path.exists() else None
        if there is None or not os.path.samestat(here, there):
            raise RecordingStopped(f"{self.path} was removed")

    def _append(self, lines: bytes) -> None:
        good = os.fstat(self._file).st_size
        try:
            _write(self._file, lines)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, good)
            raise

    def _written(self) -> Sequence[Event]:
        if self._file < 0:
            return ()
        with stream(self.path) as tape:
            return [event for _, event in tape.events]

    def _replace(self, events: Sequence[Event]) -> None:
        """Write the whole tape again into a new file, and replace the old one by it."""
        part = self.path.with_name(self.path.name + ".part")
        self._clean = b"".join([encoded(self._header), *map(encoded, events)])
        lines = b"".join([encoded(self._header), *map(self._line, events)])
        try:
            _write_new(part, lines)
            self._close()
            part.replace(self.path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _remove_unclean_lines(self) -> str:
        """Keep only the first lines that equal those of the clean file, or no file if no event is among them; say what was done."""
        self._is_finished = True
        self._close()
        with suppress(OSError):
            kept = _size_in_common(self.path.read_bytes(), self._clean)
            if kept > len(encoded(self._header)):
                os.truncate(self.path, kept)
                return "Everything from the first line on that may hold a credential was removed"
        try:
            self.path.unlink(missing_ok=True)
        except OSError:
            return "It may hold a credential and cannot be changed: delete it"
        return "It may have held a credential and was removed"

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _write_new(path: Path, lines: bytes) -> None:
    file = os.open(path, _NEW, 0o600)
    try:
        _write(file, lines)
    finally:
        os.close(file)


def _write(file: int, lines: bytes) -> None:
    view = memoryview(lines)
    while view:
        view = view[os.write(file, view) :]


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _size_in_common(one: bytes, other: bytes) -> int:
    """Bytes of the first lines that two files have in common."""
    size = 0
    for mine, theirs in zip(one.splitlines(keepends=True), other.splitlines(keepends=True), strict=False):
        if mine != theirs:
            break
        size += len(mine)
    return size
