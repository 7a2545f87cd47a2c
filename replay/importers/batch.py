"""Import of many inputs at once: all of them become tapes, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from replay.errors import TapeError
from replay.importers.errors import ImportRefusedError
from replay.importers.kinds import AUTO, kind_of, tapes_of, unwritable
from replay.importers.session import ImportedTape
from replay.placing import place, workshop, would_change
from replay.tape import Open, write


class ImportedFile(msgspec.Struct, frozen=True):
    """One tape and the input that it came from. `tests` says whether the tape knows how its project is tested.

    `resynchronised` counts edits that stand on no recording: the recorder had missed something, and a later text showed it.
    """

    source: str
    tape: str
    events: int
    documents: int
    changes: int
    checkpoints: int
    tests: bool
    format: str = ""
    resynchronised: int = 0


class Report(msgspec.Struct, frozen=True):
    """What an import did: sums over all tapes, and each tape."""

    tapes: int
    changes: int
    checkpoints: int
    files: tuple[ImportedFile, ...]
    resynchronised: int = 0


Told = Callable[[ImportedFile], None]


def import_many(
    paths: Sequence[Path],
    out_dir: Path,
    format: str = AUTO,  # noqa: A002  # the word of the tape
    told: Told | None = None,
    *,
    force: bool = False,
) -> Report:
    """Import recordings into `out_dir` as `NAME.tape.jsonl`; they appear together, after the last one was read.

    `format` names the format of all inputs; `auto` finds out for each by its content. One input may give several tapes.
    `told` hears of each tape once it is read. Another content that stands in the place of a tape is replaced only with `force`.

    Raises:
        RecordingError: an input is malformed or impossible; nothing was written.
        ImportRefusedError: two inputs would become the same tape, something else stands in the place of a
            tape, or the folder cannot be written; the folder is as it was.

    """
    try:
        with workshop(out_dir, ".ghosttape-import-") as made:
            return _Batch(out_dir, made, told, force=force).run(paths, format)
    except OSError as error:
        raise ImportRefusedError(f"{out_dir}: the tapes cannot be written there: {error.strerror}") from error


class _Batch:
    """An import under way: tapes are written into a workshop, and moved to their places at the end."""

    def __init__(self, out_dir: Path, workshop: Path, told: Told | None, *, force: bool) -> None:
        self.out_dir, self.workshop, self.force = out_dir, workshop, force
        self.told = told or (lambda _: None)
        self.sources: dict[Path, Path] = {}
        self.files: list[ImportedFile] = []

    def run(self, paths: Sequence[Path], format: str) -> Report:  # noqa: A002  # the word of the tape
        kinds = [kind_of(path, format) for path in paths]
        for path, kind in zip(paths, kinds, strict=True):
            for imported in tapes_of(path, kind):
                self._keep(path, kind.name, imported)
        place({self.workshop / target.name: target for target in self.sources})
        return _report(self.files)

    def _keep(self, path: Path, format: str, imported: ImportedTape) -> None:  # noqa: A002  # the word of the tape
        target = self.out_dir / f"{imported.name}.tape.jsonl"
        if target in self.sources:
            raise ImportRefusedError(f"{self.sources[target]} and {path} would both become {target}: import them apart")
        if target.exists() and not target.is_file():
            raise ImportRefusedError(
                f"{target} is no file, so no tape can take its place: move it, or import elsewhere"
            )
        self.sources[target] = path
        try:
            write(imported.tape, self.workshop / target.name)
        except TapeError as error:
            raise unwritable(path, error) from error
        if not self.force and would_change(self.workshop / target.name, target):
            raise ImportRefusedError(
                f"{target} stands there already, with another content: import elsewhere (-o), or replace it (--force)"
            )
        self.files.append(_file(path, target, format, imported))
        self.told(self.files[-1])


def _report(files: Sequence[ImportedFile]) -> Report:
    return Report(
        len(files),
        sum(file.changes for file in files),
        sum(file.checkpoints for file in files),
        tuple(files),
        sum(file.resynchronised for file in files),
    )


def _file(path: Path, target: Path, format: str, imported: ImportedTape) -> ImportedFile:  # noqa: A002  # the word of the tape
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
    )
