"""Export of many tapes: either all of them become files, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from replay.exporters.errors import ExportRefusedError
from replay.exporters.workspace_recording import ExportedRecording, recording_of
from replay.tapes.placing import place, workshop
from replay.tapes.tape import read

WORKSPACE_RECORDING = "workspace-recording"
FORMATS = (WORKSPACE_RECORDING,)
_TAPES = (".gz", ".jsonl", ".tape")
_FILES = (".json", ".jsonl")


class ExportedFile(msgspec.Struct, frozen=True):
    """One tape and the file that it became."""

    source: str
    file: str
    events: int
    entries: int
    """Entries of the recording."""
    dropped: int
    """Entries of the imported recording that no longer fit the tape, because the tape was changed since."""


class ExportReport(msgspec.Struct, frozen=True):
    """What an export did: the format, and the files."""

    format: str
    tapes: int
    files: tuple[ExportedFile, ...]


NotifyExported: TypeAlias = Callable[[ExportedFile], None]


def export_many(
    paths: Sequence[Path],
    out: Path,
    to: str = WORKSPACE_RECORDING,
    *,
    force: bool = False,
    notify: NotifyExported | None = None,
) -> ExportReport:
    """Export tapes into the folder `out`, or one tape to the file `out` if that ends in `.json` or `.jsonl`.

    The files are named after their tapes, `NAME.recording.w.json`, or `NAME.workspaceRecording.jsonl` if the tape was
    imported from a recording with one entry
    a line. All files are moved to their places together, after the last tape was read. An existing file is replaced
    only with `force`. `notify` is called with
    each file after its tape was read.

    Raises:
        TapeError: a tape is malformed or impossible; nothing was written.
        ExportRefusedError: the format is unknown, two tapes would become the same file, a file exists already, or the
            folder cannot be written; nothing was written.

    """
    check_format(to)
    try:
        with workshop(out, ".ghosttape-export-") as made:
            files = _Batch(out, made, force=force).run(paths, notify or (lambda _: None))
    except OSError as error:
        raise ExportRefusedError(f"{out}: the recordings cannot be written there: {error.strerror}") from error
    return ExportReport(to, len(files), tuple(files))


def export_one(path: Path, to: str = WORKSPACE_RECORDING) -> bytes:
    """The file that a tape becomes.

    Raises:
        TapeError: the tape is malformed or impossible.
        ExportRefusedError: the format is unknown.

    """
    check_format(to)
    return recording_of(read(path)).encode()


def check_format(to: str) -> None:
    """Refuse a format that has no exporter."""
    if to not in FORMATS:
        raise ExportRefusedError(f"there is no format {to!r} to export to: choose {' or '.join(FORMATS)}")


class _Batch:
    """An export in progress: files are written into a temporary folder, and moved to their places at the end."""

    def __init__(self, out: Path, workshop: Path, *, force: bool) -> None:
        self.out, self.workshop, self.force = out, workshop, force
        self.sources: dict[Path, Path] = {}

    def run(self, paths: Sequence[Path], notify: NotifyExported) -> list[ExportedFile]:
        files = []
        for number, path in enumerate(paths):
            tape = read(path)
            recording = recording_of(tape)
            target = self._target(path, recording, alone=len(paths) == 1)
            (self.workshop / str(number)).write_bytes(recording.encode())
            files.append(ExportedFile(str(path), str(target), len(tape.events), len(recording.log), recording.dropped))
            notify(files[-1])
        place({self.workshop / str(number): target for number, target in enumerate(self.sources)})
        return files

    def _target(self, path: Path, recording: ExportedRecording, *, alone: bool) -> Path:
        target = self.out
        if not (alone and self.out.suffix in _FILES and not self.out.is_dir()):
            target = (
                self.out / f"{_name(path)}{'.workspaceRecording.jsonl' if recording.lines else '.recording.w.json'}"
            )
        if target in self.sources:
            raise ExportRefusedError(
                f"{self.sources[target]} and {path} would both become {target}: export them separately"
            )
        if target.is_dir() or (target.exists() and not self.force):
            raise ExportRefusedError(f"{target} exists already: choose another place (-o), or replace it (--force)")
        self.sources[target] = path
        return target


def _name(path: Path) -> str:
    """The name of a tape's file without `.tape.jsonl` and `.gz`."""
    name = path.name
    for ending in _TAPES:
        name = name.removesuffix(ending)
    return name
