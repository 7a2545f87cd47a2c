"""Which importer reads an input, decided by its content. A new format is one module and one row of `FORMATS`; or an `ImportFormat` that another package registers (docs/extending.md)."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from replay.errors import TapeError
from replay.importers.building.csv_rows import delimiter_of
from replay.importers.building.packed_files import in_utf8
from replay.importers.building.tape_builder import ImportedTape
from replay.importers.crowd import chunk_files, crowd_chunks
from replay.importers.crowd import table as crowd_table
from replay.importers.crowd import table_rows as crowd_rows
from replay.importers.errors import ImportRefusedError, RecordingError, unreadable
from replay.importers.progsnap2 import dataset_import as progsnap2
from replay.importers.progsnap2 import tables as progsnap2_tables
from replay.importers.workspace_recording import recording_entries as recording
from replay.importers.workspace_recording.recording_import import import_recording, tape_name
from replay.tapes.tape import line_of
from syntax.entry_points import extensions
from syntax.errors import ExtensionBroken

AUTO = "auto"
_HEAD = 65_536
"""Bytes at the beginning of a file that decide its format."""


@dataclass(frozen=True, slots=True)
class InputHead:
    """The beginning of an input: the names in a folder, or the first bytes of a file (unpacked if gzip, in UTF-8 if UTF-16)."""

    path: Path
    names: frozenset[str] = frozenset()
    content: bytes = b""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns if the file is a table."""
        text = io.StringIO(self.content.decode("utf-8", "replace"), newline="")
        delimiter = delimiter_of(text.readline())
        text.seek(0)
        try:
            return next(csv.reader(text, delimiter=delimiter), [])
        except csv.Error:  # such as a cell that is longer than the beginning of a table may be
            return []


Import: TypeAlias = Callable[[Path], Iterator[ImportedTape]]


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format that can be imported."""

    name: str
    """Its name on the command line and in reports."""
    fits: Callable[[InputHead], bool]
    """Whether the beginning of an input shows this format."""
    read: Import
    """Reads the tapes of an input."""


def format_of(path: Path, format: str = AUTO) -> ImportFormat:  # noqa: A002  # tapes call it so
    """Give the format of an input: the named one, or the one that its content shows.

    Raises:
        ImportRefusedError: no format has that name.
        RecordingError: the input cannot be read, or its format is unknown.

    """
    if format != AUTO:
        return _named(format)
    head = _head(path)
    found = next((each for each in _all_formats() if each.fits(head)), None)
    if found is None or _is_tape(head):
        raise RecordingError(path, None, _why_not(head))
    return found


def _named(name: str) -> ImportFormat:
    names = {each.name: each for each in FORMATS}
    if name in names:
        return names[name]
    if name in extensions("importers"):
        return cast("ImportFormat", extensions("importers")[name].load_or(ImportRefusedError))
    known = ", ".join([AUTO, *names, *extensions("importers")])
    raise ImportRefusedError(f"there is no format {name!r} to import: choose one of {known}")


def _all_formats() -> Iterator[ImportFormat]:
    """The formats of other packages, then ours, of which the last accepts any JSON. What cannot be loaded is left to `ghosttape doctor`."""
    for extension in extensions("importers").values():
        with suppress(ExtensionBroken):
            yield extension.load()
    yield from FORMATS


def _is_tape(head: InputHead) -> bool:
    return head.content.startswith(b'{"tape":')


def _why_not(head: InputHead) -> str:
    """Why an input cannot be imported, and what to do with it."""
    if _is_tape(head):
        return "is a tape already: `ghosttape replay` plays it, and `ghosttape export` turns it into a recording"
    recordings = [name for name in sorted(head.names) if _looks_importable(head.path / name)]
    if recordings:
        return f"is a folder with {len(recordings)} recordings, as {recordings[0]}: name the files, as in {head.path / '*'}"
    formats = ", ".join(each.name for each in _all_formats())
    shown = f"is of no format that can be imported ({formats}), as far as its beginning shows"
    return f"{shown}: with its format named (--format) the import says what is wrong with it"


def _looks_importable(path: Path) -> bool:
    if path.is_dir():
        return False
    head = _head(path)
    return any(each.fits(head) for each in _all_formats()) and not _is_tape(head)


def tapes_of(path: Path, importer: ImportFormat) -> Iterator[ImportedTape]:
    """The tapes in an input.

    Raises:
        RecordingError: it cannot be read, is malformed, or has an entry that cannot have happened.

    """
    try:
        yield from importer.read(path)
    except OSError as error:
        raise unreadable(path, error) from error


def require_writable(path: Path, imported: ImportedTape) -> None:
    """Refuse a tape that could not be written as a file.

    Raises:
        RecordingError: no reader would accept one of its lines.

    """
    try:
        for value in (imported.tape.header, *imported.tape.events):
            line_of(value, str(path))
    except TapeError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: TapeError) -> RecordingError:
    """The error for an input whose tape cannot be written."""
    return RecordingError(path, None, f"would become a tape that cannot be read: {error.reason}")


def _head(path: Path) -> InputHead:
    try:
        if path.is_dir():
            return InputHead(path, names=frozenset(file.name for file in path.iterdir()))
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            unpacked = gzip.GzipFile(fileobj=file) if packed else file
            return InputHead(path, content=in_utf8(unpacked.read(_HEAD), "replace"))
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def _is_table(head: InputHead) -> bool:
    return "source.csv" in head.names or crowd_rows.is_header(head.columns)


def _read_table(path: Path) -> Iterator[ImportedTape]:
    yield crowd_table.import_table(path / "source.csv" if path.is_dir() else path)


def _is_chunks(head: InputHead) -> bool:
    if head.names:
        return any("chunk_" in name or name.startswith("source_part_") for name in head.names)
    start = head.content.lstrip()
    return chunk_files.is_part(head.path.name) or (
        start.startswith(b"{") and b'"version"' in start and b'"sessionId"' in start
    )


def _read_chunks(path: Path) -> Iterator[ImportedTape]:
    yield crowd_chunks.import_chunks(path)


def _is_dataset(head: InputHead) -> bool:
    return "MainTable.csv" in head.names or progsnap2_tables.is_main_header(head.columns)


def _is_recording(head: InputHead) -> bool:
    return head.content.lstrip().startswith(b"{")


def _read_recording(path: Path) -> Iterator[ImportedTape]:
    imported = import_recording(path)
    yield ImportedTape(
        tape_name(path), imported.tape, imported.changes, imported.checkpoints, recognised=imported.recognised
    )


FORMATS = (
    ImportFormat(crowd_table.FORMAT, _is_table, _read_table),
    ImportFormat(crowd_chunks.FORMAT, _is_chunks, _read_chunks),
    ImportFormat(progsnap2.FORMAT, _is_dataset, progsnap2.import_dataset),
    ImportFormat(recording.FORMAT, _is_recording, _read_recording),
)
"""All formats; the first that fits is used. The last one accepts any JSON and reports the errors in it."""
