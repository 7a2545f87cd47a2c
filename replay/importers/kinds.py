"""Which importer an input is for, told by what is in it. A new format is one module and one row of `KINDS`."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from replay.errors import TapeError
from replay.importers import chunk_files, crowd_chunks, crowd_code, crowd_rows, progsnap2, progsnap2_tables
from replay.importers import recording_entries as recording
from replay.importers.errors import ImportRefusedError, RecordingError
from replay.importers.session import ImportedTape
from replay.importers.workspace_recording import import_recording, tape_name
from replay.tape import line_of

AUTO = "auto"
_HEAD = 65_536
"""Bytes at the beginning of a file by which it is told."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an input begins with: the names in a folder, or the first bytes of a file (unpacked if gzip)."""

    path: Path
    names: frozenset[str] = frozenset()
    content: bytes = b""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns if the file is a table."""
        first = self.content.decode("utf-8-sig", "replace").partition("\n")[0]
        return next(csv.reader([first.rstrip("\r")]), [])


Import: TypeAlias = Callable[[Path], Iterator[ImportedTape]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A format: its name, whether an input is of it, and how its tapes are read."""

    name: str
    fits: Callable[[Head], bool]
    read: Import


def kind_of(path: Path, format: str = AUTO) -> Kind:  # noqa: A002  # the word of the tape
    """Give the kind of an input: the one that is named, or the one that its content shows.

    Raises:
        ImportRefusedError: there is no format of that name.
        RecordingError: the input cannot be read, or is of no known format.

    """
    names = {kind.name: kind for kind in KINDS}
    if format != AUTO:
        if format not in names:
            raise ImportRefusedError(
                f"there is no format {format!r} to import: choose one of {', '.join([AUTO, *names])}"
            )
        return names[format]
    head = _head(path)
    kind = next((kind for kind in KINDS if kind.fits(head)), None)
    if kind is None:
        reason = f"is of no format that can be imported ({', '.join(names)}), as far as its beginning shows"
        raise RecordingError(path, None, reason)
    return kind


def tapes_of(path: Path, kind: Kind) -> Iterator[ImportedTape]:
    """The tapes in an input.

    Raises:
        RecordingError: it cannot be read, is malformed, or holds what cannot have happened.

    """
    try:
        yield from kind.read(path)
    except OSError as error:
        raise RecordingError(path, None, f"cannot be read: {error.strerror or error}") from error


def require_writable(path: Path, imported: ImportedTape) -> None:
    """Refuse a tape of an input as writing it would, without writing it.

    Raises:
        RecordingError: a line of it would be one that no reader takes.

    """
    try:
        for value in (imported.tape.header, *imported.tape.events):
            line_of(value, str(path))
    except TapeError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: TapeError) -> RecordingError:
    """What to say of an input whose tape cannot be written."""
    return RecordingError(path, None, f"would become a tape that cannot be read: {error.reason}")


def _head(path: Path) -> Head:
    try:
        if path.is_dir():
            return Head(path, names=frozenset(file.name for file in path.iterdir()))
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            unpacked = gzip.GzipFile(fileobj=file) if packed else file
            return Head(path, content=unpacked.read(_HEAD))
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(path, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _is_table(head: Head) -> bool:
    return "source.csv" in head.names or crowd_rows.is_header(head.columns)


def _read_table(path: Path) -> Iterator[ImportedTape]:
    yield crowd_code.import_table(path / "source.csv" if path.is_dir() else path)


def _is_chunks(head: Head) -> bool:
    if head.names:
        return any("chunk_" in name or name.startswith("source_part_") for name in head.names)
    start = head.content.lstrip()
    return chunk_files.is_part(head.path.name) or (
        start.startswith(b"{") and b'"version"' in start and b'"sessionId"' in start
    )


def _read_chunks(path: Path) -> Iterator[ImportedTape]:
    yield crowd_chunks.import_chunks(path)


def _is_dataset(head: Head) -> bool:
    return "MainTable.csv" in head.names or progsnap2_tables.is_main_header(head.columns)


def _is_recording(head: Head) -> bool:
    return head.content.lstrip().startswith(b"{")


def _read_recording(path: Path) -> Iterator[ImportedTape]:
    imported = import_recording(path)
    yield ImportedTape(tape_name(path), imported.tape, imported.changes, imported.checkpoints)


KINDS = (
    Kind(crowd_code.FORMAT, _is_table, _read_table),
    Kind(crowd_chunks.FORMAT, _is_chunks, _read_chunks),
    Kind(progsnap2.FORMAT, _is_dataset, progsnap2.import_dataset),
    Kind(recording.FORMAT, _is_recording, _read_recording),
)
"""All formats; the first that fits is taken. The last one takes any JSON, and says itself what is wrong with it."""
