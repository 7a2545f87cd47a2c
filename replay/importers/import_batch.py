"""Import of many inputs: either all of them become tapes, or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from replay.errors import TapeError
from replay.importers.building.tape_builder import ImportedTape
from replay.importers.errors import ImportRefusedError
from replay.importers.formats import AUTO, format_of, tapes_of, unwritable
from replay.tapes.placing import place, workshop, would_change
from replay.tapes.tape import Open, write


class ImportedFile(msgspec.Struct, frozen=True):
    """One tape and the input that it came from."""

    source: str
    """The input: a file or a folder."""
    tape: str
    """The file of the tape."""
    events: int
    documents: int
    """Documents that the tape opens."""
    changes: int
    """Changes that were applied."""
    checkpoints: int
    """Texts in the recording that equal the replayed text."""
    tests: bool
    """Whether the tape says how its project is tested."""
    format: str = ""
    resynchronised: int = 0
    """Edits that the recording does not have: the recorder missed something, and a later text shows what."""
    recognised: int = 0
    """Edits without a reason in the recording that are an agent's or a formatter's."""


class ImportReport(msgspec.Struct, frozen=True):
    """What an import did: sums over all tapes, and the tapes."""

    tapes: int
    changes: int
    checkpoints: int
    files: tuple[ImportedFile, ...]
    resynchronised: int = 0
    recognised: int = 0


_LONGEST = 180
"""The bytes of a tape's name: file systems take 255, and names of unfinished files are longer."""
NotifyImported = Callable[[ImportedFile], None]


def import_many(
    paths: Sequence[Path],
    out_dir: Path,
    format: str = AUTO,  # noqa: A002  # tapes call it so
    notify: NotifyImported | None = None,
    *,
    force: bool = False,
) -> ImportReport:
    """Import recordings into `out_dir` as `NAME.tape.jsonl`; they appear together, after the last input was read.

    `format` is the format of all inputs; `auto` decides for each input by its content. One input may give several tapes.
    `notify` is called with each tape after it was read. A file with another content is replaced only with `force`.

    Raises:
        RecordingError: an input is malformed or impossible; nothing was written.
        ImportRefusedError: two inputs would become the same tape, another file has the name of a tape, or the folder
            cannot be written; nothing was written.

    """
    try:
        with workshop(out_dir, ".ghosttape-import-") as made:
            return _Batch(out_dir, made, notify, force=force).run(paths, format)
    except OSError as error:
        raise ImportRefusedError(f"{out_dir}: the tapes cannot be written there: {error.strerror}") from error


class _Batch:
    """An import in progress: tapes are written into a temporary folder, and moved to `out_dir` at the end."""

    def __init__(self, out_dir: Path, workshop: Path, notify: NotifyImported | None, *, force: bool) -> None:
        self.out_dir, self.workshop, self.force = out_dir, workshop, force
        self.notify = notify or (lambda _: None)
        self.sources: dict[Path, Path] = {}
        self.files: list[ImportedFile] = []

    def run(self, paths: Sequence[Path], format: str) -> ImportReport:  # noqa: A002  # tapes call it so
        formats = [format_of(path, format) for path in paths]
        for path, each in zip(paths, formats, strict=True):
            for imported in tapes_of(path, each):
                self._keep(path, each.name, imported)
        place({self.workshop / target.name: target for target in self.sources})
        return _report(self.files)

    def _keep(self, path: Path, format: str, imported: ImportedTape) -> None:  # noqa: A002  # tapes call it so
        target = self.out_dir / f"{_short(imported.name)}.tape.jsonl"
        if target in self.sources:
            raise ImportRefusedError(
                f"{self.sources[target]} and {path} would both become {target}: import them separately"
            )
        if target.exists() and not target.is_file():
            raise ImportRefusedError(
                f"{target} is not a file, so a tape cannot replace it: move it, or choose another folder (-o)"
            )
        self.sources[target] = path
        try:
            write(imported.tape, self.workshop / target.name)
        except TapeError as error:
            raise unwritable(path, error) from error
        if not self.force and would_change(self.workshop / target.name, target):
            raise ImportRefusedError(
                f"{target} exists already, with another content: choose another folder (-o), or replace it (--force)"
            )
        self.files.append(_file(path, target, format, imported))
        self.notify(self.files[-1])


def _short(name: str) -> str:
    """A name as it is, or of one that no file can have as much as it can, with a digest of the whole."""
    whole = os.fsencode(name)
    kept = whole[:_LONGEST].decode("utf-8", "ignore")
    return name if len(whole) <= _LONGEST else f"{kept}-{hashlib.sha256(whole).hexdigest()[:12]}"


def _report(files: Sequence[ImportedFile]) -> ImportReport:
    return ImportReport(
        len(files),
        sum(file.changes for file in files),
        sum(file.checkpoints for file in files),
        tuple(files),
        sum(file.resynchronised for file in files),
        sum(file.recognised for file in files),
    )


def _file(path: Path, target: Path, format: str, imported: ImportedTape) -> ImportedFile:  # noqa: A002  # tapes call it so
    events = imported.tape.events
    return ImportedFile(
        source=str(path),
        tape=str(target),
        events=len(events),
        documents=len({event.doc for event in events if isinstance(event, Open)}),
        changes=imported.changes,
        checkpoints=imported.checkpoints,
        tests=imported.tape.header.tests is not None,
        format=format,
        resynchronised=imported.resynchronised,
        recognised=imported.recognised,
    )
