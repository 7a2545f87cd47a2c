"""Import of many files at once: all of them become tapes, or none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from replay.importers.errors import ImportRefusedError
from replay.importers.workspace_recording import Imported, import_recording, tape_name
from replay.tape import Open, write


class ImportedFile(msgspec.Struct, frozen=True):
    """One input and the tape that it became. `tests` says whether the tape knows how its project is tested."""

    source: str
    tape: str
    events: int
    documents: int
    changes: int
    checkpoints: int
    tests: bool


class Report(msgspec.Struct, frozen=True):
    """What an import did: sums over all files, and each file."""

    tapes: int
    changes: int
    checkpoints: int
    files: tuple[ImportedFile, ...]


def import_many(paths: Sequence[Path], out_dir: Path) -> Report:
    """Import recordings into `out_dir` as `NAME.tape.jsonl`; they appear together, after the last one was read.

    Raises:
        RecordingError: an input is malformed or impossible; nothing was written.
        ImportRefusedError: two inputs would become the same tape, something that is no file stands in the place of a
            tape, or the folder cannot be written; the folder is as it was.

    """
    targets = _targets(paths, out_dir)
    try:
        _check(targets)
        existing = next(folder for folder in (out_dir, *out_dir.absolute().parents) if folder.is_dir())
        workshop = Path(tempfile.mkdtemp(prefix=".ghosttape-import-", dir=existing))
        try:
            return _import(paths, targets, workshop)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    except OSError as error:
        raise ImportRefusedError(f"{out_dir}: the tapes cannot be written there: {error.strerror}") from error


def _targets(paths: Sequence[Path], out_dir: Path) -> list[Path]:
    targets: dict[Path, Path] = {}
    for path in paths:
        target = out_dir / f"{tape_name(path)}.tape.jsonl"
        if target in targets:
            raise ImportRefusedError(f"{targets[target]} and {path} would both become {target}: import them apart")
        targets[target] = path
    return list(targets)


def _check(targets: Sequence[Path]) -> None:
    for target in targets:
        if target.exists() and not target.is_file():
            raise ImportRefusedError(
                f"{target} is no file, so no tape can take its place: move it, or import elsewhere"
            )


def _import(paths: Sequence[Path], targets: Sequence[Path], workshop: Path) -> Report:
    files = []
    for path, target in zip(paths, targets, strict=True):
        imported = import_recording(path)
        write(imported.tape, workshop / target.name)
        files.append(_file(path, target, imported))
    _move({workshop / target.name: target for target in targets})
    return Report(len(files), sum(f.changes for f in files), sum(f.checkpoints for f in files), tuple(files))


def _move(places: Mapping[Path, Path]) -> None:
    """Move files, all of them or none: what was made is removed again, and what was replaced comes back."""
    with ExitStack() as undo:
        for file, target in places.items():
            _make_folder(target.absolute().parent, undo)
            if target.exists() or target.is_symlink():
                kept = file.with_name(f"{file.name}.replaced")
                shutil.copy2(target, kept, follow_symlinks=False)
                undo.callback(kept.replace, target)
            else:
                undo.callback(target.unlink, missing_ok=True)
            file.replace(target)
        undo.pop_all()


def _make_folder(folder: Path, undo: ExitStack) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir()
        undo.callback(each.rmdir)


def _file(path: Path, target: Path, imported: Imported) -> ImportedFile:
    events = imported.tape.events
    return ImportedFile(
        source=str(path),
        tape=str(target),
        events=len(events),
        documents=len({event.doc for event in events if isinstance(event, Open)}),
        changes=imported.changes,
        checkpoints=imported.checkpoints,
        tests=imported.tape.header.tests is not None,
    )
